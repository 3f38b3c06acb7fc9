-- Grain: one row a pull that a bot landed and GitHub shows as closed, with the commit that says so; empty without crawl.landed_by_bot.
-- Key: repository_id, number.
-- From: crawl *.
-- Example: landed pulls, by repository and who committed them.
--   SELECT repository, committer, count(*) AS pulls FROM landings GROUP BY ALL ORDER BY pulls DESC, repository, committer
CREATE OR REPLACE VIEW landings AS
SELECT r.repository, l.number, l.commit_sha, l.landed_at, l.author, l.committer, l.trailer, l.repository_id, r.ecosystem
FROM pull_landings l
JOIN repositories r ON r.repository_id = l.repository_id AND r.state <> 'gone';
