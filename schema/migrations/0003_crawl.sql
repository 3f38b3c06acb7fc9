-- Writer: crawl. Readers: link, group, inspect, assemble.
-- Append-only: every change on the host adds a version; the views repositories,
-- pulls, all_pulls and issues have the latest.
CREATE TABLE repository_versions (
    repository_id    BIGINT NOT NULL,
    repository       VARCHAR NOT NULL,   -- owner/name as the host spells it
    ecosystem        VARCHAR NOT NULL,
    archived         BOOLEAN NOT NULL,
    disabled         BOOLEAN NOT NULL,
    fork             BOOLEAN NOT NULL,
    stars            BIGINT NOT NULL,
    language         VARCHAR NOT NULL,
    license          VARCHAR NOT NULL,   -- SPDX id or ''
    default_branch   VARCHAR NOT NULL,
    description      VARCHAR NOT NULL,
    pushed_at        TIMESTAMP,
    state            VARCHAR NOT NULL,   -- ok, archived, fork, disabled, empty, pulls_off, blocked, quiet (nothing pushed in the window), gone (no longer listed)
    fetched_at       TIMESTAMP NOT NULL
);
CREATE TABLE pull_versions (
    repository_id    BIGINT NOT NULL,
    number           INTEGER NOT NULL,
    state            VARCHAR NOT NULL,   -- open closed
    title            VARCHAR NOT NULL,
    body             VARCHAR NOT NULL,
    author           VARCHAR NOT NULL,   -- '' where the account is gone
    author_type      VARCHAR NOT NULL,   -- User Bot Organization Mannequin ''
    labels           VARCHAR[] NOT NULL,
    draft            BOOLEAN NOT NULL,
    created_at       TIMESTAMP,
    updated_at       TIMESTAMP,
    closed_at        TIMESTAMP,
    merged_at        TIMESTAMP,          -- NULL: not merged
    merge_commit_sha VARCHAR NOT NULL,
    base_ref         VARCHAR NOT NULL,
    base_sha         VARCHAR NOT NULL,   -- as the host recorded it; not trusted
    head_ref         VARCHAR NOT NULL,
    head_sha         VARCHAR NOT NULL,
    head_repository  VARCHAR NOT NULL,   -- '' where the fork is gone
    source           VARCHAR NOT NULL,   -- list: the pass over closed pulls; linked: fetched because a link names it
    fetched_at       TIMESTAMP NOT NULL
);
-- One row per version of an issue that a link names.
CREATE TABLE issue_versions (
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    kind          VARCHAR NOT NULL,      -- issue, pull, missing (404, 410)
    state         VARCHAR NOT NULL,
    title         VARCHAR NOT NULL,
    body          VARCHAR NOT NULL,
    author        VARCHAR NOT NULL,
    author_type   VARCHAR NOT NULL,
    labels        VARCHAR[] NOT NULL,
    created_at    TIMESTAMP,
    updated_at    TIMESTAMP,
    closed_at     TIMESTAMP,
    fetched_at    TIMESTAMP NOT NULL
);
-- One row per page stored in a pass, in the transaction that stores its pulls; a resumed pass reads it.
CREATE TABLE crawl_pages (
    repository_id  BIGINT NOT NULL,
    pass_started   TIMESTAMP NOT NULL,
    round          INTEGER NOT NULL,     -- 1: the read from top to bottom; 2 and up: the newest pages again
    row_offset     BIGINT NOT NULL,      -- rows of the list before this page
    rows           INTEGER NOT NULL,
    oldest_updated TIMESTAMP,
    newest_updated TIMESTAMP,
    archive        VARCHAR NOT NULL,     -- the raw page's key in the archive, '' where pages are not kept
    stored_at      TIMESTAMP NOT NULL,
    per_page       INTEGER NOT NULL,     -- rows that were requested; fewer than 100 where the host could not answer more
    cutoff         TIMESTAMP NOT NULL,   -- rows updated before it are not stored
    etag           VARCHAR NOT NULL      -- of the newest page, for the first request of the next pass
);
-- One row per pass that ended; only then the high-water mark moves.
CREATE TABLE crawl_passes (
    repository_id BIGINT NOT NULL,
    pass_started  TIMESTAMP NOT NULL,
    since         TIMESTAMP NOT NULL,    -- everything updated from here to the high water is stored
    high_water    TIMESTAMP NOT NULL,    -- everything updated before it is stored
    pushed_at     TIMESTAMP,             -- the repository's pushed_at seen before the pass
    pages         INTEGER NOT NULL,
    rows          BIGINT NOT NULL,
    ended_at      TIMESTAMP NOT NULL
);
-- One row per time that the repositories of an ecosystem were listed.
CREATE TABLE crawl_inventories (
    ecosystem    VARCHAR NOT NULL,
    config_hash  VARCHAR NOT NULL,       -- of the organizations and repositories that were listed
    listed_at    TIMESTAMP NOT NULL,     -- before the first request
    repositories INTEGER NOT NULL
);
-- One row per written name that is not a present name: renames, and names that do not exist.
CREATE TABLE repository_aliases (
    written       VARCHAR NOT NULL,      -- owner/name, lower case, as links write it
    repository_id BIGINT,                -- NULL: no such repository
    repository    VARCHAR NOT NULL,      -- its present name, or ''
    state         VARCHAR NOT NULL,      -- renamed, outside (exists, not in the inventory), missing, blocked
    fetched_at    TIMESTAMP NOT NULL
);
