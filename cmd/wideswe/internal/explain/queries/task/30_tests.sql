-- Tests by class
SELECT repository, class, count(*) AS tests FROM test_transitions WHERE task_id = $1 GROUP BY ALL ORDER BY ALL
