-- Grain: One row per record of the paper (appendix A.1): a source pull and its direct targets, by the paper's own
-- rule.
-- Key: source.
-- From: dedupe *; crawl source title merged_at.
-- Columns:
--   source: The source pull, as owner/name#N.
--   status: kept, duplicate (another record has the same key) or rejected (a target is not a merged pull).
--   targets: The pulls that the source names, as owner/name#N; of several in one repository only the last.
--   repositories: Repositories of the source and its targets, as owner/name, sorted.
--   reason: Why the record is a duplicate or rejected; empty where it is kept.
--   title: Title of the source pull; null where the pull no longer counts as merged.
--   merged_at: When the source pull was merged (UTC); null where the pull no longer counts as merged.
--   repository_id: GitHub's numeric id of the source's repository.
--   number: Number of the source pull in its repository.
-- Example: the paper's records and why they are rejected.
--   SELECT status, regexp_replace(reason, '[^ ]+#[0-9]+', 'a pull', 'g') AS reason, count(*) AS records
--   FROM record_list GROUP BY ALL ORDER BY records DESC
CREATE OR REPLACE VIEW record_list AS
SELECT s.repository || '#' || r.number AS source, r.ecosystem,
       CASE WHEN r.duplicate THEN 'duplicate' WHEN r.reason <> '' THEN 'rejected' ELSE 'kept' END AS status,
       r.targets, r.repositories,
       CASE WHEN r.duplicate THEN 'another record has the same key (A.1)' ELSE r.reason END AS reason,
       p.title, p.merged_at, r.repository_id, r.number
FROM records r
JOIN repositories s ON s.repository_id = r.repository_id
LEFT JOIN pulls p ON p.repository_id = r.repository_id AND p.number = r.number;
