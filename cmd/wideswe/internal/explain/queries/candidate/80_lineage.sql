-- Lineage
SELECT old_candidate, new_candidate, added, removed, recorded_at FROM lineage
WHERE old_candidate = $1 OR new_candidate = $1 ORDER BY recorded_at
