-- How it ended in each stage that works on ecosystems
SELECT stage, status, reason, recorded_at FROM outcomes_latest WHERE item = $1 AND stage IN ('rank', 'crawl', 'group', 'dedupe') ORDER BY recorded_at, stage
