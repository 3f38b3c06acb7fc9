-- Grain: one row a record of the paper (appendix A.1): a source pull and its direct targets, by the paper's own rule;
-- under readable names, beside the table records. status is kept, duplicate or rejected.
-- Key: source.
-- From: dedupe *; crawl source title merged_at.
-- Example: the paper's records and why they are rejected.
--   SELECT status, regexp_replace(reason, '[^ ]+#[0-9]+', 'a pull', 'g') AS reason, count(*) AS records
--   FROM record_list GROUP BY ALL ORDER BY records DESC
CREATE OR REPLACE VIEW record_list AS
SELECT s.repository || '#' || r.number AS source, r.ecosystem,
       CASE WHEN r.duplicate THEN 'duplicate' WHEN r.reason <> '' THEN 'rejected' ELSE 'kept' END AS status,
       r.targets, r.repositories, CASE WHEN r.duplicate THEN 'the same key (A.1)' ELSE r.reason END AS reason,
       p.title, p.merged_at, r.repository_id, r.number
FROM records r
JOIN repositories s ON s.repository_id = r.repository_id
LEFT JOIN pulls p ON p.repository_id = r.repository_id AND p.number = r.number;
