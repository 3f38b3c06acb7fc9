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
    relation            VARCHAR NOT NULL,   -- closes part_of …, '' for a plain mention
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
    reason        VARCHAR NOT NULL,         -- why a check fails, '' where all hold
    flags         VARCHAR[] NOT NULL,       -- bot revert backport release mirror_import, sorted
    families      VARCHAR[] NOT NULL        -- language families of its production files, sorted
);
CREATE TABLE candidate_facts (
    candidate_id VARCHAR NOT NULL,
    kept         BOOLEAN NOT NULL,
    reason       VARCHAR NOT NULL,
    members_sha  VARCHAR NOT NULL,
    families     VARCHAR[] NOT NULL         -- of the pulls that pass, sorted
);
-- One row per reference in the texts that inspect reads: of pulls that pass, in candidates that are kept. They are
-- evidence for people and join nothing by themselves. Names are as written; views resolve them.
CREATE TABLE inspected_references (
    repository_id     BIGINT NOT NULL,      -- the pull
    number            INTEGER NOT NULL,
    location          VARCHAR NOT NULL,     -- comment commit issue branch
    origin            VARCHAR NOT NULL,     -- issuecomment-N, discussion_rN, pullrequestreview-N, the commit, owner/name#N of the issue, '' the branch
    author            VARCHAR NOT NULL,     -- '' where the text has no author of its own
    byte_offset       INTEGER NOT NULL,     -- into that text
    byte_length       INTEGER NOT NULL,
    form              VARCHAR NOT NULL,     -- as in link_occurrences, and so on
    written           VARCHAR NOT NULL,
    target_repository VARCHAR NOT NULL,
    target_number     INTEGER,
    target_sha        VARCHAR NOT NULL,
    target_kind       VARCHAR NOT NULL,
    relation          VARCHAR NOT NULL,
    flags             VARCHAR[] NOT NULL,
    snippet           VARCHAR NOT NULL,
    rule_version      VARCHAR NOT NULL
);
-- One row per commit of another repository that a file of an inspected pull begins to use.
CREATE TABLE dependency_evidence (
    repository_id     BIGINT NOT NULL,      -- the pull
    number            INTEGER NOT NULL,
    kind              VARCHAR NOT NULL,     -- submodule go_pseudo_version git_reference workflow_action
    path              VARCHAR NOT NULL,     -- the file, or the submodule
    module            VARCHAR NOT NULL,     -- the file's name for the dependency
    target_repository VARCHAR NOT NULL,     -- owner/name as written; '' where the file names none and only the commit tells
    sha               VARCHAR NOT NULL,     -- 12 digits of a pseudo-version, else 40, or the 7 to 39 that were written
    previous_sha      VARCHAR NOT NULL,     -- '' where the change does not show it
    rule_version      VARCHAR NOT NULL
);
