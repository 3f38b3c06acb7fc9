-- Grain: One row per stage, unit, status and reason: how many items ended so, by the paper's own rules (its mining
-- script and appendix A.1). Only these counts compare with the paper's.
-- Key: stage, unit, status, reason.
-- From: crawl, link, dedupe, inspect *.
-- Columns:
--   stage: The stage whose step of the paper is counted: crawl, link, dedupe, inspect or review.
--   unit: What is counted: pull, or record (a source pull with its targets).
--   status: done or skipped.
--   reason: Why the items ended so, without names; empty where they are done. The script's checks of files are a test
--     path in every pull, and nothing for iOS. In review it is the paper's cut-off: the latest merge of a record's
--     pulls is on or after 2025-06-01.
--   items: Number of items.
-- Example: the funnel by the paper's rules.
--   SELECT stage, unit, status, items, reason FROM funnel_paper
CREATE OR REPLACE VIEW funnel_paper AS
WITH read AS MATERIALIZED ( -- only once: it reads every pull
    SELECT repository_id, number FROM pulls WHERE in_window AND source = 'list'
), linked AS (
    SELECT DISTINCT repository_id, number FROM paper_links WHERE target_repository_id IS NOT NULL
), members AS (
    SELECT row_number() OVER () AS record, r.repository_id, r.number, r.targets, r.ecosystem, r.duplicate,
           regexp_replace(r.reason, 'target [^ ]+#[0-9]+', 'a target', 'g') AS reason
    FROM records r
), pulls_of AS (
    SELECT record, repository_id, number FROM members
    UNION ALL
    SELECT m.record, r.repository_id, split_part(m.target, '#', 2)::INTEGER
    FROM (SELECT record, unnest(targets) AS target FROM members WHERE NOT duplicate AND reason = '') m
    JOIN repositories r ON r.repository = split_part(m.target, '#', 1)
), files_of AS ( -- a pull of a candidate and of a record has two rows, which say the same
    SELECT repository_id, number, bool_and(available) AS available, bool_and(test_path) AS test_path,
           bool_or(phone) AS phone
    FROM paper_checks GROUP BY ALL
), merges AS (
    SELECT v.repository_id, v.number, arg_max(v.merged_at, (v.fetched_at, v.rowid)) AS merged_at
    FROM pull_versions v SEMI JOIN pulls_of o ON o.repository_id = v.repository_id AND o.number = v.number
    GROUP BY ALL
), checked AS (
    SELECT o.record, bool_and(f.number IS NOT NULL) AS looked, bool_and(f.available) AS available,
           bool_and(f.test_path) AS tests, bool_or(f.phone) AS phone, max(m.merged_at) AS latest
    FROM pulls_of o
    LEFT JOIN files_of f ON f.repository_id = o.repository_id AND f.number = o.number
    LEFT JOIN merges m ON m.repository_id = o.repository_id AND m.number = o.number
    GROUP BY o.record
), judged AS (
    SELECT CASE WHEN NOT c.looked THEN 'its files were not looked at'
                WHEN NOT c.available THEN 'a pull that is not available'
                WHEN NOT c.tests THEN 'a pull without a test path' WHEN c.phone THEN 'for iOS' ELSE '' END AS reason,
           c.latest
    FROM members m JOIN checked c USING (record) WHERE NOT m.duplicate AND m.reason = ''
), rows AS (
    SELECT 1 AS step, 'crawl' AS stage, 'pull' AS unit, 'done' AS status, '' AS reason, count(*) AS items
    FROM read
    UNION ALL
    SELECT 2, 'link', 'pull', CASE WHEN l.number IS NULL THEN 'skipped' ELSE 'done' END,
           CASE WHEN l.number IS NULL THEN 'no link to another repository of the organization' ELSE '' END, count(*)
    FROM read p LEFT JOIN linked l ON l.repository_id = p.repository_id AND l.number = p.number GROUP BY ALL
    UNION ALL
    SELECT 3, 'dedupe', 'record', CASE WHEN duplicate OR reason <> '' THEN 'skipped' ELSE 'done' END,
           CASE WHEN duplicate THEN 'another record has the same key (A.1)' ELSE reason END, count(*)
    FROM members GROUP BY ALL
    UNION ALL
    SELECT 4, 'inspect', 'record', CASE WHEN reason = '' THEN 'done' ELSE 'skipped' END, reason, count(*)
    FROM judged GROUP BY ALL
    UNION ALL
    SELECT 5, 'review', 'record', CASE WHEN latest >= TIMESTAMP '2025-06-01' THEN 'done' ELSE 'skipped' END,
           CASE WHEN latest >= TIMESTAMP '2025-06-01' THEN ''
                ELSE 'latest merge before 2025-06-01 (the paper''s cut-off)' END,
           count(*)
    FROM judged WHERE reason = '' GROUP BY ALL
)
SELECT stage, unit, status, reason, items FROM rows WHERE items > 0 ORDER BY step, status, items DESC, reason;
