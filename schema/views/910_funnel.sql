-- Grain: One row per stage, unit, status and reason: how many items ended so, by the strict rules.
-- Key: stage, unit, status, reason.
-- From: every stage *.
-- Columns:
--   stage: Name of the stage.
--   unit: What is counted: ecosystem, repository, pull, candidate or task.
--   status: done, skipped or failed.
--   reason: Why the items ended so, without names; empty where they are done.
--   items: Number of items.
-- Example: the funnel.
--   SELECT stage, unit, status, items, reason FROM funnel
CREATE OR REPLACE VIEW funnel AS
WITH ends AS MATERIALIZED ( -- only once: it reads every pull
    SELECT stage, reason, count(*) AS pulls FROM pull_ends GROUP BY stage, reason
), rows AS (
    SELECT 1 AS step, 'rank' AS stage, 'ecosystem' AS unit, CASE WHEN kept THEN 'done' ELSE 'skipped' END AS status,
           CASE WHEN kept THEN '' ELSE regexp_replace(reason, ' \(.*\)$', '') END AS reason, count(*) AS items
    FROM ecosystems GROUP BY ALL -- text in parentheses is about a single ecosystem
    UNION ALL
    SELECT 2, 'crawl', 'repository', CASE WHEN state = 'ok' THEN 'done' ELSE 'skipped' END,
           CASE WHEN state = 'ok' THEN '' ELSE state END, count(*)
    FROM repositories GROUP BY ALL
    UNION ALL
    SELECT 2, 'crawl', 'pull', CASE WHEN in_window THEN 'done' ELSE 'skipped' END,
           CASE WHEN in_window THEN '' WHEN merged_at IS NULL THEN 'not merged' ELSE 'merged before the window' END,
           count(*)
    FROM all_pulls GROUP BY ALL
    UNION ALL
    SELECT 3, 'link', 'pull', CASE WHEN stage = 'link' THEN 'skipped' ELSE 'done' END,
           CASE WHEN stage = 'link' THEN reason ELSE '' END, sum(pulls)::BIGINT
    FROM ends GROUP BY ALL
    UNION ALL
    SELECT 4, 'group', 'pull', CASE WHEN stage = 'group' THEN 'skipped' ELSE 'done' END,
           CASE WHEN stage = 'group'
                THEN regexp_replace(regexp_replace(reason, '[^ ]+/[^ ]+#[0-9]+', 'the other pull', 'g'),
                    ' \([^)]*\)$', '')
                ELSE '' END, sum(pulls)::BIGINT
    FROM ends WHERE stage <> 'link' GROUP BY ALL
    UNION ALL
    SELECT 4, 'group', 'candidate', 'done', '', count(*) FROM candidate_groups HAVING count(*) > 0
    UNION ALL
    SELECT 5, 'dedupe', 'candidate', CASE WHEN d.candidate_id IS NULL THEN 'done' ELSE 'skipped' END,
           coalesce(d.reason || ' another candidate', ''), count(*)
    FROM candidate_groups g LEFT JOIN (SELECT candidate_id, min(reason) AS reason FROM duplicates
        GROUP BY 1) d USING (candidate_id) GROUP BY ALL
    UNION ALL
    SELECT CASE stage WHEN 'inspect' THEN 6 WHEN 'review' THEN 7 WHEN 'assemble' THEN 8 ELSE 9 END, stage,
           CASE WHEN stage = 'validate' THEN 'task' ELSE 'candidate' END, status, reason, count(*)
    FROM outcomes_latest WHERE stage IN ('inspect', 'review', 'assemble', 'validate') AND status <> 'gone'
        AND NOT (stage = 'inspect' AND contains(item, ':')) GROUP BY ALL
    UNION ALL
    SELECT 10, 'balance', 'task', CASE WHEN selected THEN 'done' ELSE 'skipped' END,
           CASE WHEN selected THEN '' ELSE reason END, count(*)
    FROM selections GROUP BY ALL
    UNION ALL
    SELECT 11, 'export', 'task', 'done', '', tasks
    FROM (SELECT tasks FROM exports QUALIFY row_number() OVER (ORDER BY rowid DESC) = 1)
)
SELECT stage, unit, status, reason, items FROM rows
ORDER BY step, unit DESC, status, items DESC, reason;
