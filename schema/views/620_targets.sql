-- Grain: One row per task and target: its commits, the size of its patches, and its tests by class.
-- Key: task_id, repository.
-- From: assemble *; validate f2p p2p f2p_passed_before unstable unsettled tests runnable eligible.
-- Columns:
--   base_commit: Commit that the task starts from: the merge base of the first pull, or the first parent of its merge
--     commit where its head is gone.
--   gold_commit: Commit whose tree is the solution: the head of the last pull, or its merge commit where the head is
--     gone.
--   f2p: F2P tests: they fail on base and pass on gold, in every repeat; 0 before validate.
--   p2p: P2P tests: they pass on base and on gold, in every repeat; 0 before validate.
--   unstable: Tests whose outcome differs between repeats or under stress; 0 before validate.
--   tests: All tests that validate saw, of any class; 0 before validate.
--   pulls: Numbers of the pulls, in merge order.
--   merge_commit: Commit that merged the last of the pulls.
--   host_base_sha: Base commit as GitHub recorded it for the first pull. Kept to compare; the task does not use it.
--   base_tree: Git tree of the base commit.
--   gold_tree: Git tree of the solution; base with gold patch and hidden tests gives exactly this tree.
--   composed: True where the solution combines several pulls.
--   base_time: Committer date of the base commit (UTC).
--   license: SPDX id of the license; empty where GitHub recognizes none.
--   gold_files: Number of files that the gold patch changes.
--   hidden_files: Number of files that the hidden tests touch.
--   runnable: True where every run on base and gold says how its tests ended; null before validate.
--   eligible: True where the target is runnable and has an F2P test; null before validate.
--   unsettled: Tests that pass on gold and whose outcome on base no rerun could tell; 0 before validate.
--   f2p_passed_before: F2P tests that base passed with its own test files, where it could not build the hidden ones:
--     they guard what worked, the other F2P tests are new behaviour; 0 before validate.
-- Example: targets without a test that fails before and passes after.
--   SELECT task_id, repository, f2p, p2p, unstable FROM targets WHERE f2p = 0 ORDER BY task_id, repository
CREATE OR REPLACE VIEW targets AS
WITH tests AS (
    SELECT task_id, repository,
           count(*) FILTER (class = 'F2P') AS f2p,
           count(*) FILTER (class = 'F2P' AND passed_before) AS f2p_passed_before,
           count(*) FILTER (class = 'P2P') AS p2p,
           count(*) FILTER (class = 'unstable') AS unstable, count(*) FILTER (class = 'unsettled') AS unsettled,
           count(*) AS tests
    FROM test_transitions GROUP BY task_id, repository
), reported AS (
    -- Gold has to end and to report tests. On base, tests that do not compile or that hang are an answer.
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
       reported.runnable, reported.runnable AND coalesce(tests.f2p, 0) > 0 AS eligible,
       coalesce(tests.unsettled, 0) AS unsettled, coalesce(tests.f2p_passed_before, 0) AS f2p_passed_before
FROM task_targets t
LEFT JOIN reported ON reported.task_id = t.task_id AND reported.repository = t.repository
LEFT JOIN tests ON tests.task_id = t.task_id AND tests.repository = t.repository;
