-- Every test outcome and run status is a known word, and every outcome belongs to a run.
SELECT 'outcome' AS what, o.run_id, o.test_id, o.outcome AS value
FROM test_outcomes o LEFT JOIN test_runs r USING (run_id)
WHERE o.outcome NOT IN ('pass', 'fail', 'error', 'skip', 'not_run', 'missing') OR r.run_id IS NULL
UNION ALL
SELECT 'run', run_id, '', status FROM test_runs
WHERE status NOT IN ('ok', 'build_failed', 'timeout', 'crashed', 'no_report', 'inconsistent') OR state NOT IN ('base', 'gold');
