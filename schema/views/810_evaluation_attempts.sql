-- Grain: one row a model, mode and task of the release: how many attempts there are, and how many resolve it.
-- attempts leaves out infra, which is no word on the agent; a missing prediction is an attempt that does not resolve.
-- resolved is the strict count, as_submitted the paper's rule, NULL where an attempt's is not known.
-- Key: model, mode, task_id.
-- From: evaluate *.
-- Example: tasks that some attempts resolve and others don't.
--   SELECT * FROM evaluation_attempts WHERE resolved BETWEEN 1 AND attempts - 1 ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_attempts AS
SELECT model, mode, task_id, count(*) FILTER (status <> 'infra') AS attempts, count(*) FILTER (resolved) AS resolved,
       CASE WHEN count(as_submitted) = count(*) THEN count(*) FILTER (as_submitted) END AS as_submitted,
       count(*) FILTER (status = 'infra') AS infra
FROM evaluation_states WHERE target = '' GROUP BY ALL;
