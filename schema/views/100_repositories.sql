-- Grain: one row a repository that was ever listed; latest version, state 'gone' once it is listed no more.
-- A repository that two ecosystems list belongs to the first of them by name.
-- Key: repository_id.
-- From: crawl *.
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
