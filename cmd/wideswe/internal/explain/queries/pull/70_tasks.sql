-- Tasks that it is a part of
SELECT t.task_id, t.repository, t.base_commit, t.gold_commit, t.composed
FROM task_targets t WHERE t.repository = $1 AND list_contains(t.pulls, $2::INTEGER) ORDER BY 1
