-- Grain: One row per repository of the inventory: its pulls, its links, its candidates and tasks.
-- Key: repository_id.
-- From: crawl *; link linked_pulls links_out links_in; group candidates; review accepted; assemble tasks.
-- Columns:
--   state: State of the repository, as in repositories.
--   pulls: Pulls merged since crawl.since.
--   bot_pulls: Those of them whose author is a bot.
--   authors: Different authors of those pulls.
--   linked_pulls: Pulls of the repository with a reference that may join pulls.
--   links_out: References from its pulls to other repositories of the inventory, in titles and bodies.
--   links_in: References to it from pulls of other repositories of the inventory, in titles and bodies.
--   candidates: Candidates with a pull of the repository.
--   accepted: Those of them that reviewers accepted.
--   tasks: Tasks in which the repository is a target.
--   first_merged_at: When the first of its pulls was merged (UTC); null where there is none.
--   latest_merged_at: When the last of its pulls was merged (UTC); null where there is none.
-- Example: repositories whose pulls end in candidates most often.
--   SELECT repository, pulls, linked_pulls, candidates, round(100.0 * candidates / pulls, 2) AS percent
--   FROM repository_summary WHERE pulls > 0 ORDER BY candidates DESC, repository LIMIT 20
CREATE OR REPLACE VIEW repository_summary AS
WITH merged AS (
    SELECT repository_id, count(*) AS pulls, count(*) FILTER (author_type = 'Bot') AS bot_pulls,
           count(DISTINCT author) AS authors,
           min(merged_at) AS first_merged_at, max(merged_at) AS latest_merged_at
    FROM pulls WHERE in_window GROUP BY repository_id
), outward AS (
    SELECT repository_id, count(*) AS links, count(DISTINCT number) FILTER (may_group) AS pulls
    FROM link_occurrences WHERE target_repository_id IS NOT NULL GROUP BY repository_id
), inward AS (
    SELECT target_repository_id AS repository_id, count(*) AS links
    FROM link_occurrences WHERE target_repository_id IS NOT NULL GROUP BY target_repository_id
), held AS (
    SELECT m.repository_id, count(DISTINCT m.candidate_id) AS candidates, count(DISTINCT v.candidate_id) AS accepted
    FROM group_members m
    LEFT JOIN (SELECT candidate_id FROM candidate_verdicts
        WHERE verdict = 'accepted') v ON v.candidate_id = m.candidate_id
    GROUP BY m.repository_id
), made AS (
    SELECT repository_id, count(*) AS tasks FROM task_targets GROUP BY repository_id
)
SELECT r.repository, r.ecosystem, r.state, r.language, r.stars, coalesce(p.pulls, 0) AS pulls,
       coalesce(p.bot_pulls, 0) AS bot_pulls,
       coalesce(p.authors, 0) AS authors, coalesce(o.pulls, 0) AS linked_pulls, coalesce(o.links, 0) AS links_out,
       coalesce(i.links, 0) AS links_in, coalesce(h.candidates, 0) AS candidates, coalesce(h.accepted, 0) AS accepted,
       coalesce(t.tasks, 0) AS tasks, p.first_merged_at, p.latest_merged_at, r.repository_id
FROM repositories r
LEFT JOIN merged p ON p.repository_id = r.repository_id
LEFT JOIN outward o ON o.repository_id = r.repository_id
LEFT JOIN inward i ON i.repository_id = r.repository_id
LEFT JOIN held h ON h.repository_id = r.repository_id
LEFT JOIN made t ON t.repository_id = r.repository_id;
