-- Task
SELECT task_id, kind, pattern, title FROM task_list WHERE candidate_id = $1 ORDER BY 1
