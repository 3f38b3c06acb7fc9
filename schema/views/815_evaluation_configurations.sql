-- Grain: one row a model and mode: its attempts summed up.
-- tasks_resolved_mean and targets_resolved_mean are shares of all tasks and all targets of the release, averaged over the attempts;
-- _variance is the sample variance of those shares between attempts, NULL for one attempt. incomplete: infra or missing remain.
-- resolved is the strict count; the _as_submitted_mean are the same shares by the paper's rule, NULL where an attempt's are not known.
-- Key: model, mode.
-- From: evaluate *.
-- Example: how much attempts differ.
--   SELECT model, mode, attempts, tasks_resolved_mean, sqrt(tasks_resolved_variance) AS deviation FROM evaluation_configurations ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_configurations AS
WITH each AS (
    SELECT model, mode, attempt, count(*) FILTER (target = '') AS tasks, count(*) FILTER (target <> '') AS targets,
           count(*) FILTER (target = '' AND resolved) AS tasks_resolved, count(*) FILTER (target <> '' AND resolved) AS targets_resolved,
           CASE WHEN count(as_submitted) = count(*) THEN count(*) FILTER (target = '' AND as_submitted) END AS tasks_as_submitted,
           CASE WHEN count(as_submitted) = count(*) THEN count(*) FILTER (target <> '' AND as_submitted) END AS targets_as_submitted,
           bool_or(status IN ('infra', 'missing')) AS incomplete
    FROM evaluation_states GROUP BY ALL
)
SELECT model, mode, count(*) AS attempts, max(tasks) AS tasks, max(targets) AS targets,
       avg(tasks_resolved / tasks::DOUBLE) AS tasks_resolved_mean, var_samp(tasks_resolved / tasks::DOUBLE) AS tasks_resolved_variance,
       min(tasks_resolved) AS tasks_resolved_least, max(tasks_resolved) AS tasks_resolved_most,
       avg(targets_resolved / targets::DOUBLE) AS targets_resolved_mean, var_samp(targets_resolved / targets::DOUBLE) AS targets_resolved_variance,
       CASE WHEN count(tasks_as_submitted) = count(*) THEN avg(tasks_as_submitted / tasks::DOUBLE) END AS tasks_as_submitted_mean,
       CASE WHEN count(targets_as_submitted) = count(*) THEN avg(targets_as_submitted / targets::DOUBLE) END AS targets_as_submitted_mean,
       bool_or(incomplete) AS incomplete
FROM each GROUP BY ALL;
