-- Grain: One row per candidate, member pull and refused edge of that pull: what a reviewer may want to merge, and
-- why it is apart.
-- Key: candidate_id, pull, neighbour.
-- From: group *.
-- Columns:
--   score: Score of the refused edge; 0 or less means that its words do not join.
--   relation: The strongest relation between the two pulls; person where a reviewer's decision joins them.
--   reason: Why the edge was refused, and how its score came about.
--   evidence: One snippet of text that proposes the edge; empty where there is none.
-- Example: why pulls near a candidate were refused.
--   SELECT reason, count(*) AS neighbours, min(pull || ' and ' || neighbour) AS for_instance
--   FROM neighbours GROUP BY reason ORDER BY neighbours DESC
CREATE OR REPLACE VIEW neighbours AS
SELECT m.candidate_id, r.repository || '#' || m.number AS pull, o.repository || '#' || e.other_number AS neighbour,
       n.candidate_id AS neighbour_candidate, e.score, e.relation, e.via_issue, e.gap_days, e.reason, e.evidence
FROM (SELECT a_repository_id AS repository_id, a_number AS number, b_repository_id AS other_id,
             b_number AS other_number,
             score, relation, via_issue, gap_days, reason, evidence FROM edges WHERE NOT admitted
      UNION ALL
      SELECT b_repository_id, b_number, a_repository_id, a_number, score, relation, via_issue, gap_days, reason,
             evidence
      FROM edges WHERE NOT admitted) e
JOIN group_members m ON m.repository_id = e.repository_id AND m.number = e.number
JOIN repositories r ON r.repository_id = e.repository_id
JOIN repositories o ON o.repository_id = e.other_id
LEFT JOIN group_members n ON n.repository_id = e.other_id AND n.number = e.other_number
ORDER BY m.candidate_id, pull, neighbour;
