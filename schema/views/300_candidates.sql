-- Grain: One row per candidate: pulls of two or more repositories that may be one change.
-- Key: candidate_id.
-- From: group *; dedupe, inspect, review status reason; review kind pattern.
-- Columns:
--   status: duplicate (it repeats another), dropped (by inspect), kept (by inspect, not reviewed yet), accepted,
--     rejected, disputed or stale (by reviewers), or grouped (none of these yet).
--   reason: Why the candidate has this status: the candidate it repeats, inspect's reason, or what reviewers say; may
--     be empty.
--   repositories: Repositories of its pulls, as owner/name, sorted.
--   pulls: Number of its pulls.
--   score: Score of the weakest edge that holds the candidate together; higher is stronger, and 3 is strong.
--   flags: gap_days (its merges span more than group.window_days) and person (a reviewer's decision joins its pulls);
--     an empty list where neither holds.
--   kind: bugfix or feature, as reviewers say; empty where they have not, or disagree.
-- Example: candidates by ecosystem and status.
--   SELECT ecosystem, status, count(*) AS candidates FROM candidates GROUP BY ecosystem, status
--     ORDER BY ecosystem, candidates DESC
CREATE OR REPLACE VIEW candidates AS
SELECT g.candidate_id, g.ecosystem,
       CASE WHEN d.candidate_id IS NOT NULL THEN 'duplicate'
            WHEN NOT f.kept THEN 'dropped'
            WHEN v.verdict IS NOT NULL AND v.verdict <> 'unreviewed' THEN v.verdict
            WHEN f.kept THEN 'kept'
            ELSE 'grouped' END AS status,
       g.repositories, g.pulls, g.latest_merged_at,
       CASE WHEN d.candidate_id IS NOT NULL THEN d.reason || ' ' || d.kept
            WHEN NOT f.kept THEN f.reason
            ELSE coalesce(v.reason, '') END AS reason,
       g.anchor, g.score, g.span_days, g.flags, coalesce(v.kind, '') AS kind, coalesce(v.pattern, '') AS pattern
FROM candidate_groups g
LEFT JOIN (SELECT candidate_id, min(kept) AS kept, min(reason) AS reason FROM duplicates
    GROUP BY candidate_id) d ON d.candidate_id = g.candidate_id
LEFT JOIN candidate_facts f ON f.candidate_id = g.candidate_id
LEFT JOIN candidate_verdicts v ON v.candidate_id = g.candidate_id;
