-- Runs
SELECT repository, state, repeat, attempt, status, exit_code, timed_out, oom, round(seconds, 1) AS seconds, log
FROM test_runs WHERE task_id = $1 ORDER BY repository, state, repeat, attempt
