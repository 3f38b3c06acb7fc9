-- Grain: One row per model, mode and k, from 1 to the most attempts at any task: the share of tasks that k
-- attempts resolve. With n attempts of which c resolve a task, the chances are counted over all choices of k
-- attempts.
-- Key: model, mode, k.
-- From: evaluate *.
-- Columns:
--   k: Number of attempts that are drawn.
--   tasks: Tasks with at least k attempts; both means are over these.
--   pass_at_k: Mean chance that at least one of k attempts resolves the task: 1 - C(n-c, k) / C(n, k).
--   pass_all_k: Mean chance that all k attempts resolve the task: C(c, k) / C(n, k).
-- Example: pass@k.
--   SELECT model, mode, k, round(100 * pass_at_k, 2) AS percent, tasks FROM evaluation_pass_at ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_pass_at AS
WITH drawn AS (
    SELECT model, mode, task_id, attempts AS n, resolved AS c, unnest(range(1, attempts + 1)) AS k
        FROM evaluation_attempts WHERE attempts > 0
), chances AS (
    SELECT model, mode, k,
           CASE WHEN n - c < k THEN 1 ELSE 1 - coalesce(list_aggregate([1 - k / i::DOUBLE FOR i IN range(n - c + 1,
               n + 1)], 'product'), 1) END AS at_least_one,
           CASE WHEN c < k THEN 0 ELSE coalesce(list_aggregate([1 - k / i::DOUBLE FOR i IN range(c + 1, n + 1)],
               'product'), 1) END AS all_of_them
    FROM drawn
)
SELECT model, mode, k, count(*) AS tasks, avg(at_least_one) AS pass_at_k, avg(all_of_them) AS pass_all_k
FROM chances GROUP BY ALL;
