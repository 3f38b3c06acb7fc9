-- Writer: crawl. Readers: crawl, analysts.
-- Commits of default branches that say which pull they land, or which commit they take back. They are read
-- of the repositories that crawl.landed_by_bot names. A pull that counts as merged by that rule has a version in
-- pull_versions whose source is 'landed', with the merge time and the merge commit that GitHub does not give.
-- One row a trailer of a commit ("Pull Request resolved: URL"), or a commit that only takes one back.
CREATE TABLE landing_commits (
    repository_id BIGINT NOT NULL,
    commit_sha    VARCHAR NOT NULL,
    committed_at  TIMESTAMP NOT NULL,
    author        VARCHAR NOT NULL,      -- login, '' where the host knows none
    committer     VARCHAR NOT NULL,
    trailer       VARCHAR NOT NULL,      -- the words before the colon, '' in a row of a revert alone
    named         VARCHAR NOT NULL,      -- owner/name as the trailer writes it, lower case, '' for #N
    number        INTEGER NOT NULL,      -- of the pull, 0 in a row of a revert alone
    reverts       VARCHAR NOT NULL,      -- the commit that this one says it reverts, or ''
    fetched_at    TIMESTAMP NOT NULL
);
-- One row a page of commits, in the transaction that stores its rows; resume reads it.
CREATE TABLE landing_pages (
    repository_id BIGINT NOT NULL,
    since         TIMESTAMP NOT NULL,    -- commits from here
    until         TIMESTAMP NOT NULL,    -- to here: the time before the first page was asked for
    page          INTEGER NOT NULL,
    last          BOOLEAN NOT NULL,
    commits       INTEGER NOT NULL,
    archive       VARCHAR NOT NULL,      -- the raw page's key in the archive, '' where pages are not kept
    stored_at     TIMESTAMP NOT NULL
);
-- One row a pull that counts as merged by the rule; the view landings shows them.
CREATE TABLE pull_landings (
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    commit_sha    VARCHAR NOT NULL,
    landed_at     TIMESTAMP NOT NULL,
    author        VARCHAR NOT NULL,
    committer     VARCHAR NOT NULL,
    trailer       VARCHAR NOT NULL
);
-- One row each time a repository was looked at although nothing was pushed to it (crawl.full_pass),
-- or could not be read.
CREATE TABLE crawl_looks (
    repository_id BIGINT NOT NULL,
    looked_at     TIMESTAMP NOT NULL
);
