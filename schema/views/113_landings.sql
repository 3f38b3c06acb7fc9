-- Grain: One row per pull that a bot landed and GitHub shows as closed, with the commit that landed it; empty
-- without crawl.landed_by_bot.
-- Key: repository_id, number.
-- From: crawl *.
-- Columns:
--   commit_sha: Commit on the default branch that names the pull.
--   landed_at: Committer date of that commit (UTC).
--   author: Login of the commit's author; empty where GitHub knows none.
--   committer: Login of the committer; empty where GitHub knows none.
--   trailer: Words before the colon in the line of the commit message that names the pull.
-- Example: landed pulls, by repository and who committed them.
--   SELECT repository, committer, count(*) AS pulls FROM landings GROUP BY ALL
--     ORDER BY pulls DESC, repository, committer
CREATE OR REPLACE VIEW landings AS
SELECT r.repository, l.number, l.commit_sha, l.landed_at, l.author, l.committer, l.trailer, l.repository_id, r.ecosystem
FROM pull_landings l
JOIN repositories r ON r.repository_id = l.repository_id AND r.state <> 'gone';
