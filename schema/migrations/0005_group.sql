-- Writer: group. Readers: dedupe, inspect, review.
-- One row per pair of pulls that links, a shared issue or a decision propose, admitted or not.
CREATE TABLE edges (
    ecosystem       VARCHAR NOT NULL,
    a_repository_id BIGINT NOT NULL,        -- (a) sorts before (b)
    a_number        INTEGER NOT NULL,
    b_repository_id BIGINT NOT NULL,
    b_number        INTEGER NOT NULL,
    score           INTEGER NOT NULL,       -- 0 or less never joins
    relation        VARCHAR NOT NULL,       -- the strongest relation word
    reciprocal      BOOLEAN NOT NULL,
    via_issue       VARCHAR NOT NULL,       -- owner/name#N of the shared issue, or ''
    gap_days        DOUBLE NOT NULL,        -- between the merges
    admitted        BOOLEAN NOT NULL,
    reason          VARCHAR NOT NULL,       -- how the score came about, or why it was refused
    evidence        VARCHAR NOT NULL        -- one snippet
);
CREATE TABLE candidate_groups (
    candidate_id     VARCHAR NOT NULL,
    ecosystem        VARCHAR NOT NULL,
    anchor           VARCHAR NOT NULL,      -- the earliest merged member, owner/name#N, for people
    repositories     VARCHAR[] NOT NULL,
    pulls            INTEGER NOT NULL,
    score            INTEGER NOT NULL,      -- of the weakest edge that holds it together
    span_days        DOUBLE NOT NULL,
    flags            VARCHAR[] NOT NULL,    -- gap_days, person (a decision joins its pulls)
    latest_merged_at TIMESTAMP NOT NULL
);
CREATE TABLE group_members (
    candidate_id  VARCHAR NOT NULL,
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    via           VARCHAR NOT NULL          -- the edges from this member to the anchor, as text
);
-- One row per hub pull or tracker issue; neither joins pulls.
CREATE TABLE campaigns (
    ecosystem    VARCHAR NOT NULL,
    hub          VARCHAR NOT NULL,          -- owner/name#N
    kind         VARCHAR NOT NULL,          -- pull issue
    repositories INTEGER NOT NULL,
    pulls        INTEGER NOT NULL,
    reason       VARCHAR NOT NULL
);
-- One row per change of a group between two runs; append-only.
CREATE TABLE lineage (
    old_candidate VARCHAR NOT NULL,
    new_candidate VARCHAR NOT NULL,         -- '' where no group has any of its pulls
    added         VARCHAR[] NOT NULL,
    removed       VARCHAR[] NOT NULL,
    recorded_at   TIMESTAMP NOT NULL
);
