-- Grain: One row per commit of another repository of the ecosystem that a file of an inspected pull begins to use,
-- and the pull that the commit identifies.
-- Key: source_repository_id, source_number, path, module, sha, target.
-- From: inspect *; crawl source target resolved_by ecosystem target_repository_id target_number.
-- Columns:
--   source: The pull that changes the file, as owner/name#N.
--   target: owner/name#N where the commit is a pull's merge commit or head; otherwise owner/name@sha.
--   kind: submodule, go_pseudo_version, git_reference (a lock file or manifest) or workflow_action.
--   path: Path of the file, or of the submodule.
--   module: The name that the file uses for the dependency.
--   sha: The commit: 12 digits for a Go pseudo-version, otherwise 40, or as many as were written.
--   previous_sha: The commit that the file used before; empty where the change does not show it.
--   resolved_by: merge_commit or head: which commit of the target pull it is; empty where no pull is known.
--   ecosystem: Name of the ecosystem of both repositories.
--   target_number: Number of the target pull; null where no pull is known.
-- Example: how often files pin a merged pull of another repository.
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
