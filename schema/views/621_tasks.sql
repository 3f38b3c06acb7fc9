-- Grain: one row a task. status: assembled; dropped or validated by validate; selected by balance for a release.
-- Key: task_id.
-- From: assemble *; validate, balance status reason.
-- Example: tasks by status and kind.
--   SELECT status, kind, count(*) AS tasks FROM tasks GROUP BY status, kind ORDER BY tasks DESC
CREATE OR REPLACE VIEW tasks AS
SELECT t.task_id, t.candidate_id, t.kind,
       CASE WHEN s.selected THEN 'selected'
            WHEN o.status = 'done' THEN 'validated'
            WHEN o.status = 'skipped' THEN 'dropped'
            ELSE 'assembled' END AS status,
       t.ecosystem, t.pattern, t.title, t.change_type, t.languages, t.prompt_state,
       (SELECT count(*) FROM task_targets g WHERE g.task_id = t.task_id) AS targets,
       CASE WHEN s.selected THEN s.reason ELSE coalesce(o.reason, '') END AS reason
FROM task_list t
LEFT JOIN (SELECT item, status, reason FROM outcomes_latest WHERE stage = 'validate') o ON o.item = t.task_id
LEFT JOIN (SELECT task_id, bool_or(selected) AS selected, min(reason) AS reason FROM selections GROUP BY task_id) s ON s.task_id = t.task_id;
