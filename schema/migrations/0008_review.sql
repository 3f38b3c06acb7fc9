-- Writer: review, from the files reviews/CANDIDATE/REVIEWER.yaml and reviews/decisions/*.yaml.
-- Readers: group (decisions, as files), assemble.
CREATE TABLE reviews (
    candidate_id   VARCHAR NOT NULL,        -- the candidate that it applies to now
    reviewed_as    VARCHAR NOT NULL,        -- the id the file was written for
    reviewer       VARCHAR NOT NULL,
    verdict        VARCHAR NOT NULL,        -- accept reject
    kind           VARCHAR NOT NULL,        -- bugfix feature ''
    pattern        VARCHAR NOT NULL,        -- producer-consumer parallel ''
    reason         VARCHAR NOT NULL,
    note           VARCHAR NOT NULL,
    pulls          VARCHAR[] NOT NULL,      -- the reviewed pulls, owner/name#N
    stale          BOOLEAN NOT NULL,        -- the candidate's members differ from the reviewed pulls
    file           VARCHAR NOT NULL,
    reviewed_at    TIMESTAMP NOT NULL
);
CREATE TABLE candidate_verdicts (
    candidate_id VARCHAR NOT NULL,
    verdict      VARCHAR NOT NULL,          -- accepted rejected disputed stale unreviewed
    kind         VARCHAR NOT NULL,
    pattern      VARCHAR NOT NULL,
    reason       VARCHAR NOT NULL
);
