-- Verdict and reviews
SELECT r.reviewer, r.verdict, r.kind, r.pattern, r.reason, r.note, r.stale, r.file, v.verdict AS candidate_is, v.reason AS because
FROM candidate_verdicts v LEFT JOIN reviews r USING (candidate_id) WHERE v.candidate_id = $1 ORDER BY r.reviewer
