-- Writer: dedupe. Readers: inspect, review, funnel_paper.
CREATE TABLE duplicates (
    candidate_id VARCHAR NOT NULL,          -- the candidate that drops out
    kept         VARCHAR NOT NULL,          -- the candidate that it repeats
    reason       VARCHAR NOT NULL
);
-- One row per pair of candidates that share a pull or issue, to be consolidated (appendix A.2) if a person decides so.
CREATE TABLE consolidation_proposals (
    a_candidate VARCHAR NOT NULL,
    b_candidate VARCHAR NOT NULL,
    shared      VARCHAR NOT NULL,           -- the pull or issue that both name, owner/name#N
    reason      VARCHAR NOT NULL
);
-- One row per record of the paper (appendix A.1): a source pull and its direct targets.
CREATE TABLE records (
    ecosystem     VARCHAR NOT NULL,
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    repositories  VARCHAR[] NOT NULL,       -- the source's and the targets'
    targets       VARCHAR[] NOT NULL,       -- owner/name#N; of several in one repository only the last, as in the authors' script
    duplicate     BOOLEAN NOT NULL,
    reason        VARCHAR NOT NULL          -- why the paper's checks of targets reject it, '' where kept; inspect checks files
);
