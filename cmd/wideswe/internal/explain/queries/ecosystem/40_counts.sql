-- What became of its pulls
SELECT pulls, bot_pulls, first_merged_at, latest_merged_at, linked_pulls, links, edges, edges_refused, campaigns, candidates, duplicates,
       inspected_kept, accepted, tasks, records_kept AS paper_records
FROM ecosystem_summary WHERE ecosystem = $1 AND repositories > 0
