-- Grain: One row per pull of the inventory, merged or not, in its latest version.
-- Key: repository_id, number.
-- From: crawl *.
-- Columns:
--   state: open or closed, as GitHub reports it; a merged pull is closed.
--   linked: True where crawl fetched the pull because another pull's text names it.
--   source: list (found in the pass over closed pulls) or linked (only fetched because a link names it).
-- Example: pulls that are closed and not merged, by author type.
--   SELECT author_type, count(*) AS pulls
--   FROM all_pulls WHERE state = 'closed' AND merged_at IS NULL GROUP BY author_type ORDER BY pulls DESC
CREATE OR REPLACE VIEW all_pulls AS
WITH latest AS ( -- no bodies here, for speed; a filter on repository_id reaches the table
    SELECT repository_id, number, arg_max(rowid, (fetched_at, rowid)) AS id,
           bool_or(source = 'list') AS listed, bool_or(source = 'linked') AS linked
    FROM pull_versions
    GROUP BY repository_id, number
), crawl AS (
    SELECT coalesce(max(value)::TIMESTAMP, TIMESTAMP '1970-01-01') AS since FROM meta WHERE key = 'crawl.since'
)
SELECT r.repository, p.number, p.title, p.body, p.author, p.state, p.merged_at, p.base_sha, p.head_sha,
       p.merge_commit_sha,
       p.repository_id, r.ecosystem, p.author_type, p.labels, p.draft, p.head_ref, p.base_ref, p.head_repository,
       p.created_at, p.updated_at, p.closed_at,
       coalesce(p.merged_at >= crawl.since, false) AS in_window, l.linked,
       CASE WHEN l.listed THEN 'list' ELSE 'linked' END AS source, p.fetched_at, p.source = 'landed' AS landed
FROM latest l
JOIN pull_versions p ON p.rowid = l.id AND p.repository_id = l.repository_id AND p.number = l.number
JOIN repositories r ON r.repository_id = p.repository_id AND r.state <> 'gone'
CROSS JOIN crawl;
