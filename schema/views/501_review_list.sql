-- Grain: One row per candidate and review that a person gave of it.
-- Key: candidate_id, reviewed_as, reviewer.
-- From: review *; group ecosystem repositories.
-- Columns:
--   candidate_id: Id of the candidate that the review applies to now; empty where no candidate has any of its pulls.
--   reviewer: Name of the reviewer.
--   verdict: accept or reject.
--   kind: bugfix or feature; empty where the reviewer gave none.
--   pattern: producer-consumer or parallel; empty where the reviewer gave none.
--   reason: Why the reviewer rejects; empty where none was given.
--   note: The reviewer's note; may be empty.
--   stale: True where the candidate's pulls differ from those that were reviewed; the review does not count then.
--   pulls: The pulls that were reviewed, as owner/name#N.
--   candidate_verdict: What all reviews of the candidate come to: accepted, rejected, disputed, stale or unreviewed;
--     empty where no candidate is left.
--   ecosystem: Name of the ecosystem; empty where no candidate is left.
--   repositories: Repositories of the candidate's pulls, as owner/name; null where no candidate is left.
--   reviewed_as: Id of the candidate that the review was written for.
--   file: Path of the review's file in the curator's folder.
--   reviewed_at: When the review was given (UTC).
-- Example: reviews by reviewer and verdict.
--   SELECT reviewer, verdict, kind, count(*) AS reviews FROM review_list GROUP BY ALL ORDER BY reviewer, reviews DESC
CREATE OR REPLACE VIEW review_list AS
SELECT r.candidate_id, r.reviewer, r.verdict, r.kind, r.pattern, r.reason, r.note, r.stale, r.pulls,
       coalesce(v.verdict, '') AS candidate_verdict, coalesce(g.ecosystem, '') AS ecosystem, g.repositories,
       r.reviewed_as, r.file, r.reviewed_at
FROM reviews r
LEFT JOIN candidate_verdicts v ON v.candidate_id = r.candidate_id
LEFT JOIN candidate_groups g ON g.candidate_id = r.candidate_id;
