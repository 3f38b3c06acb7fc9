-- Chain from each pull to the anchor, step by step
{steps}, chain AS (
    SELECT x_id AS m_id, x AS m, 1 AS step, * FROM next
    UNION ALL
    SELECT c.m_id, c.m, c.step + 1, n.* FROM chain c JOIN next n ON n.x_id = c.y_id AND n.x = c.y
)
SELECT r.repository || '#' || m.number AS pull, c.step, x.repository || '#' || c.x AS from, y.repository || '#' || c.y AS to,
       coalesce(c.relation, CASE WHEN m.via = 'merged first' THEN 'the anchor: merged first' ELSE m.via END) AS relation,
       c.via_issue, c.score, c.reason, c.evidence AS snippet
FROM member m
JOIN repositories r ON r.repository_id = m.repository_id
LEFT JOIN chain c ON c.m_id = m.repository_id AND c.m = m.number
LEFT JOIN repositories x ON x.repository_id = c.x_id
LEFT JOIN repositories y ON y.repository_id = c.y_id
ORDER BY m.via <> 'merged first', pull, c.step
