-- Grain: One row per issue of the inventory that a pull's text names, or number that turned out to be a pull or
-- missing.
-- Key: repository_id, number.
-- From: crawl *.
-- Columns:
--   number: Number of the issue in its repository.
--   kind: issue, pull (the number belongs to a pull) or missing (GitHub has nothing under the number).
--   state: open or closed; empty where the number is missing.
--   title: Title of the issue; empty where the number is missing.
-- Example: issues that several pulls name.
--   SELECT i.repository, i.number, i.title, count(DISTINCT l.source) AS pulls
--   FROM issues i JOIN links l ON l.target_repository_id = i.repository_id AND l.target_number = i.number
--   GROUP BY ALL ORDER BY pulls DESC, i.repository, i.number
CREATE OR REPLACE VIEW issues AS
WITH latest AS (
    SELECT *
    FROM issue_versions
    QUALIFY row_number() OVER (PARTITION BY repository_id, number ORDER BY fetched_at DESC, rowid DESC) = 1
)
SELECT r.repository, i.number, i.kind, i.state, i.title, i.body, i.author, i.author_type, i.labels,
       i.repository_id, r.ecosystem, i.created_at, i.updated_at, i.closed_at, i.fetched_at
FROM latest i
JOIN repositories r ON r.repository_id = i.repository_id AND r.state <> 'gone';
