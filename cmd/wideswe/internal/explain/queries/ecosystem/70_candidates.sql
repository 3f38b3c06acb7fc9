-- Candidates that stay
SELECT candidate_id, status, score, span_days, pulls_named AS pulls FROM candidate_overview
WHERE ecosystem = $1 AND status NOT IN ('duplicate', 'dropped', 'rejected') ORDER BY latest_merged_at DESC, candidate_id LIMIT 50
