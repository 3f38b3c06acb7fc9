-- A task that validate finished has at least one F2P test in every target.
SELECT t.task_id, t.repository
FROM task_targets t
JOIN outcomes_latest o ON o.stage = 'validate' AND o.item = t.task_id AND o.status = 'done'
WHERE NOT EXISTS (SELECT 1 FROM test_transitions x WHERE x.task_id = t.task_id AND x.repository = t.repository AND x.class = 'F2P');
