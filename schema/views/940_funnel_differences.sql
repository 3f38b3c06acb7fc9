-- Grain: One row per pull of the window that funnel or funnel_paper counts as linked or beyond: which of the two
-- does, and why the other does not.
-- Key: repository_id, number.
-- From: crawl pull ecosystem; link strict_linked paper_linked; group, dedupe *.
-- Columns:
--   strict: True where the strict rules take the pull to a candidate that repeats no other.
--   paper: True where the paper's rules take the pull to a record that is kept.
--   strict_linked: True where the strict rules count the pull as linked.
--   paper_linked: True where the paper's rules count the pull as linked.
--   parts_at: Where the two rules first differ: link or group; empty where they agree to the end.
--   why: Which rule leaves the pull out, and why; empty where they agree.
--   strict_stage: The stage where the pull ends by the strict rules, as in pull_ends.
--   strict_reason: Why it ends there, as in pull_ends.
--   record_is: What becomes of the pull's record: kept, duplicate, rejected or "named in rejected records"; empty
--     where it is in none.
--   candidate_id: Id of the candidate that contains the pull; null where none does.
-- Example: where the strict rules and the paper's differ, and why.
--   SELECT parts_at, why, count(*) AS pulls, min(pull) AS for_instance
--   FROM funnel_differences WHERE parts_at <> '' GROUP BY parts_at, why ORDER BY pulls DESC, why
CREATE OR REPLACE VIEW funnel_differences AS
WITH own AS ( -- references by the strict rules in the pull's own texts
    SELECT repository_id, number, array_to_string(list_sort(list(DISTINCT form)), ', ') AS forms,
           array_to_string(list_sort(list(DISTINCT location)), ', ') AS places
    FROM link_occurrences WHERE may_group AND target_repository_id IS NOT NULL GROUP BY ALL
), paper_found AS ( -- links by the paper's rule
    SELECT repository_id, number, bool_or(target_repository_id IS NOT NULL) AS inside FROM paper_links GROUP BY ALL
), recorded_pulls AS (
    SELECT repository_id, number, duplicate, reason, targets FROM records
), named AS ( -- the pulls of a record: its source and its targets
    SELECT repository_id, number, NOT duplicate AND reason = '' AS kept FROM recorded_pulls
    UNION ALL
    SELECT r.repository_id, t.number, t.kept
    FROM (SELECT split_part(target, '#', 1) AS repository, split_part(target, '#', 2)::INTEGER AS number, kept
          FROM (SELECT unnest(targets) AS target, NOT duplicate AND reason = '' AS kept FROM recorded_pulls)) t
    JOIN repositories r ON r.repository = t.repository
), recorded AS (
    SELECT repository_id, number, bool_or(kept) AS kept FROM named GROUP BY ALL
), sides AS (
    SELECT e.pull, e.ecosystem, e.candidate_id, e.repository_id, e.number, e.stage AS strict_stage,
           e.reason AS strict_reason, e.source,
           e.stage <> 'link' AS strict_linked, coalesce(f.inside, false) AND e.source = 'list' AS paper_linked,
           e.stage IN ('inspect', 'review') AS strict, coalesce(d.kept, false) AS paper,
           f.inside, o.forms, o.places, s.number IS NOT NULL AS has_record, s.duplicate,
           regexp_replace(s.reason, 'target [^ ]+#[0-9]+', 'a target', 'g') AS record_reason,
           d.number IS NOT NULL AS is_named
    FROM pull_ends e
    LEFT JOIN own o ON o.repository_id = e.repository_id AND o.number = e.number
    LEFT JOIN paper_found f ON f.repository_id = e.repository_id AND f.number = e.number
    LEFT JOIN recorded_pulls s ON s.repository_id = e.repository_id AND s.number = e.number
    LEFT JOIN recorded d ON d.repository_id = e.repository_id AND d.number = e.number
)
SELECT pull, ecosystem, strict, paper, strict_linked, paper_linked,
       CASE WHEN strict_linked <> paper_linked THEN 'link' WHEN strict <> paper THEN 'group' ELSE '' END AS parts_at,
       CASE
           WHEN strict_linked AND NOT paper_linked THEN CASE
               WHEN source <> 'list'
               THEN 'paper: only a link led to the pull; the paper counts pulls that the pass over closed pulls found'
               WHEN forms IS NULL
               THEN 'paper: another pull names it or closes the same issue; the paper counts only the pull that names'
               WHEN inside IS NULL
               THEN 'paper: its expression finds no link; the strict rules read ' || forms || ' in ' || places
               ELSE 'paper: the names that it finds are not in the inventory; the strict rules follow renames' END
           WHEN paper_linked AND NOT strict_linked THEN CASE
               WHEN strict_reason IN ('no link to another repository',
                                      'only links to repositories outside the inventory')
               THEN 'strict: the link is in code, a comment or a template'
               ELSE 'strict: ' || strict_reason END
           WHEN strict AND NOT paper THEN CASE
               WHEN duplicate THEN 'paper: another record has the same key (A.1)'
               WHEN has_record THEN 'paper: ' || record_reason
               WHEN is_named THEN 'paper: all records that name it are rejected'
               ELSE 'paper: it is in no record; the strict rules join it by '
                   || coalesce(forms, 'another pull''s link or a shared issue') END
           WHEN paper AND NOT strict THEN 'strict: ' || strict_stage || ', ' || strict_reason
           ELSE '' END AS why,
       strict_stage, strict_reason,
       CASE WHEN paper THEN 'kept' WHEN duplicate THEN 'duplicate' WHEN has_record THEN 'rejected'
            WHEN is_named THEN 'named in rejected records' ELSE '' END AS record_is,
       candidate_id, repository_id, number
FROM sides
WHERE strict_linked OR paper_linked OR strict OR paper;
