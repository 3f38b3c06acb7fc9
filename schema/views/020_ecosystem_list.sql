-- Grain: one row an ecosystem that rank judged: kept or dropped, with the reason. It stands beside the table
-- ecosystems and adds what crawl has seen of it.
-- Key: ecosystem.
-- From: rank *; crawl repositories_listed listed_at.
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
