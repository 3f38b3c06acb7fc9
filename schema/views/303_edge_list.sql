-- Grain: One row per pair of pulls that links, a shared issue or a person's decision propose, admitted or refused.
-- Key: a_repository_id, a_number, b_repository_id, b_number.
-- From: group *; crawl a b.
-- Columns:
--   a: The first pull of the pair, as owner/name#N.
--   b: The second pull of the pair, as owner/name#N.
--   admitted: True where the edge joins the two pulls.
--   score: Score of the edge: its relation, plus what the pulls have in common; 1 or more may join, 3 is strong, a
--     decision is 9.
--   relation: The strongest relation between the two pulls; person where a reviewer's decision joins them.
--   reciprocal: True where each pull names the other.
--   reason: How the score came about; for a refused edge, first why it was refused.
--   evidence: One snippet of text that proposes the edge; empty where there is none.
--   candidate_id: Id of the candidate that contains both pulls; null where none does.
--   a_repository_id: GitHub's numeric id of the first pull's repository.
--   a_number: Number of the first pull in its repository.
--   b_repository_id: GitHub's numeric id of the second pull's repository.
--   b_number: Number of the second pull in its repository.
-- Example: refused edges with their evidence.
--   SELECT a, b, relation, reason, evidence FROM edge_list WHERE NOT admitted ORDER BY score DESC, a, b LIMIT 20
CREATE OR REPLACE VIEW edge_list AS
WITH held AS (
    SELECT a.repository_id AS a_id, a.number AS a_number, b.repository_id AS b_id, b.number AS b_number,
           min(a.candidate_id) AS candidate_id
    FROM edges e
    JOIN group_members a ON a.repository_id = e.a_repository_id AND a.number = e.a_number
    JOIN group_members b ON b.repository_id = e.b_repository_id AND b.number = e.b_number
        AND b.candidate_id = a.candidate_id
    GROUP BY ALL
)
SELECT a.repository || '#' || e.a_number AS a, b.repository || '#' || e.b_number AS b, e.admitted, e.score,
       e.relation, e.reciprocal,
       e.via_issue, e.gap_days, e.reason, e.evidence, h.candidate_id, e.ecosystem,
       e.a_repository_id, e.a_number, e.b_repository_id, e.b_number
FROM edges e
JOIN repositories a ON a.repository_id = e.a_repository_id
JOIN repositories b ON b.repository_id = e.b_repository_id
LEFT JOIN held h ON h.a_id = e.a_repository_id AND h.a_number = e.a_number AND h.b_id = e.b_repository_id
    AND h.b_number = e.b_number;
