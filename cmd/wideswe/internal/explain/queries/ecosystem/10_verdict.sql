-- Ecosystem, as rank judged it
SELECT e.ecosystem, CASE WHEN e.kept THEN 'kept' ELSE 'dropped' END AS verdict, e.reason, e.organizations, e.repositories AS single_repositories, e.source
FROM ecosystems e WHERE e.ecosystem = $1
