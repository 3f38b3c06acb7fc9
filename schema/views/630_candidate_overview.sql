-- Grain: One row per candidate, with everything that people sort or filter by.
-- Key: candidate_id.
-- From: group *; dedupe, inspect, review status reason; crawl titles authors first_merged_at; inspect files
-- additions deletions test_pulls linux_pulls inspected; review kind pattern reviewers; assemble task_id.
-- Columns:
--   status: duplicate, dropped, kept, accepted, rejected, disputed, stale or grouped, as in candidates.
--   reason: Why the candidate has this status; may be empty.
--   repositories: Repositories of its pulls, as owner/name, sorted.
--   pulls: Number of its pulls.
--   pulls_named: Its pulls as owner/name#N, in merge order.
--   titles: Titles of its pulls, in merge order.
--   authors: Logins of its pulls' authors, sorted, each once.
--   relations: Relations of the edges that join its pulls, sorted, each once.
--   reciprocal: True where two of its pulls name each other.
--   score: Score of the weakest edge that holds the candidate together; higher is stronger, and 3 is strong.
--   flags: gap_days (its merges span more than group.window_days) and person (a reviewer's decision joins its pulls);
--     an empty list where neither holds.
--   first_merged_at: When the pull that was merged first was merged (UTC).
--   inspected: Number of its pulls that inspect looked at; 0 before inspect.
--   files: Files that its pulls change, summed over the pulls; null where inspect has read none.
--   additions: Lines that its pulls add; null where inspect has read no files.
--   deletions: Lines that its pulls delete; null where inspect has read no files.
--   test_pulls: Number of its pulls that add or change a test file; null before inspect.
--   linux_pulls: Number of its pulls that are not only for other platforms; null before inspect.
--   kind: bugfix or feature, as reviewers say; empty where they have not, or disagree.
--   reviewers: Everyone whose review of the present pulls counts, sorted; null where nobody's does.
--   task_id: Id of the task that was made from the candidate; null where there is none.
-- Example: kept candidates; first those with tests in every pull.
--   SELECT candidate_id, pulls_named, relations, span_days, files, test_pulls = pulls AS tested, status
--   FROM candidate_overview WHERE status NOT IN ('duplicate', 'dropped') ORDER BY tested DESC, latest_merged_at DESC
CREATE OR REPLACE VIEW candidate_overview AS
WITH members AS (
    SELECT m.candidate_id, m.repository_id, m.number, r.repository || '#' || m.number AS pull
    FROM group_members m
    JOIN repositories r ON r.repository_id = m.repository_id
), versions AS ( -- only of members, so that no other titles are read
    SELECT v.repository_id, v.number, arg_max(v.title, v.fetched_at) AS title,
           arg_max(v.author, v.fetched_at) AS author,
           max(v.merged_at) AS merged_at
    FROM pull_versions v
    SEMI JOIN group_members m ON m.repository_id = v.repository_id AND m.number = v.number
    GROUP BY v.repository_id, v.number
), sizes AS (
    SELECT repository_id, number, count(*) AS files, sum(additions)::BIGINT AS additions,
           sum(deletions)::BIGINT AS deletions
    FROM pull_files GROUP BY repository_id, number
), pull_lists AS (
    SELECT m.candidate_id, list(m.pull ORDER BY v.merged_at, m.pull) AS pulls_named,
           list(v.title ORDER BY v.merged_at, m.pull) AS titles,
           list_sort(list(DISTINCT v.author)) AS authors, min(v.merged_at) AS first_merged_at,
           sum(s.files)::BIGINT AS files, sum(s.additions)::BIGINT AS additions, sum(s.deletions)::BIGINT AS deletions,
           count(f.number) AS inspected,
           CASE WHEN count(f.number) > 0 THEN count(*) FILTER (f.test_signal) END AS test_pulls,
           CASE WHEN count(f.number) > 0 THEN count(*) FILTER (f.linux) END AS linux_pulls
    FROM members m
    LEFT JOIN versions v ON v.repository_id = m.repository_id AND v.number = m.number
    LEFT JOIN sizes s ON s.repository_id = m.repository_id AND s.number = m.number
    LEFT JOIN pull_facts f ON f.repository_id = m.repository_id AND f.number = m.number
    GROUP BY m.candidate_id
), ties AS (
    SELECT m.candidate_id, list_sort(list(DISTINCT e.relation)) AS relations, bool_or(e.reciprocal) AS reciprocal
    FROM edges e
    JOIN group_members m ON m.repository_id = e.a_repository_id AND m.number = e.a_number
    WHERE e.admitted
    GROUP BY m.candidate_id
), given AS (
    SELECT candidate_id, list_sort(list(DISTINCT reviewer)) AS reviewers FROM reviews WHERE NOT stale
        GROUP BY candidate_id
), made AS (
    SELECT candidate_id, min(task_id) AS task_id FROM task_list GROUP BY candidate_id
)
SELECT c.candidate_id, c.ecosystem, c.status, c.reason, c.repositories, c.pulls, t.pulls_named, t.titles, t.authors,
       i.relations, i.reciprocal, c.score, c.span_days, c.flags, t.first_merged_at, c.latest_merged_at,
       t.inspected, t.files, t.additions, t.deletions, t.test_pulls, t.linux_pulls,
       c.kind, c.pattern, g.reviewers, m.task_id, c.anchor
FROM candidates c
LEFT JOIN pull_lists t ON t.candidate_id = c.candidate_id
LEFT JOIN ties i ON i.candidate_id = c.candidate_id
LEFT JOIN given g ON g.candidate_id = c.candidate_id
LEFT JOIN made m ON m.candidate_id = c.candidate_id;
