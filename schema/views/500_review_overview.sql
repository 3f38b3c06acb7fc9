-- Grain: One row per candidate that inspect kept or that somebody reviewed: its verdict, and how many reviews led
-- to it.
-- Key: candidate_id.
-- From: review *; group ecosystem repositories pulls latest_merged_at; inspect candidate_id.
-- Columns:
--   ecosystem: Name of the ecosystem; null where the candidate no longer exists.
--   verdict: accepted, rejected, disputed (reviewers disagree), stale (the pulls have changed since) or unreviewed.
--   kind: bugfix or feature, as reviewers say; empty where they have not, or disagree.
--   reason: Why the verdict is what it is, in reviewers' words or as a summary of their differences; may be empty.
--   accepts: Reviews of the present pulls that accept.
--   rejects: Reviews of the present pulls that reject.
--   stale: Reviews of other pulls than the present ones; they do not count.
--   reviewers: Everyone who reviewed the candidate, sorted; an empty list where nobody did.
--   repositories: Repositories of its pulls, as owner/name; null where the candidate no longer exists.
--   pulls: Number of its pulls; null where the candidate no longer exists.
--   latest_merged_at: When the pull that was merged last was merged (UTC); null where the candidate no longer exists.
--   last_reviewed_at: When the newest review was given (UTC); null where there is none.
-- Example: candidates that wait for a review or for agreement.
--   SELECT candidate_id, verdict, accepts, rejects, repositories FROM review_overview
--   WHERE verdict IN ('unreviewed', 'disputed', 'stale') ORDER BY latest_merged_at DESC
CREATE OR REPLACE VIEW review_overview AS
WITH given AS (
    SELECT candidate_id,
           count(*) FILTER (verdict = 'accept' AND NOT stale) AS accepts,
           count(*) FILTER (verdict = 'reject' AND NOT stale) AS rejects,
           count(*) FILTER (stale) AS stale,
           list(DISTINCT reviewer ORDER BY reviewer) AS reviewers,
           max(reviewed_at) AS last_reviewed_at
    FROM reviews WHERE candidate_id <> '' GROUP BY candidate_id
)
SELECT coalesce(v.candidate_id, f.candidate_id) AS candidate_id,
       g.ecosystem,
       coalesce(v.verdict, 'unreviewed') AS verdict,
       coalesce(v.kind, '') AS kind,
       coalesce(v.pattern, '') AS pattern,
       coalesce(v.reason, '') AS reason,
       coalesce(r.accepts, 0) AS accepts,
       coalesce(r.rejects, 0) AS rejects,
       coalesce(r.stale, 0) AS stale,
       coalesce(r.reviewers, []::VARCHAR[]) AS reviewers,
       g.repositories,
       g.pulls,
       g.latest_merged_at,
       r.last_reviewed_at
FROM candidate_verdicts v
FULL JOIN (SELECT candidate_id FROM candidate_facts WHERE kept) f ON f.candidate_id = v.candidate_id
LEFT JOIN candidate_groups g ON g.candidate_id = coalesce(v.candidate_id, f.candidate_id)
LEFT JOIN given r ON r.candidate_id = coalesce(v.candidate_id, f.candidate_id);
