-- Chain from each pull to the anchor, step by step
WITH RECURSIVE member AS (
    SELECT repository_id, number, via FROM group_members WHERE candidate_id = $1
), tie AS (
    SELECT e.* FROM (
        SELECT a_repository_id AS x_id, a_number AS x, b_repository_id AS y_id, b_number AS y, score, relation, via_issue, reason, evidence
        FROM edges WHERE admitted
        UNION ALL
        SELECT b_repository_id, b_number, a_repository_id, a_number, score, relation, via_issue, reason, evidence
        FROM edges WHERE admitted) e
    JOIN member m ON m.repository_id = e.x_id AND m.number = e.x
    JOIN member n ON n.repository_id = e.y_id AND n.number = e.y
), reach AS (
    SELECT repository_id, number, 0 AS steps FROM member WHERE via = 'merged first'
    UNION
    SELECT t.y_id, t.y, r.steps + 1 FROM reach r JOIN tie t ON t.x_id = r.repository_id AND t.x = r.number
    WHERE r.steps < (SELECT count(*) FROM member)
), near AS (
    SELECT repository_id, number, min(steps) AS steps FROM reach GROUP BY ALL
), next AS ( -- the strongest edge one step nearer to the anchor
    SELECT t.* FROM near n
    JOIN tie t ON t.x_id = n.repository_id AND t.x = n.number
    JOIN near p ON p.repository_id = t.y_id AND p.number = t.y AND p.steps = n.steps - 1
    QUALIFY row_number() OVER (PARTITION BY t.x_id, t.x ORDER BY t.score DESC, t.y_id, t.y) = 1
), chain AS (
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
