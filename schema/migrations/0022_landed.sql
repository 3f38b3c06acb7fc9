-- Writer: crawl. Readers: crawl, analysts.
-- Commits of default branches that name the pull that they land, or the commit that they revert. Crawl reads them in
-- the repositories that crawl.landed_by_bot names. A pull that counts as merged by that rule has a version in pull_versions
-- with source 'landed', and with the merge time and merge commit that GitHub does not give.
-- One row per trailer of a commit ("Pull Request resolved: URL"), and per commit that only reverts another.
CREATE TABLE landing_commits (
    repository_id BIGINT NOT NULL,
    commit_sha    VARCHAR NOT NULL,
    committed_at  TIMESTAMP NOT NULL,
    author        VARCHAR NOT NULL,      -- login, '' where the host knows none
    committer     VARCHAR NOT NULL,
    trailer       VARCHAR NOT NULL,      -- the words before the colon, '' for a revert without a trailer
    named         VARCHAR NOT NULL,      -- owner/name as in the trailer, lower case, '' for #N
    number        INTEGER NOT NULL,      -- of the pull, 0 for a revert without a trailer
    reverts       VARCHAR NOT NULL,      -- the commit that this one says it reverts, or ''
    fetched_at    TIMESTAMP NOT NULL
);
-- One row per page of commits, in the transaction that stores its rows; a resumed run reads it.
CREATE TABLE landing_pages (
    repository_id BIGINT NOT NULL,
    since         TIMESTAMP NOT NULL,    -- commits from here
    until         TIMESTAMP NOT NULL,    -- to here: the time before the first page was requested
    page          INTEGER NOT NULL,
    last          BOOLEAN NOT NULL,
    commits       INTEGER NOT NULL,
    archive       VARCHAR NOT NULL,      -- the raw page's key in the archive, '' where pages are not kept
    stored_at     TIMESTAMP NOT NULL
);
-- One row per pull that counts as merged by the rule; the view landings shows them.
CREATE TABLE pull_landings (
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    commit_sha    VARCHAR NOT NULL,
    landed_at     TIMESTAMP NOT NULL,
    author        VARCHAR NOT NULL,
    committer     VARCHAR NOT NULL,
    trailer       VARCHAR NOT NULL
);
-- One row per time that a repository was read although nothing was pushed to it (crawl.full_pass), or that it could not
-- be read.
CREATE TABLE crawl_looks (
    repository_id BIGINT NOT NULL,
    looked_at     TIMESTAMP NOT NULL
);
