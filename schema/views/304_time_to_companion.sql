-- Grain: One row per candidate and member pull that was merged after the candidate's first pull, in another
-- repository than that.
-- Key: candidate_id, pull.
-- From: group *; crawl first first_merged_at pull merged_at days ecosystem.
-- Columns:
--   first: The pull of the candidate that was merged first, as owner/name#N.
--   pull: The later pull, as owner/name#N.
--   days: Days from the first merge to this one.
--   relation: Relation of the edge between the two pulls; empty where only other pulls tie them together.
--   score: Score of the edge between the two pulls; null where only other pulls tie them together.
--   first_merged_at: When the first pull was merged (UTC).
--   merged_at: When this pull was merged (UTC).
--   first_repository: Repository of the first pull, as owner/name.
--   repository: Repository of the later pull, as owner/name.
-- Example: how long companions take, by relation.
--   SELECT relation, count(*) AS pulls, median(days) AS median_days, max(days) AS longest
--   FROM time_to_companion GROUP BY relation ORDER BY pulls DESC
CREATE OR REPLACE VIEW time_to_companion AS
WITH merged AS (
    SELECT m.candidate_id, m.repository_id, m.number, k.merged_at,
           row_number() OVER (PARTITION BY m.candidate_id ORDER BY k.merged_at, m.repository_id, m.number) AS nth
    FROM group_members m
    JOIN known_numbers k ON k.repository_id = m.repository_id AND k.number = m.number
    WHERE k.merged_at IS NOT NULL
), both_ways AS (
    SELECT a_repository_id AS x_id, a_number AS x, b_repository_id AS y_id, b_number AS y, relation, score FROM edges
        WHERE admitted
    UNION ALL
    SELECT b_repository_id, b_number, a_repository_id, a_number, relation, score FROM edges WHERE admitted
), firsts AS (
    SELECT candidate_id, repository_id, number, merged_at FROM merged WHERE nth = 1
)
SELECT m.candidate_id, r.ecosystem, fr.repository || '#' || f.number AS first, r.repository || '#' || m.number AS pull,
       epoch(m.merged_at - f.merged_at) / 86400 AS days, coalesce(e.relation, '') AS relation, e.score,
       f.merged_at AS first_merged_at, m.merged_at, fr.repository AS first_repository, r.repository
FROM merged m
JOIN firsts f ON f.candidate_id = m.candidate_id AND f.repository_id <> m.repository_id
JOIN repositories r ON r.repository_id = m.repository_id
JOIN repositories fr ON fr.repository_id = f.repository_id
LEFT JOIN both_ways e ON e.x_id = f.repository_id AND e.x = f.number AND e.y_id = m.repository_id AND e.y = m.number;
