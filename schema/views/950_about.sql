-- Grain: One row per fact about the database: the table meta, and what the tables tell of the crawl's window.
-- Key: key.
-- From: the engine *; crawl value.
-- Columns:
--   key: Name of the fact: schema_version, rule.STAGE, crawl.since, crawl.until, crawl.newest_merge or snapshot.at.
--   value: The fact as text; times are UTC. crawl.until, up to which every repository that is read is complete, is
--     missing until each has been read once.
-- Example: all facts.
--   SELECT key, value FROM about
CREATE OR REPLACE VIEW about AS
WITH reads AS (
    SELECT r.repository_id, p.high_water
    FROM (SELECT repository_id FROM repositories WHERE state = 'ok') r
    LEFT JOIN (SELECT repository_id, max(high_water) AS high_water FROM crawl_passes
        GROUP BY repository_id) p ON p.repository_id = r.repository_id
), facts AS (
    SELECT key, value FROM meta WHERE key <> 'views'
    UNION ALL
    SELECT 'crawl.until', strftime(min(high_water), '%Y-%m-%dT%H:%M:%SZ')
        FROM reads HAVING count(*) > 0 AND count(*) = count(high_water)
    UNION ALL
    SELECT 'crawl.newest_merge', strftime(max(merged_at), '%Y-%m-%dT%H:%M:%SZ')
        FROM pull_versions HAVING max(merged_at) IS NOT NULL
)
SELECT key, value FROM facts ORDER BY key;
COMMENT ON TABLE meta IS
    'One row per fact about the database: versions, and the crawl''s window. The view about adds to them.';
COMMENT ON COLUMN meta.key IS 'Name of the fact, such as schema_version or crawl.since.';
COMMENT ON COLUMN meta.value IS 'The fact as text; times are UTC.';
