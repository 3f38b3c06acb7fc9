-- Duplicates and proposals to consolidate
SELECT 'repeats ' || kept AS what, reason FROM duplicates WHERE candidate_id = $1
UNION ALL SELECT 'repeated by ' || candidate_id, reason FROM duplicates WHERE kept = $1
UNION ALL SELECT 'shares ' || shared || ' with ' || CASE a_candidate WHEN $1 THEN b_candidate ELSE a_candidate END, reason
FROM consolidation_proposals WHERE a_candidate = $1 OR b_candidate = $1
ORDER BY 1
