-- Grain: one row an issue of the inventory that a pull's text names, or a number that turned out to be missing.
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
