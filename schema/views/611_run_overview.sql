-- Grain: One row per task, target and state (base or gold): how its test runs went.
-- Key: task_id, repository, state.
-- From: validate *.
-- Columns:
--   state: base (base commit and hidden tests) or gold (base and gold patch).
--   repeats: Number of repeats that ran.
--   reruns: Further runs, for tests that a run did not reach.
--   status: How the repeats ended: ok, build_failed, timeout, crashed, no_report or inconsistent; several words, with
--     commas between, where they differ.
--   tests: Number of different tests that the runs reported.
--   longest_seconds: Seconds of the longest repeat, without reruns.
--   total_seconds: Seconds of all runs together.
--   timed_out: True where a repeat met its time limit.
--   oom: True where a repeat ran out of memory.
--   limits_met: The limits that a repeat met, with spaces between: disk, memory, output, processes, time; null where
--     it met none.
--   detail: Why the first repeat that says so ended with its status; empty where none says.
-- Example: the slowest runs.
--   SELECT task_id, repository, state, status, tests, longest_seconds FROM run_overview ORDER BY longest_seconds DESC
--     LIMIT 20
CREATE OR REPLACE VIEW run_overview AS
WITH firsts AS (
    SELECT task_id, repository, state, count(*) AS repeats,
           array_to_string(list_distinct(list(status ORDER BY repeat)), ',') AS status,
           max(seconds) AS longest_seconds, bool_or(timed_out) AS timed_out, bool_or(oom) AS oom,
           array_to_string(list_sort(list_distinct(flatten(list(string_split(nullif(limits_met, ''), ' '))))),
               ' ') AS limits_met,
           coalesce(arg_min(detail, repeat) FILTER (WHERE detail <> ''), '') AS detail
    FROM test_runs WHERE attempt = 1 GROUP BY ALL
),
totals AS (
    SELECT task_id, repository, state, count(*) AS runs, sum(seconds) AS total_seconds FROM test_runs GROUP BY ALL
),
tests AS (
    SELECT task_id, repository, state, count(DISTINCT test_id) AS tests FROM test_outcomes GROUP BY ALL
)
SELECT f.task_id, f.repository, f.state, f.repeats, t.runs - f.repeats AS reruns, f.status,
       coalesce(n.tests, 0) AS tests,
       f.longest_seconds, t.total_seconds, f.timed_out, f.oom, f.limits_met, f.detail
FROM firsts f
JOIN totals t USING (task_id, repository, state)
LEFT JOIN tests n USING (task_id, repository, state)
ORDER BY f.task_id, f.repository, f.state;
