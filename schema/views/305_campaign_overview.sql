-- Grain: One row per hub: a pull that joins nothing because it is tied to too many repositories, or a tracker
-- issue that too many pulls name.
-- Key: ecosystem, hub, kind.
-- From: group *; crawl title state author merged_at.
-- Columns:
--   hub: The pull or issue, as owner/name#N.
--   kind: pull or issue.
--   title: Title of the hub; empty where crawl has no text of it.
--   repositories: Number of repositories whose pulls are tied to the hub.
--   pulls: Number of pulls that are tied to the hub.
--   reason: Why it counts as a hub, with the limit.
--   refused: Edges of this pull that were refused; 0 for an issue.
--   author: Login of the hub's author; empty where it is not known.
--   state: open or closed; empty where crawl has no text of the hub.
--   merged_at: When the hub was merged (UTC); null where it was not merged or is an issue.
-- Example: the widest campaigns.
--   SELECT hub, kind, title, repositories, pulls, reason FROM campaign_overview ORDER BY repositories DESC, hub
--     LIMIT 20
CREATE OR REPLACE VIEW campaign_overview AS
WITH hubs AS (
    SELECT c.*, r.repository_id, split_part(c.hub, '#', 2)::INTEGER AS number
    FROM campaigns c
    LEFT JOIN repositories r ON r.repository = split_part(c.hub, '#', 1)
), refused AS (
    SELECT repository_id, number, count(*) AS edges
    FROM (SELECT a_repository_id AS repository_id, a_number AS number FROM edges WHERE NOT admitted
          UNION ALL SELECT b_repository_id, b_number FROM edges WHERE NOT admitted)
    GROUP BY ALL
), titles AS (
    SELECT repository_id, number, 'pull' AS kind, title, state, author, merged_at, fetched_at FROM pull_versions
    SEMI JOIN hubs USING (repository_id, number)
    UNION ALL
    SELECT repository_id, number, 'issue', title, state, author, NULL, fetched_at FROM issue_versions
    SEMI JOIN hubs USING (repository_id, number)
), latest AS (
    SELECT * FROM titles QUALIFY row_number()
        OVER (PARTITION BY repository_id, number, kind ORDER BY fetched_at DESC) = 1
)
SELECT h.ecosystem, h.hub, h.kind, coalesce(t.title, '') AS title, h.repositories, h.pulls, h.reason,
       coalesce(f.edges, 0) AS refused, coalesce(t.author, '') AS author, coalesce(t.state, '') AS state, t.merged_at
FROM hubs h
LEFT JOIN latest t ON t.repository_id = h.repository_id AND t.number = h.number AND t.kind = h.kind
LEFT JOIN refused f ON f.repository_id = h.repository_id AND f.number = h.number;
