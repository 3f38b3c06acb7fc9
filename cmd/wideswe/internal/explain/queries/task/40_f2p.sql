-- Tests that are not P2P
SELECT repository, test_id, class, base, gold, missing_on_base, passed_before FROM test_transitions
WHERE task_id = $1 AND class <> 'P2P' ORDER BY class, repository, test_id LIMIT 200
