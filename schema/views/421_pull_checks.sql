-- Grain: one row an inspected pull: the checks of its files, and whether it may be part of a task.
-- Key: candidate_id, repository_id, number.
-- From: inspect *; group candidate_id; crawl repository.
-- Example: why pulls may not be part of a task.
--   SELECT reason, count(*) AS pulls FROM pull_checks WHERE NOT passes GROUP BY reason ORDER BY pulls DESC
CREATE OR REPLACE VIEW pull_checks AS
SELECT m.candidate_id, r.repository, f.number, f.reason = '' AS passes, f.reason,
       f.available, f.test_signal, f.source_signal, f.linux, f.files, f.files_complete, f.repository_id,
       f.flags, f.families
FROM pull_facts f
JOIN group_members m ON m.repository_id = f.repository_id AND m.number = f.number
JOIN repositories r ON r.repository_id = f.repository_id;
