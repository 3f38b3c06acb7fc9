-- Writer: dedupe. Readers: inspect, review, funnel_paper.
CREATE TABLE duplicates (
    candidate_id VARCHAR NOT NULL,          -- the one that drops out
    kept         VARCHAR NOT NULL,          -- the one it repeats
    reason       VARCHAR NOT NULL
);
-- A shared pull or issue proposes consolidation (appendix A.2); a person decides.
CREATE TABLE consolidation_proposals (
    a_candidate VARCHAR NOT NULL,
    b_candidate VARCHAR NOT NULL,
    shared      VARCHAR NOT NULL,           -- the pull or issue that both name, owner/name#N
    reason      VARCHAR NOT NULL
);
-- The paper's records (appendix A.1): one a source pull and its direct targets.
CREATE TABLE records (
    ecosystem     VARCHAR NOT NULL,
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    repositories  VARCHAR[] NOT NULL,       -- the source's and the targets'
    targets       VARCHAR[] NOT NULL,       -- owner/name#N; of several in one repository the last, as the authors' script keeps
    duplicate     BOOLEAN NOT NULL,
    reason        VARCHAR NOT NULL          -- why the paper's checks of the targets reject it, '' kept; those of files are inspect's
);
