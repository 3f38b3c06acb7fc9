-- Edges among its pulls, those beside the chain too
SELECT a, b, relation, score, via_issue, round(gap_days, 1) AS gap_days, reason, evidence AS snippet
FROM edge_list WHERE candidate_id = $1 AND admitted ORDER BY score DESC, a, b
