-- Grain: One row per file that an inspected pull changes, with its role.
-- Key: repository_id, number, path.
-- From: inspect *; crawl repository.
-- Columns:
--   path: Path of the file in the repository.
--   role: What the file is, by its path: source, test, fixture, docs, config, build, generated or vendored.
--   status: added, modified, removed, renamed, copied or changed, as GitHub says.
--   additions: Lines added; 0 for binary files.
--   deletions: Lines deleted; 0 for binary files.
--   previous_path: Earlier path of a renamed or copied file; otherwise empty.
-- Example: files by role.
--   SELECT role, count(*) AS files, sum(additions) AS added, sum(deletions) AS deleted FROM files GROUP BY role
--     ORDER BY files DESC
CREATE OR REPLACE VIEW files AS
SELECT r.repository, f.number, f.path, f.role, f.status, f.additions, f.deletions, f.previous_path, f.repository_id
FROM pull_files f
JOIN repositories r ON r.repository_id = f.repository_id;
