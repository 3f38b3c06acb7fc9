-- Grain: one row a run (model, mode, attempt) of an evaluation and task of the release: its verdict, missing and infra too.
-- resolved is strict: as submitted and in the second run; as_submitted is the paper's rule alone. rules is the version of the rules that
-- the verdict follows; before version 6 as_submitted is NULL: not known.
-- any_resolved says that at least one target is. api_requests is NULL where the prediction does not say; an independent task's is
-- the sum of its runs'.
-- Key: model, mode, attempt, task_id.
-- From: evaluate *.
-- Example: tasks by state and configuration.
--   SELECT configuration, status, count(*) AS tasks FROM evaluation_tasks GROUP BY ALL ORDER BY ALL
CREATE OR REPLACE VIEW evaluation_tasks AS
WITH parts AS (
    SELECT model, mode, attempt, task_id, count(*) AS targets, count(*) FILTER (resolved) AS targets_resolved
    FROM evaluation_states WHERE target <> '' GROUP BY ALL
)
SELECT s.model, s.mode, s.attempt, s.model || ' ' || s.mode || CASE WHEN s.attempt > 1 THEN ', attempt ' || s.attempt ELSE '' END AS configuration,
       s.task_id, s.ecosystem, s.kind, s.status, s.resolved, s.as_submitted, coalesce(p.targets, 0) AS targets, coalesce(p.targets_resolved, 0) AS targets_resolved,
       coalesce(p.targets_resolved, 0) > 0 AS any_resolved, s.f2p_passed, s.f2p, s.p2p_passed, s.p2p, s.seconds, s.api_requests, s.reason, s.patched, s.flags, s.rules
FROM evaluation_states s
LEFT JOIN parts p ON p.model = s.model AND p.mode = s.mode AND p.attempt = s.attempt AND p.task_id = s.task_id
WHERE s.target = '';
