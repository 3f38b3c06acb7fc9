-- Grain: one row a merged pull of the inventory: those merged since crawl.since, and older ones that a pull's text names.
CREATE OR REPLACE VIEW pulls AS
SELECT repository, number, title, body, author, merged_at, base_sha, head_sha, merge_commit_sha,
       repository_id, ecosystem, author_type, labels, head_ref, base_ref, head_repository, draft,
       created_at, updated_at, closed_at, in_window,
       CASE WHEN in_window AND source = 'list' THEN 'list' ELSE 'linked' END AS source, fetched_at
FROM all_pulls
WHERE merged_at IS NOT NULL AND (in_window OR linked);
