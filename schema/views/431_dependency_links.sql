-- Grain: one row a commit of a sibling repository that an inspected pull's files begin to use, and the pull it stands for.
-- target is owner/name#N where the commit is a pull's merge commit or head (resolved_by), else owner/name@sha. Where a file
-- does not name the repository (submodules seen without .gitmodules, Go modules under names of their own) the commit tells it.
-- Key: source_repository_id, source_number, path, module, sha, target.
-- From: inspect *; crawl source target resolved_by ecosystem target_repository_id target_number.
-- Example: how often files pin a sibling's merged pull.
--   SELECT kind, resolved_by, count(*) AS evidence, count(DISTINCT source) AS pulls
--   FROM dependency_links GROUP BY kind, resolved_by ORDER BY evidence DESC
CREATE OR REPLACE VIEW dependency_links AS
WITH named AS (
    SELECT d.*, s.repository AS source_repository, s.ecosystem, n.repository_id AS named_id
    FROM (FROM dependency_evidence UNION FROM manifest_evidence) d
    JOIN repositories s ON s.repository_id = d.repository_id
    LEFT JOIN repository_names n ON n.name = lower(d.target_repository)),
resolved AS (
    SELECT d.*, c.repository_id AS found_id, c.number AS found_number, c.sha AS found_sha
    FROM named d
    LEFT JOIN pull_commits c ON c.short = left(d.sha, 7) AND starts_with(c.sha, d.sha)
        AND (c.repository_id = d.named_id OR d.target_repository = ''))
SELECT DISTINCT r.source_repository || '#' || r.number AS source,
       t.repository || CASE WHEN r.found_number IS NULL THEN '@' || r.sha ELSE '#' || r.found_number END AS target,
       r.kind, r.path, r.module, r.sha, r.previous_sha,
       CASE WHEN r.found_number IS NULL THEN ''
            WHEN EXISTS (SELECT 1 FROM pull_versions v WHERE v.repository_id = r.found_id AND v.number = r.found_number
                         AND v.merge_commit_sha = r.found_sha) THEN 'merge_commit'
            ELSE 'head' END AS resolved_by,
       r.ecosystem, r.repository_id AS source_repository_id, r.number AS source_number,
       t.repository_id AS target_repository_id, r.found_number AS target_number, r.rule_version
FROM resolved r
JOIN repositories t ON t.repository_id = coalesce(r.found_id, r.named_id) AND t.ecosystem = r.ecosystem
WHERE t.repository_id <> r.repository_id;
