-- Grain: One row per task, target and test: its outcomes on base and gold over the repeats, and the class that
-- follows. Reruns fill in only what the first run of a repeat did not reach.
-- Key: task_id, repository, test_id.
-- From: validate *.
-- Columns:
--   base: Its outcome on base: one word where all repeats agree, otherwise one per repeat, with commas between. The
--     words are pass, fail, error, skip, not_run (not reached) and missing (not reported).
--   gold: Its outcome on gold, written like base.
--   class: F2P, P2P, F2F, P2F, S2P (skipped on base), skipped (on gold), unstable, unsettled or gold_missing;
--     schema/doc.go defines each.
--   missing_on_base: True where base did not report the test in any repeat.
--   repeats: Number of repeats that ran on both base and gold.
--   passed_before: True where base could not build the hidden tests and passed this one with its own test files.
-- Example: tests by class.
--   SELECT class, count(*) AS tests, count(*) FILTER (missing_on_base) AS missing_on_base FROM test_transitions
--     GROUP BY class ORDER BY tests DESC
CREATE OR REPLACE VIEW test_transitions AS
WITH first_runs AS (
    SELECT task_id, repository, state, repeat, status FROM test_runs WHERE attempt = 1
),
repeats AS (
    -- Repeats that ran on both base and gold.
    SELECT task_id, repository, repeat FROM first_runs GROUP BY ALL HAVING count(DISTINCT state) = 2
),
settled AS (
    SELECT o.task_id, o.repository, o.state, o.repeat, o.test_id,
           coalesce(arg_min(o.outcome, r.attempt) FILTER (WHERE o.outcome <> 'not_run'), 'not_run') AS outcome
    FROM test_outcomes o JOIN test_runs r USING (run_id)
    GROUP BY ALL
),
tests AS (
    SELECT DISTINCT task_id, repository, test_id FROM test_outcomes
),
grid AS (
    SELECT t.task_id, t.repository, t.test_id, f.state, f.repeat,
           CASE WHEN f.status IN ('inconsistent', 'no_report') THEN 'not_run'
               ELSE coalesce(s.outcome, 'missing') END AS outcome
    FROM tests t
    JOIN repeats p USING (task_id, repository)
    JOIN first_runs f ON f.task_id = t.task_id AND f.repository = t.repository AND f.repeat = p.repeat
    LEFT JOIN settled s ON s.task_id = t.task_id AND s.repository = t.repository AND s.test_id = t.test_id
        AND s.state = f.state AND s.repeat = f.repeat
),
sides AS (
    SELECT task_id, repository, test_id,
           list(outcome ORDER BY repeat) FILTER (WHERE state = 'base') AS bases,
           list(outcome ORDER BY repeat) FILTER (WHERE state = 'gold') AS golds,
           count(*) FILTER (WHERE state = 'gold') AS n,
           count(*) FILTER (WHERE state = 'base' AND outcome = 'pass') AS base_pass,
           count(*) FILTER (WHERE state = 'base' AND outcome = 'skip') AS base_skip,
           count(*) FILTER (WHERE state = 'base' AND outcome = 'not_run') AS base_not_run,
           count(*) FILTER (WHERE state = 'base' AND outcome = 'missing') AS base_missing,
           count(*) FILTER (WHERE state = 'gold' AND outcome = 'pass') AS gold_pass,
           count(*) FILTER (WHERE state = 'gold' AND outcome = 'skip') AS gold_skip,
           count(*) FILTER (WHERE state = 'gold' AND outcome IN ('fail', 'error')) AS gold_fail,
           count(*) FILTER (WHERE state = 'gold' AND outcome = 'not_run') AS gold_not_run,
           count(*) FILTER (WHERE state = 'gold' AND outcome = 'missing') AS gold_missing
    FROM grid GROUP BY ALL
)
SELECT g.task_id, g.repository, g.test_id,
       -- One word where all repeats agree, otherwise one per repeat.
       CASE WHEN len(list_distinct(bases)) = 1 THEN bases[1] ELSE array_to_string(bases, ',') END AS base,
       CASE WHEN len(list_distinct(golds)) = 1 THEN golds[1] ELSE array_to_string(golds, ',') END AS gold,
       CASE
           WHEN gold_not_run > 0 THEN 'unstable'
           WHEN gold_missing = n THEN 'gold_missing'
           WHEN gold_skip = n THEN 'skipped'
           WHEN gold_pass = n AND s.shaken THEN 'unstable'
           WHEN gold_pass = n AND base_pass = n THEN 'P2P'
           WHEN gold_pass = n AND base_pass = 0 AND base_not_run = 0 AND base_skip > 0 THEN 'S2P'
           WHEN gold_pass = n AND base_pass = 0 AND base_not_run = 0 THEN 'F2P'
           WHEN gold_pass = n AND base_pass = 0 AND base_not_run > 0 THEN 'unsettled'
           WHEN gold_fail = n AND base_pass = n THEN 'P2F'
           WHEN gold_fail = n AND base_pass = 0 AND base_not_run = 0 THEN 'F2F'
           ELSE 'unstable'
       END AS class,
       base_missing = n AS missing_on_base,
       n AS repeats,
       p.test_id IS NOT NULL AS passed_before
FROM sides g
LEFT JOIN (SELECT DISTINCT task_id, repository, test_id FROM passed_before) p
    ON p.task_id = g.task_id AND p.repository = g.repository AND p.test_id = g.test_id
LEFT JOIN test_stability s ON s.task_id = g.task_id AND s.repository = g.repository AND s.test_id = g.test_id;
