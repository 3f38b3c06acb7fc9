-- Grain: one row a file of an inspected pull, with its role.
-- Key: repository_id, number, path.
-- From: inspect *; crawl repository.
-- Example: what kinds of files companions change.
--   SELECT role, count(*) AS files, sum(additions) AS added, sum(deletions) AS deleted FROM files GROUP BY role ORDER BY files DESC
CREATE OR REPLACE VIEW files AS
SELECT r.repository, f.number, f.path, f.role, f.status, f.additions, f.deletions, f.previous_path, f.repository_id
FROM pull_files f
JOIN repositories r ON r.repository_id = f.repository_id;
