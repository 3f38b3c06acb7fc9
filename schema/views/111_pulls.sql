-- Grain: One row per merged pull of the inventory that counts: merged since crawl.since, or older and named by
-- another pull.
-- Key: repository_id, number.
-- From: crawl *.
-- Columns:
--   source: list (merged since crawl.since and found in the pass over closed pulls) or linked (there because a link
--     names it).
-- Example: merged pulls per month, by people and by bots.
--   SELECT date_trunc('month', merged_at) AS month, count(*) FILTER (author_type = 'User') AS people,
--     count(*) FILTER (author_type = 'Bot') AS bots
--   FROM pulls WHERE in_window GROUP BY month ORDER BY month
CREATE OR REPLACE VIEW pulls AS
SELECT repository, number, title, body, author, merged_at, base_sha, head_sha, merge_commit_sha,
       repository_id, ecosystem, author_type, labels, head_ref, base_ref, head_repository, draft,
       created_at, updated_at, closed_at, in_window,
       CASE WHEN in_window AND source = 'list' THEN 'list' ELSE 'linked' END AS source, fetched_at, landed
FROM all_pulls
WHERE merged_at IS NOT NULL AND (in_window OR linked);
