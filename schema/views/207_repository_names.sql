-- Grain: One row per name that a repository of the inventory has or had. A present name wins over an old one of
-- another repository.
-- Key: name.
-- From: crawl *.
-- Columns:
--   name: The name as owner/name, in lower case.
-- Example: names that a repository no longer has.
--   SELECT n.name, r.repository FROM repository_names n JOIN repositories r USING (repository_id)
--   WHERE n.name <> lower(r.repository) ORDER BY n.name
CREATE OR REPLACE VIEW repository_names AS
WITH present AS (
    -- Where a repository was renamed and another took its name, the younger one has it.
    SELECT lower(repository) AS name, max(repository_id) AS repository_id
    FROM repositories WHERE state <> 'gone' GROUP BY ALL),
aliases AS (
    SELECT lower(written) AS name, repository_id FROM repository_aliases
    QUALIFY row_number() OVER (PARTITION BY lower(written) ORDER BY fetched_at DESC, rowid DESC) = 1)
SELECT name, repository_id FROM present
UNION ALL
SELECT name, repository_id FROM aliases WHERE repository_id IS NOT NULL AND name NOT IN (SELECT name FROM present);
