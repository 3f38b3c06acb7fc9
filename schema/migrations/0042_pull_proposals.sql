-- Writer: dedupe. Readers: the view proposals.
-- Pairs of merged pulls of people, of two repositories of an ecosystem, that their titles or branches suggest are one change.
CREATE TABLE pull_proposals (
    ecosystem       VARCHAR NOT NULL,
    a_repository_id BIGINT NOT NULL,        -- (a) sorts before (b)
    a_number        INTEGER NOT NULL,
    b_repository_id BIGINT NOT NULL,
    b_number        INTEGER NOT NULL,
    kind            VARCHAR NOT NULL,       -- title: equal titles of one author; similar_title; branch: one name of the head branch
    evidence        VARCHAR NOT NULL,       -- the titles, or the branch
    gap_days        DOUBLE NOT NULL
);
