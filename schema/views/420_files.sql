-- Grain: one row a file of an inspected pull, with its role.
CREATE OR REPLACE VIEW files AS
SELECT r.repository, f.number, f.path, f.role, f.status, f.additions, f.deletions, f.previous_path, f.repository_id
FROM pull_files f
JOIN repositories r ON r.repository_id = f.repository_id;
