-- Grain: One row per ecosystem that rank judged, kept or dropped, with the reason and what crawl has seen of it.
-- Key: ecosystem.
-- From: rank *; crawl repositories_listed listed_at.
-- Columns:
--   reason: Why rank kept or dropped the ecosystem.
--   organizations: Owners whose repositories all belong to the ecosystem; may be an empty list.
--   repositories: Single repositories of the ecosystem, as owner/name, beside those of its organizations; may be an
--     empty list.
--   source: Where the ecosystem comes from: config (wideswe.yaml), ecosystems.yaml, or the ranking's name and date.
--   stars: Stars of its organizations in the ranking; 0 where the ranking has none of them.
--   repositories_listed: Repositories in the newest list that crawl read; 0 before crawl.
--   listed_at: When crawl last listed its repositories (UTC); null before crawl.
-- Example: which ecosystems are kept, and why the others are not.
--   SELECT ecosystem, kept, reason, stars, repositories_listed FROM ecosystem_list ORDER BY stars DESC, ecosystem
CREATE OR REPLACE VIEW ecosystem_list AS
WITH listed AS (
    SELECT ecosystem, max(listed_at) AS listed_at, arg_max(repositories, listed_at) AS repositories
    FROM crawl_inventories GROUP BY ecosystem
)
SELECT e.ecosystem, e.kept, e.reason, e.organizations, e.repositories, e.source, e.stars,
       coalesce(l.repositories, 0) AS repositories_listed, l.listed_at
FROM ecosystems e
LEFT JOIN listed l ON l.ecosystem = e.ecosystem;
