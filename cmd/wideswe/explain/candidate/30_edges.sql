-- Edges among and around its pulls
SELECT DISTINCT a.repository || '#' || e.a_number AS a, b.repository || '#' || e.b_number AS b, e.score, e.relation, e.via_issue,
       round(e.gap_days, 1) AS gap_days, e.admitted, e.reason, e.evidence
FROM edges e JOIN repositories a ON a.repository_id = e.a_repository_id JOIN repositories b ON b.repository_id = e.b_repository_id
WHERE EXISTS (SELECT 1 FROM group_members m WHERE m.candidate_id = $1 AND
       ((m.repository_id = e.a_repository_id AND m.number = e.a_number) OR (m.repository_id = e.b_repository_id AND m.number = e.b_number)))
ORDER BY e.admitted DESC, e.score DESC, a, b
