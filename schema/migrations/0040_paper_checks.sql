-- Writer: inspect. Readers: funnel_paper.
-- What the paper's own rule says of the files of a pull: of those of candidates that inspect looked at, and of the other
-- pulls of records that are kept. A pull of a candidate may have two rows, which say the same.
CREATE TABLE paper_checks (
    candidate_id  VARCHAR NOT NULL,         -- '' where the paper's records alone name the pull
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    available     BOOLEAN NOT NULL,         -- merged, readable, files known
    test_path     BOOLEAN NOT NULL,         -- a file that is left stands at a path of tests, among the first 300
    phone         BOOLEAN NOT NULL,         -- for iOS by its repository, its title or a path
    rule_version  VARCHAR NOT NULL
);
