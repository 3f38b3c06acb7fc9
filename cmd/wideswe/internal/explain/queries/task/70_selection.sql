-- Selection
SELECT selected, pinned, position, reason FROM selections WHERE task_id = $1
