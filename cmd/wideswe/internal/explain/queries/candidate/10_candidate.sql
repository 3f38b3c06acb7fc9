-- Candidate
SELECT c.candidate_id, c.ecosystem, c.status, g.anchor, g.score, round(g.span_days, 1) AS span_days, g.flags, c.latest_merged_at
FROM candidates c JOIN candidate_groups g USING (candidate_id) WHERE c.candidate_id = $1
