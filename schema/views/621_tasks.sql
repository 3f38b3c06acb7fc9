-- Grain: One row per task.
-- Key: task_id.
-- From: assemble *; validate, balance status reason; validate runnable eligible valid_until.
-- Columns:
--   candidate_id: Id of the candidate that the task was made from.
--   kind: bugfix or feature.
--   status: assembled (not validated yet), validated or dropped (by validate), or selected (by balance, for a
--     release).
--   title: Title of the pull that was merged first.
--   change_type: What the gold patch changes: runtime, protocol, schema, sdk, forwarding (a few lines that pass
--     something on) or other (no production source).
--   languages: Language families of the production files that the gold patch changes, sorted; an empty list where it
--     changes none.
--   prompt_state: draft (written by assemble) or edited (by a person, in prompts/).
--   targets: Number of repositories that must change.
--   reason: Why balance selected the task, or why validate dropped it; may be empty.
--   runnable: True where every target is runnable; null before validate.
--   eligible: True where every target is eligible; null before validate.
--   valid_until: First day on which an F2P or P2P test is known to break, by validate --stress; null where none is
--     known.
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
       CASE WHEN s.selected THEN s.reason ELSE coalesce(o.reason, '') END AS reason,
       CASE WHEN o.status IS NOT NULL THEN coalesce(g.runnable, false) END AS runnable,
       CASE WHEN o.status IS NOT NULL THEN coalesce(g.eligible, false) END AS eligible,
       v.valid_until
FROM task_list t
LEFT JOIN (SELECT task_id, bool_and(coalesce(runnable, false)) AS runnable,
                  bool_and(coalesce(eligible, false)) AS eligible
           FROM targets GROUP BY task_id) g ON g.task_id = t.task_id
LEFT JOIN (SELECT r.task_id, min(r.started_at + to_days(r.shift_days))::DATE AS valid_until
           FROM stress_outcomes s
           JOIN stress_runs r ON r.task_id = s.task_id AND r.repository = s.repository AND r.variant = s.variant
               AND r.try = 1
           JOIN test_transitions c ON c.task_id = s.task_id AND c.repository = s.repository AND c.test_id = s.test_id
           WHERE s.variant = 'clock' AND s.outcome = 'breaks' AND c.class IN ('F2P', 'P2P')
           GROUP BY r.task_id) v ON v.task_id = t.task_id
LEFT JOIN (SELECT item, status, reason FROM outcomes_latest WHERE stage = 'validate') o ON o.item = t.task_id
LEFT JOIN (SELECT task_id, bool_or(selected) AS selected, min(reason) AS reason FROM selections
    GROUP BY task_id) s ON s.task_id = t.task_id;
