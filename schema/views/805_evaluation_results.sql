-- Grain: One row per run of an evaluation (model, mode, attempt), task, target and F2P or P2P test, where the
-- target's tests ran.
-- Key: model, mode, attempt, task_id, repository, class, test_id.
-- From: evaluate *.
-- Columns:
--   class: F2P or P2P.
--   outcome: Outcome as submitted: pass, fail, error, skip, not_run (the run did not reach it) or missing (not
--     reported).
--   passed: True where the outcome is a pass that counts, which needs run_status ok or crashed.
--   run_status: How the run ended: ok, build_failed, timeout, crashed, no_report or inconsistent.
--   guarded_outcome: Outcome in the second run; null where there was none.
--   message: What the test printed, its last 4,000 bytes; may be empty.
-- Example: the tests that fail most configurations.
--   SELECT task_id, repository, test_id, count(*) FILTER (passed) AS passed, count(*) AS runs FROM evaluation_results
--   GROUP BY ALL ORDER BY passed, task_id, repository, test_id LIMIT 20
CREATE OR REPLACE VIEW evaluation_results AS
SELECT t.model, t.mode, t.attempt,
       t.model || ' ' || t.mode || CASE WHEN t.attempt > 1 THEN ', attempt ' || t.attempt ELSE '' END AS configuration,
       t.task_id, t.target AS repository, t.class, t.test_id, t.outcome,
       t.outcome = 'pass' AND r.status IN ('ok', 'crashed') AS passed,
       r.status AS run_status, g.outcome AS guarded_outcome, t.message
FROM evaluation_tests t
JOIN evaluation_runs r ON r.task_id = t.task_id AND r.model = t.model AND r.mode = t.mode AND r.attempt = t.attempt
    AND r.target = t.target AND r.variant = t.variant
LEFT JOIN evaluation_tests g ON g.task_id = t.task_id AND g.model = t.model AND g.mode = t.mode
    AND g.attempt = t.attempt AND g.target = t.target
    AND g.class = t.class AND g.test_id = t.test_id AND g.variant = 'base_config'
WHERE t.variant = 'submitted';
