-- Grain: one row an issue of the inventory that a pull's text names, or a number that turned out to be missing.
-- Key: repository_id, number.
-- From: crawl *.
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
