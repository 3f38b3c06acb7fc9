-- Grain: One row per merged pull and commit that identifies it: its merge commit and its head.
-- Key: repository_id, number, sha.
-- From: crawl *.
-- Columns:
--   sha: Id of the commit.
--   short: The commit's first seven digits, to join with a shortened hash.
-- Example: the pull of a commit, by its first seven digits.
--   SELECT r.repository, c.number, c.sha FROM pull_commits c JOIN repositories r USING (repository_id)
--   WHERE c.short = (SELECT left(merge_commit_sha, 7) FROM pull_versions WHERE merged_at IS NOT NULL
--     ORDER BY merged_at DESC LIMIT 1)
CREATE OR REPLACE VIEW pull_commits AS
SELECT repository_id, number, sha, left(sha, 7) AS short
FROM (SELECT DISTINCT repository_id, number, unnest([merge_commit_sha, head_sha]) AS sha
      FROM pull_versions
      WHERE merged_at IS NOT NULL)
WHERE sha <> '';
