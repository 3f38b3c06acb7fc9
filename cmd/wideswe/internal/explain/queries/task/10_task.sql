-- Task
SELECT t.task_id, t.candidate_id, t.ecosystem, t.kind, t.pattern, t.title, t.languages, t.change_type, t.prompt_state
FROM task_list t WHERE t.task_id = $1
