-- Grain: one row a pair of pulls that links or a shared issue propose, admitted or refused, under readable names.
-- candidate_id is the candidate that holds both pulls, NULL where none does.
-- Key: a_repository_id, a_number, b_repository_id, b_number.
-- From: group *; crawl a b.
-- Example: refused edges with the words that proposed them.
--   SELECT a, b, relation, reason, evidence FROM edge_list WHERE NOT admitted ORDER BY score DESC, a, b LIMIT 20
CREATE OR REPLACE VIEW edge_list AS
WITH held AS (
    SELECT a.repository_id AS a_id, a.number AS a_number, b.repository_id AS b_id, b.number AS b_number, min(a.candidate_id) AS candidate_id
    FROM edges e
    JOIN group_members a ON a.repository_id = e.a_repository_id AND a.number = e.a_number
    JOIN group_members b ON b.repository_id = e.b_repository_id AND b.number = e.b_number AND b.candidate_id = a.candidate_id
    GROUP BY ALL
)
SELECT a.repository || '#' || e.a_number AS a, b.repository || '#' || e.b_number AS b, e.admitted, e.score, e.relation, e.reciprocal,
       e.via_issue, e.gap_days, e.reason, e.evidence, h.candidate_id, e.ecosystem,
       e.a_repository_id, e.a_number, e.b_repository_id, e.b_number
FROM edges e
JOIN repositories a ON a.repository_id = e.a_repository_id
JOIN repositories b ON b.repository_id = e.b_repository_id
LEFT JOIN held h ON h.a_id = e.a_repository_id AND h.a_number = e.a_number AND h.b_id = e.b_repository_id AND h.b_number = e.b_number;
