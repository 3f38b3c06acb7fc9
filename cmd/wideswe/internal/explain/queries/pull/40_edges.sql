-- Edges of group, the refused ones too
SELECT a.repository || '#' || e.a_number AS a, b.repository || '#' || e.b_number AS b, e.score, e.relation, e.reciprocal,
       e.via_issue, round(e.gap_days, 1) AS gap_days, e.admitted, e.reason, e.evidence
FROM edges e JOIN repositories a ON a.repository_id = e.a_repository_id JOIN repositories b ON b.repository_id = e.b_repository_id
WHERE (a.repository = $1 AND e.a_number = $2) OR (b.repository = $1 AND e.b_number = $2)
ORDER BY e.admitted DESC, e.score DESC, a, b
