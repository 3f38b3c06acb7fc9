-- Grain: one row a candidate. status: duplicate; dropped or kept by inspect; then the people's verdict
-- (accepted, rejected, disputed, stale); grouped before any of these.
-- Key: candidate_id.
-- From: group *; dedupe, inspect, review status reason; review kind pattern.
-- Example: candidates by ecosystem and status.
--   SELECT ecosystem, status, count(*) AS candidates FROM candidates GROUP BY ecosystem, status ORDER BY ecosystem, candidates DESC
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
LEFT JOIN (SELECT candidate_id, min(kept) AS kept, min(reason) AS reason FROM duplicates GROUP BY candidate_id) d ON d.candidate_id = g.candidate_id
LEFT JOIN candidate_facts f ON f.candidate_id = g.candidate_id
LEFT JOIN candidate_verdicts v ON v.candidate_id = g.candidate_id;
