-- How it ended in each stage
SELECT stage, status, reason, recorded_at FROM outcomes_latest WHERE item = $1 ORDER BY recorded_at
