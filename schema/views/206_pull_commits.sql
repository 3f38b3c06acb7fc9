-- Grain: one row a merged pull and commit that stands for it: its merge commit and its head.
CREATE OR REPLACE VIEW pull_commits AS
SELECT DISTINCT repository_id, number, unnest([merge_commit_sha, head_sha]) AS sha
FROM pull_versions
WHERE merged_at IS NOT NULL;
