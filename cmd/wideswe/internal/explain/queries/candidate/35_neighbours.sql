-- Refused neighbours, and why
SELECT pull, neighbour, reason, relation, score, via_issue, round(gap_days, 1) AS gap_days, neighbour_candidate, evidence AS snippet
FROM neighbours WHERE candidate_id = $1 ORDER BY score DESC, pull, neighbour
