-- Grain: One row per repository that crawl ever listed, in its latest version. A repository that several
-- ecosystems list belongs to the first of them by name.
-- Key: repository_id.
-- From: crawl *.
-- Columns:
--   state: ok (its pulls are read), archived, fork, disabled, empty (nothing was ever pushed), pulls_off (pull
--     requests are switched off), blocked, quiet (nothing pushed since crawl.since) or gone (no longer listed).
--   archived: True where the repository is archived.
--   disabled: True where GitHub disabled the repository.
--   fork: True where the repository is a fork.
--   license: SPDX id of the license; empty where GitHub recognizes none.
--   default_branch: Name of the default branch.
--   description: One-line description by its owners; may be empty.
--   pushed_at: When a branch was last pushed (UTC); null where nothing ever was.
-- Example: repositories that were not read, by state.
--   SELECT state, count(*) AS repositories, min(repository) AS for_instance
--   FROM repositories WHERE state <> 'ok' GROUP BY state ORDER BY repositories DESC
CREATE OR REPLACE VIEW repositories AS
WITH latest AS (
    SELECT *
    FROM repository_versions
    QUALIFY row_number() OVER (PARTITION BY repository_id, ecosystem ORDER BY fetched_at DESC, rowid DESC) = 1
)
SELECT repository, ecosystem, state, repository_id, archived, disabled, fork, stars, language, license,
       default_branch, description, pushed_at, fetched_at
FROM latest
QUALIFY row_number() OVER (PARTITION BY repository_id ORDER BY state = 'gone', ecosystem) = 1;
