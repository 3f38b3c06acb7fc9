-- Edges among its pulls beside the chain
{steps}
SELECT l.a, l.b, l.relation, l.score, l.via_issue, round(l.gap_days, 1) AS gap_days, l.reason, l.evidence AS snippet
FROM edge_list l
ANTI JOIN (SELECT x_id, x, y_id, y FROM next UNION ALL SELECT y_id, y, x_id, x FROM next) n
    ON n.x_id = l.a_repository_id AND n.x = l.a_number AND n.y_id = l.b_repository_id AND n.y = l.b_number
WHERE l.candidate_id = $1 AND l.admitted ORDER BY l.score DESC, l.a, l.b
