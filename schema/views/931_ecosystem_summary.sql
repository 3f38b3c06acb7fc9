-- Grain: One row per ecosystem that rank judged: its repositories, pulls, links, edges, candidates and tasks.
-- Key: ecosystem.
-- From: rank kept reason stars; crawl repositories repositories_read pulls bot_pulls first_merged_at
-- latest_merged_at; link linked_pulls links; group edges edges_refused candidates campaigns; dedupe duplicates
-- records_kept; inspect inspected_kept; review accepted; assemble tasks; rank ecosystem.
-- Columns:
--   reason: Why rank kept or dropped the ecosystem.
--   stars: Stars of its organizations in the ranking; 0 where the ranking has none of them.
--   repositories: Repositories that crawl ever listed.
--   repositories_read: Repositories in state ok, whose pulls are read.
--   pulls: Pulls merged since crawl.since.
--   bot_pulls: Those of them whose author is a bot.
--   linked_pulls: Pulls with a reference that may join pulls.
--   links: References to other repositories of the inventory, in titles and bodies.
--   edges: Pairs of pulls that were admitted.
--   edges_refused: Pairs of pulls that were proposed and refused.
--   candidates: Candidates.
--   duplicates: Candidates that repeat another.
--   inspected_kept: Candidates that inspect kept, whatever reviewers said later.
--   accepted: Candidates that reviewers accepted.
--   tasks: Tasks.
--   campaigns: Hub pulls and tracker issues.
--   records_kept: Records that the paper's rules keep.
--   first_merged_at: When the first of its pulls was merged (UTC); null where there is none.
--   latest_merged_at: When the last of its pulls was merged (UTC); null where there is none.
-- Example: the paper's main table, by ecosystem.
--   SELECT ecosystem, repositories_read, pulls, linked_pulls, candidates, records_kept, accepted, tasks
--   FROM ecosystem_summary WHERE kept ORDER BY candidates DESC, ecosystem
CREATE OR REPLACE VIEW ecosystem_summary AS
WITH pulls_of AS (
    SELECT ecosystem, count(*) AS repositories, count(*) FILTER (state = 'ok') AS repositories_read,
           sum(pulls)::BIGINT AS pulls,
           sum(bot_pulls)::BIGINT AS bot_pulls, sum(linked_pulls)::BIGINT AS linked_pulls,
           sum(links_out)::BIGINT AS links,
           min(first_merged_at) AS first_merged_at, max(latest_merged_at) AS latest_merged_at
    FROM repository_summary GROUP BY ecosystem
), edges_of AS (
    SELECT ecosystem, count(*) FILTER (admitted) AS edges, count(*) FILTER (NOT admitted) AS refused FROM edges
        GROUP BY ecosystem
), candidates_of AS (
    SELECT ecosystem, count(*) AS candidates, count(*) FILTER (status = 'duplicate') AS duplicates,
           count(*) FILTER (status NOT IN ('duplicate', 'dropped', 'grouped')) AS inspected_kept,
           count(*) FILTER (status = 'accepted') AS accepted
    FROM candidates GROUP BY ecosystem
), campaigns_of AS (
    SELECT ecosystem, count(*) AS campaigns FROM campaigns GROUP BY ecosystem
), records_of AS (
    SELECT ecosystem, count(*) FILTER (NOT duplicate AND reason = '') AS kept FROM records GROUP BY ecosystem
), tasks_of AS (
    SELECT ecosystem, count(*) AS tasks FROM task_list GROUP BY ecosystem
)
SELECT e.ecosystem, e.kept, e.reason, e.stars, coalesce(p.repositories, 0) AS repositories,
       coalesce(p.repositories_read, 0) AS repositories_read,
       coalesce(p.pulls, 0) AS pulls, coalesce(p.bot_pulls, 0) AS bot_pulls,
       coalesce(p.linked_pulls, 0) AS linked_pulls,
       coalesce(p.links, 0) AS links, coalesce(d.edges, 0) AS edges, coalesce(d.refused, 0) AS edges_refused,
       coalesce(c.candidates, 0) AS candidates, coalesce(c.duplicates, 0) AS duplicates,
       coalesce(c.inspected_kept, 0) AS inspected_kept,
       coalesce(c.accepted, 0) AS accepted, coalesce(t.tasks, 0) AS tasks, coalesce(m.campaigns, 0) AS campaigns,
       coalesce(r.kept, 0) AS records_kept, p.first_merged_at, p.latest_merged_at
FROM ecosystems e
LEFT JOIN pulls_of p ON p.ecosystem = e.ecosystem
LEFT JOIN edges_of d ON d.ecosystem = e.ecosystem
LEFT JOIN candidates_of c ON c.ecosystem = e.ecosystem
LEFT JOIN campaigns_of m ON m.ecosystem = e.ecosystem
LEFT JOIN records_of r ON r.ecosystem = e.ecosystem
LEFT JOIN tasks_of t ON t.ecosystem = e.ecosystem;
