-- Writer: inspect (pull_facts), assemble (split_differences). Readers: assemble, analysts.
ALTER TABLE pull_facts ADD COLUMN files_from VARCHAR DEFAULT '';  -- whose list of files it is: host mirror, '' of an earlier program
-- Where a pull's split, its base and gold, and the host's own list of its files say different things. Such a task is not made.
CREATE TABLE split_differences (
    candidate_id  VARCHAR NOT NULL,
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    path          VARCHAR NOT NULL,
    host          VARCHAR NOT NULL,         -- what the host's list says of the path: its status and lines, '' not listed
    split         VARCHAR NOT NULL          -- what changes between base and gold, '' nothing
);
