-- Grain: One row per pull merged in the crawl's window: how far it came by the strict rules, and why no further.
-- Key: repository, number.
-- From: crawl *; group candidate_id; link, group, dedupe, inspect, review stage reason.
-- Columns:
--   candidate_id: Id of the candidate that contains the pull, the first by id where several do; null where none does.
--   stage: The stage where the pull ends: link (no link that may join), group (in no candidate), dedupe, inspect or
--     review.
--   reason: Why it ends there; for review, the status of its candidate.
--   source: list (found in the pass over closed pulls) or linked (only fetched because a link names it).
-- Example: where pulls drop out.
--   SELECT stage, count(*) AS pulls, min(pull) AS for_instance FROM pull_ends GROUP BY stage ORDER BY pulls DESC
CREATE OR REPLACE VIEW pull_ends AS
WITH linked AS (
    SELECT source_repository_id AS repository_id, source_number AS number,
           bool_or(may_group) AS joins, min(reason) FILTER (NOT may_group) AS reason
    FROM text_links GROUP BY ALL
), outside AS (
    SELECT DISTINCT source_repository_id AS repository_id, source_number AS number FROM external_links
), proposed AS (
    SELECT repository_id, number, bool_or(admitted) AS admitted, min(reason) FILTER (NOT admitted) AS reason
    FROM (SELECT a_repository_id AS repository_id, a_number AS number, admitted, reason FROM edges
          UNION ALL SELECT b_repository_id, b_number, admitted, reason FROM edges)
    GROUP BY ALL
), member AS (
    SELECT m.repository_id, m.number, min(m.candidate_id) AS candidate_id, arg_min(c.status, m.candidate_id) AS status,
           arg_min(c.reason, m.candidate_id) AS reason
    FROM group_members m JOIN candidates c USING (candidate_id) GROUP BY ALL
)
SELECT p.repository, p.number, p.repository || '#' || p.number AS pull, p.ecosystem, m.candidate_id,
       CASE WHEN m.status = 'duplicate' THEN 'dedupe'
            WHEN m.status = 'dropped' THEN 'inspect'
            WHEN m.candidate_id IS NOT NULL THEN 'review'
            WHEN e.repository_id IS NOT NULL OR l.joins THEN 'group'
            ELSE 'link' END AS stage,
       CASE WHEN m.status IN ('duplicate', 'dropped') THEN m.reason
            WHEN m.candidate_id IS NOT NULL THEN m.status
            WHEN e.repository_id IS NOT NULL THEN coalesce(e.reason, 'in no candidate')
            WHEN l.joins THEN 'none of its links leads to a merged pull'
            WHEN l.repository_id IS NOT NULL THEN 'its links may not join: ' || coalesce(nullif(l.reason, ''),
                'no reason')
            WHEN o.repository_id IS NOT NULL THEN 'only links to repositories outside the inventory'
            ELSE 'no link to another repository' END AS reason,
       p.repository_id, p.source
FROM pulls p
LEFT JOIN member m ON m.repository_id = p.repository_id AND m.number = p.number
LEFT JOIN proposed e ON e.repository_id = p.repository_id AND e.number = p.number
LEFT JOIN linked l ON l.repository_id = p.repository_id AND l.number = p.number
LEFT JOIN outside o ON o.repository_id = p.repository_id AND o.number = p.number
WHERE p.in_window;
