-- Grain: One row per model, mode and task of the release: how many attempts there are, and how many resolve it.
-- Key: model, mode, task_id.
-- From: evaluate *.
-- Columns:
--   attempts: Attempts that count: all but those with status infra; a missing prediction counts as an attempt.
--   resolved: Attempts that resolve the task by the strict rule.
--   as_submitted: Attempts that resolve the task as submitted (the paper's rule); null where that is not known of
--     every attempt.
--   infra: Attempts that hit infrastructure errors and are not scored.
-- Example: tasks that some attempts resolve and others don't.
--   SELECT * FROM evaluation_attempts WHERE resolved BETWEEN 1 AND attempts - 1 ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_attempts AS
SELECT model, mode, task_id, count(*) FILTER (status <> 'infra') AS attempts, count(*) FILTER (resolved) AS resolved,
       CASE WHEN count(as_submitted) = count(*) THEN count(*) FILTER (as_submitted) END AS as_submitted,
       count(*) FILTER (status = 'infra') AS infra
FROM evaluation_states WHERE target = '' GROUP BY ALL;
