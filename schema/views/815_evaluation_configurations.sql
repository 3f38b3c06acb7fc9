-- Grain: One row per model and mode, summed up over its attempts.
-- Key: model, mode.
-- From: evaluate *.
-- Columns:
--   attempts: Number of attempts.
--   tasks: Tasks of the release.
--   targets: Targets of the release.
--   tasks_resolved_mean: Share of all tasks that an attempt resolves (strict), from 0 to 1, averaged over the
--     attempts.
--   tasks_resolved_variance: Sample variance of that share between attempts; null for a single attempt.
--   tasks_resolved_least: Tasks that the weakest attempt resolves.
--   tasks_resolved_most: Tasks that the strongest attempt resolves.
--   targets_resolved_mean: Share of all targets that an attempt resolves (strict), from 0 to 1, averaged over the
--     attempts.
--   targets_resolved_variance: Sample variance of that share between attempts; null for a single attempt.
--   tasks_as_submitted_mean: tasks_resolved_mean by the paper's rule; null where an attempt's count is not known.
--   targets_as_submitted_mean: targets_resolved_mean by the paper's rule; null where an attempt's count is not known.
--   incomplete: True where a task is infra or missing, so that the figures may still change.
-- Example: how much the attempts differ.
--   SELECT model, mode, attempts, tasks_resolved_mean, sqrt(tasks_resolved_variance) AS deviation
--     FROM evaluation_configurations ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_configurations AS
WITH each AS (
    SELECT model, mode, attempt, count(*) FILTER (target = '') AS tasks, count(*) FILTER (target <> '') AS targets,
           count(*) FILTER (target = '' AND resolved) AS tasks_resolved,
           count(*) FILTER (target <> '' AND resolved) AS targets_resolved,
           CASE WHEN count(as_submitted) = count(*) THEN count(*)
               FILTER (target = '' AND as_submitted) END AS tasks_as_submitted,
           CASE WHEN count(as_submitted) = count(*) THEN count(*)
               FILTER (target <> '' AND as_submitted) END AS targets_as_submitted,
           bool_or(status IN ('infra', 'missing')) AS incomplete
    FROM evaluation_states GROUP BY ALL
)
SELECT model, mode, count(*) AS attempts, max(tasks) AS tasks, max(targets) AS targets,
       avg(tasks_resolved / tasks::DOUBLE) AS tasks_resolved_mean,
       var_samp(tasks_resolved / tasks::DOUBLE) AS tasks_resolved_variance,
       min(tasks_resolved) AS tasks_resolved_least, max(tasks_resolved) AS tasks_resolved_most,
       avg(targets_resolved / targets::DOUBLE) AS targets_resolved_mean,
       var_samp(targets_resolved / targets::DOUBLE) AS targets_resolved_variance,
       CASE WHEN count(tasks_as_submitted) = count(*) THEN avg(tasks_as_submitted / tasks::DOUBLE) END
           AS tasks_as_submitted_mean,
       CASE WHEN count(targets_as_submitted) = count(*) THEN avg(targets_as_submitted / targets::DOUBLE) END
           AS targets_as_submitted_mean,
       bool_or(incomplete) AS incomplete
FROM each GROUP BY ALL;
