-- Grain: One row per source and target repository with at least one link from one to the other, in titles and
-- bodies.
-- Key: source_repository_id, target_repository_id.
-- From: link *; crawl source target ecosystem same_ecosystem; group edges candidates.
-- Columns:
--   source: The repository whose pulls contain the references, as owner/name.
--   target: The repository that they name, as owner/name.
--   links: References from the source to the target.
--   pulls: Pulls of the source that contain them.
--   may_group: Those references that may join pulls.
--   edges: Admitted edges between pulls of the two, in either direction.
--   candidates: Candidates with pulls of both, in either direction.
--   ecosystem: Name of the source's ecosystem.
--   same_ecosystem: True where both repositories belong to one ecosystem.
-- Example: which repositories name each other.
--   SELECT source, target, links, pulls, candidates FROM cross_repository_matrix ORDER BY links DESC, source, target
--     LIMIT 20
CREATE OR REPLACE VIEW cross_repository_matrix AS
WITH named AS (
    SELECT repository_id AS s, target_repository_id AS t, count(*) AS links, count(DISTINCT number) AS pulls,
           count(*) FILTER (may_group) AS may_group
    FROM link_occurrences WHERE target_repository_id IS NOT NULL GROUP BY ALL
), tied AS (
    SELECT s, t, count(*) AS edges
    FROM (SELECT a_repository_id AS s, b_repository_id AS t FROM edges WHERE admitted
          UNION ALL SELECT b_repository_id, a_repository_id FROM edges WHERE admitted)
    GROUP BY ALL
), shared AS (
    SELECT a.repository_id AS s, b.repository_id AS t, count(DISTINCT a.candidate_id) AS candidates
    FROM group_members a
    JOIN group_members b ON b.candidate_id = a.candidate_id AND b.repository_id <> a.repository_id
    GROUP BY ALL
)
SELECT a.repository AS source, b.repository AS target, n.links, n.pulls, n.may_group, coalesce(d.edges, 0) AS edges,
       coalesce(h.candidates, 0) AS candidates, a.ecosystem, a.ecosystem = b.ecosystem AS same_ecosystem,
       n.s AS source_repository_id, n.t AS target_repository_id
FROM named n
JOIN repositories a ON a.repository_id = n.s
JOIN repositories b ON b.repository_id = n.t
LEFT JOIN tied d ON d.s = n.s AND d.t = n.t
LEFT JOIN shared h ON h.s = n.s AND h.t = n.t;
