-- Targets
SELECT repository, pulls, base_commit, gold_commit, composed, license, hidden_files
FROM task_targets WHERE task_id = $1 ORDER BY repository
