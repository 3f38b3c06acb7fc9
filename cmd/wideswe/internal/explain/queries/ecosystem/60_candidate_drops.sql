-- Where candidates drop out, and why
SELECT status, regexp_replace(reason, ' [a-z2-7]{16}$', '') AS why, count(*) AS candidates, min(candidate_id) AS for_instance
FROM candidate_overview WHERE ecosystem = $1 AND status IN ('duplicate', 'dropped', 'rejected') GROUP BY ALL ORDER BY candidates DESC, status, why
