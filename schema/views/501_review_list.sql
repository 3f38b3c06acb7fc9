-- Grain: one row a person's review of a candidate, beside the table reviews; stale where the candidate's pulls have changed since.
-- candidate_verdict is what all the reviews of the candidate come to.
-- Key: candidate_id, reviewed_as, reviewer.
-- From: review *; group ecosystem repositories.
-- Example: what each reviewer gave.
--   SELECT reviewer, verdict, kind, count(*) AS reviews FROM review_list GROUP BY ALL ORDER BY reviewer, reviews DESC
CREATE OR REPLACE VIEW review_list AS
SELECT r.candidate_id, r.reviewer, r.verdict, r.kind, r.pattern, r.reason, r.note, r.stale, r.pulls,
       coalesce(v.verdict, '') AS candidate_verdict, coalesce(g.ecosystem, '') AS ecosystem, g.repositories,
       r.reviewed_as, r.file, r.reviewed_at
FROM reviews r
LEFT JOIN candidate_verdicts v ON v.candidate_id = r.candidate_id
LEFT JOIN candidate_groups g ON g.candidate_id = r.candidate_id;
