-- Grain: one row a model, mode and k, from 1 to the most attempts of a task: what k attempts would resolve.
-- With n attempts of which c resolve a task: pass_at_k = 1 - C(n-c, k) / C(n, k), the chance that at least one of k attempts drawn
-- from them resolves it, and pass_all_k = C(c, k) / C(n, k), that all k do; both are means over the tasks that have k attempts.
-- Key: model, mode, k.
-- From: evaluate *.
-- Example: pass@k.
--   SELECT model, mode, k, round(100 * pass_at_k, 2) AS percent, tasks FROM evaluation_pass_at ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_pass_at AS
WITH drawn AS (
    SELECT model, mode, task_id, attempts AS n, resolved AS c, unnest(range(1, attempts + 1)) AS k FROM evaluation_attempts WHERE attempts > 0
), chances AS (
    SELECT model, mode, k,
           CASE WHEN n - c < k THEN 1 ELSE 1 - coalesce(list_aggregate([1 - k / i::DOUBLE FOR i IN range(n - c + 1, n + 1)], 'product'), 1) END AS at_least_one,
           CASE WHEN c < k THEN 0 ELSE coalesce(list_aggregate([1 - k / i::DOUBLE FOR i IN range(c + 1, n + 1)], 'product'), 1) END AS all_of_them
    FROM drawn
)
SELECT model, mode, k, count(*) AS tasks, avg(at_least_one) AS pass_at_k, avg(all_of_them) AS pass_all_k
FROM chances GROUP BY ALL;
