-- Writer: inspect. Readers: review, assemble, balance.
CREATE TABLE pull_files (
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    path          VARCHAR NOT NULL,
    previous_path VARCHAR NOT NULL,         -- '' unless renamed or copied
    status        VARCHAR NOT NULL,         -- added modified removed renamed copied changed
    additions     INTEGER NOT NULL,
    deletions     INTEGER NOT NULL,
    role          VARCHAR NOT NULL          -- pipeline/filerole: source test fixture docs config build generated vendored
);
CREATE TABLE linked_issues (
    repository_id       BIGINT NOT NULL,    -- the pull
    number              INTEGER NOT NULL,
    issue_repository_id BIGINT NOT NULL,
    issue_number        INTEGER NOT NULL,
    relation            VARCHAR NOT NULL,   -- closes part_of …, '' a plain mention
    title               VARCHAR NOT NULL,   -- '' where the issue can't be read
    body                VARCHAR NOT NULL
);
CREATE TABLE pull_comments (
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    comment_id    BIGINT NOT NULL,
    kind          VARCHAR NOT NULL,         -- comment review review_comment
    author        VARCHAR NOT NULL,
    author_type   VARCHAR NOT NULL,
    body          VARCHAR NOT NULL,
    created_at    TIMESTAMP
);
CREATE TABLE pull_facts (
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    available     BOOLEAN NOT NULL,         -- merged, readable, files known
    files         INTEGER NOT NULL,
    files_complete BOOLEAN NOT NULL,        -- false at the host's 3,000-file cap
    test_signal   BOOLEAN NOT NULL,         -- at least one test file added or changed
    source_signal BOOLEAN NOT NULL,         -- at least one non-test source file changed
    linux         BOOLEAN NOT NULL,
    reason        VARCHAR NOT NULL          -- why a check fails, '' none
);
CREATE TABLE candidate_facts (
    candidate_id VARCHAR NOT NULL,
    kept         BOOLEAN NOT NULL,
    reason       VARCHAR NOT NULL,
    members_sha  VARCHAR NOT NULL
);
