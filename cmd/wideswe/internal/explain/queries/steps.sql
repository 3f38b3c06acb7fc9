-- Put in for {steps} in the sections of a candidate: its members, the admitted edges
-- between them in both directions (tie), how far each is from the anchor (near), and
-- the edge by which it is tied to it (next).
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
)
