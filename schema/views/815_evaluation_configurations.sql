-- Grain: one row a model and mode: its attempts summed up.
-- tasks_resolved_mean and targets_resolved_mean are shares of all tasks and all targets of the release, averaged over the attempts;
-- _variance is the sample variance of those shares between attempts, NULL for one attempt. incomplete: infra or missing remain.
-- Key: model, mode.
-- From: evaluate *.
-- Example: how much attempts differ.
--   SELECT model, mode, attempts, tasks_resolved_mean, sqrt(tasks_resolved_variance) AS deviation FROM evaluation_configurations ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_configurations AS
WITH each AS (
    SELECT model, mode, attempt, count(*) FILTER (target = '') AS tasks, count(*) FILTER (target <> '') AS targets,
           count(*) FILTER (target = '' AND resolved) AS tasks_resolved, count(*) FILTER (target <> '' AND resolved) AS targets_resolved,
           bool_or(status IN ('infra', 'missing')) AS incomplete
    FROM evaluation_states GROUP BY ALL
)
SELECT model, mode, count(*) AS attempts, max(tasks) AS tasks, max(targets) AS targets,
       avg(tasks_resolved / tasks::DOUBLE) AS tasks_resolved_mean, var_samp(tasks_resolved / tasks::DOUBLE) AS tasks_resolved_variance,
       min(tasks_resolved) AS tasks_resolved_least, max(tasks_resolved) AS tasks_resolved_most,
       avg(targets_resolved / targets::DOUBLE) AS targets_resolved_mean, var_samp(targets_resolved / targets::DOUBLE) AS targets_resolved_variance,
       bool_or(incomplete) AS incomplete
FROM each GROUP BY ALL;
