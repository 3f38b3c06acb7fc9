-- Grain: One row per candidate and inspected pull: the checks of its files, and whether it may be part of a task.
-- Key: candidate_id, repository_id, number.
-- From: inspect *; group candidate_id; crawl repository.
-- Columns:
--   passes: True where every check holds.
--   reason: Which check fails: "no test change", for instance; empty where the pull passes.
--   available: True where the pull is merged and its files can be read.
--   test_signal: True where the pull adds or changes a test file.
--   source_signal: True where the pull changes a source file.
--   linux: False where the change is only for other platforms, such as iOS.
--   files: Number of files that the pull changes.
--   files_complete: False where the list stops at GitHub's limit of 3,000 files, or where the files could not be
--     read.
--   flags: What kind of pull it is, where that speaks against a coordinated change: backport, bot, mirror_import,
--     release or revert; an empty list where nothing does.
--   families: Language families of its production files, sorted; an empty list where it changes none.
-- Example: why pulls may not be part of a task.
--   SELECT reason, count(*) AS pulls FROM pull_checks WHERE NOT passes GROUP BY reason ORDER BY pulls DESC
CREATE OR REPLACE VIEW pull_checks AS
SELECT m.candidate_id, r.repository, f.number, f.reason = '' AS passes, f.reason,
       f.available, f.test_signal, f.source_signal, f.linux, f.files, f.files_complete, f.repository_id,
       f.flags, f.families
FROM pull_facts f
JOIN group_members m ON m.repository_id = f.repository_id AND m.number = f.number
JOIN repositories r ON r.repository_id = f.repository_id;
