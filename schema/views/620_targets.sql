-- Grain: one row a target of a task: its commits, its patches' sizes, its tests by class.
-- runnable: every repeat of its tests reports on base and gold; eligible: and some test is F2P. Both NULL before it ran.
-- Key: task_id, repository.
-- From: assemble *; validate f2p p2p f2p_passed_before unstable unsettled tests runnable eligible.
-- Example: targets without a test that fails before and passes after.
--   SELECT task_id, repository, f2p, p2p, unstable FROM targets WHERE f2p = 0 ORDER BY task_id, repository
CREATE OR REPLACE VIEW targets AS
WITH tests AS (
    SELECT task_id, repository,
           count(*) FILTER (class = 'F2P') AS f2p, count(*) FILTER (class = 'F2P' AND passed_before) AS f2p_passed_before,
            count(*) FILTER (class = 'P2P') AS p2p,
           count(*) FILTER (class = 'unstable') AS unstable, count(*) FILTER (class = 'unsettled') AS unsettled,
           count(*) AS tests
    FROM test_transitions GROUP BY task_id, repository
), told AS (
    -- Gold has to end and to tell of tests; tests that do not compile, or hang, are an answer on base.
    SELECT task_id, repository, count(DISTINCT state) = 2 AND bool_and(status NOT IN ('no_report', 'inconsistent')
               AND NOT (status = 'build_failed' AND regexp_matches(detail, '^(wire|build) ended with '))
               AND NOT (state = 'gold' AND status IN ('timeout', 'build_failed'))) AS runnable
    FROM test_runs WHERE attempt = 1 GROUP BY task_id, repository
)
SELECT t.task_id, t.repository, t.base_commit, t.gold_commit,
       coalesce(tests.f2p, 0) AS f2p, coalesce(tests.p2p, 0) AS p2p,
       coalesce(tests.unstable, 0) AS unstable, coalesce(tests.tests, 0) AS tests,
       t.pulls, t.merge_commit, t.host_base_sha, t.base_tree, t.gold_tree, t.composed, t.base_time, t.license,
       len(t.gold_files) AS gold_files, len(t.hidden_files) AS hidden_files, t.repository_id,
       coalesce(tests.unsettled, 0) AS unsettled,
       coalesce(tests.f2p_passed_before, 0) AS f2p_passed_before, told.runnable, told.runnable AND coalesce(tests.f2p, 0) > 0 AS eligible
FROM task_targets t
LEFT JOIN told ON told.task_id = t.task_id AND told.repository = t.repository
LEFT JOIN tests ON tests.task_id = t.task_id AND tests.repository = t.repository;
