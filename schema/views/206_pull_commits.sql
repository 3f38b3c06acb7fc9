-- Grain: one row a merged pull and commit that stands for it: its merge commit and its head.
-- short, the first seven digits, lets a join find what a written hash begins.
CREATE OR REPLACE VIEW pull_commits AS
SELECT repository_id, number, sha, left(sha, 7) AS short
FROM (SELECT DISTINCT repository_id, number, unnest([merge_commit_sha, head_sha]) AS sha
      FROM pull_versions
      WHERE merged_at IS NOT NULL)
WHERE sha <> '';
