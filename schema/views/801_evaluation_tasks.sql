-- Grain: One row per run of an evaluation (model, mode, attempt) and task of the release, also where nothing ran.
-- Only filled in an evaluation's store: wideswe sql --evaluation OUT.
-- Key: model, mode, attempt, task_id.
-- From: evaluate *.
-- Columns:
--   kind: bugfix or feature.
--   status: State of the task: the most severe state of its targets; the states are those of evaluation_targets.
--   resolved: True where every target is resolved by the strict rule.
--   as_submitted: True where every target is resolved as submitted (the paper's rule); null in reports older than
--     rules version 6.
--   targets: Number of the task's targets.
--   targets_resolved: Number of targets that are resolved by the strict rule.
--   any_resolved: True where at least one target is resolved by the strict rule.
--   f2p: F2P tests of all its targets.
--   p2p: P2P tests of all its targets.
--   f2p_passed: F2P tests of all targets that passed as submitted.
--   p2p_passed: P2P tests of all targets that passed as submitted.
--   seconds: Seconds that the task took, from its first step to its verdict; 0 where nothing ran.
--   api_requests: Requests that the agent made; an independent task sums its runs; null where a prediction does not
--     say.
--   reason: Why the task has this status, in words; may be empty.
--   patched: Repositories that the prediction changes, targets and context; may be an empty list.
--   flags: What set the runs apart from one plain run of base, patch and hidden tests, in words; may be an empty
--     list.
-- Example: tasks by state and configuration.
--   SELECT configuration, status, count(*) AS tasks FROM evaluation_tasks GROUP BY ALL ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_tasks AS
WITH parts AS (
    SELECT model, mode, attempt, task_id, count(*) AS targets, count(*) FILTER (resolved) AS targets_resolved
    FROM evaluation_states WHERE target <> '' GROUP BY ALL
)
SELECT s.model, s.mode, s.attempt,
       s.model || ' ' || s.mode || CASE WHEN s.attempt > 1 THEN ', attempt ' || s.attempt ELSE '' END AS configuration,
       s.task_id, s.ecosystem, s.kind, s.status, s.resolved, s.as_submitted, coalesce(p.targets, 0) AS targets,
       coalesce(p.targets_resolved, 0) AS targets_resolved,
       coalesce(p.targets_resolved, 0) > 0 AS any_resolved, s.f2p_passed, s.f2p, s.p2p_passed, s.p2p, s.seconds,
       s.api_requests, s.reason, s.patched, s.flags, s.rules
FROM evaluation_states s
LEFT JOIN parts p ON p.model = s.model AND p.mode = s.mode AND p.attempt = s.attempt AND p.task_id = s.task_id
WHERE s.target = '';
