-- Grain: one row a candidate: everything about it that a person sorts or filters by, in one place.
-- pulls_named are its pulls in merge order; test_pulls and linux_pulls count those that pass inspect's checks, NULL before inspect.
-- Key: candidate_id.
-- From: group *; dedupe, inspect, review status reason; crawl titles authors first_merged_at; inspect files additions deletions test_pulls linux_pulls inspected; review kind pattern reviewers; assemble task_id.
-- Example: kept candidates, those with tests in every pull first.
--   SELECT candidate_id, pulls_named, relations, span_days, files, test_pulls = pulls AS tested, status
--   FROM candidate_overview WHERE status NOT IN ('duplicate', 'dropped') ORDER BY tested DESC, latest_merged_at DESC
CREATE OR REPLACE VIEW candidate_overview AS
WITH members AS (
    SELECT m.candidate_id, m.repository_id, m.number, r.repository || '#' || m.number AS pull
    FROM group_members m
    JOIN repositories r ON r.repository_id = m.repository_id
), versions AS ( -- of members alone, so that other titles are not read
    SELECT v.repository_id, v.number, arg_max(v.title, v.fetched_at) AS title, arg_max(v.author, v.fetched_at) AS author,
           max(v.merged_at) AS merged_at
    FROM pull_versions v
    SEMI JOIN group_members m ON m.repository_id = v.repository_id AND m.number = v.number
    GROUP BY v.repository_id, v.number
), sizes AS (
    SELECT repository_id, number, count(*) AS files, sum(additions)::BIGINT AS additions, sum(deletions)::BIGINT AS deletions
    FROM pull_files GROUP BY repository_id, number
), told AS (
    SELECT m.candidate_id, list(m.pull ORDER BY v.merged_at, m.pull) AS pulls_named, list(v.title ORDER BY v.merged_at, m.pull) AS titles,
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
    SELECT candidate_id, list_sort(list(DISTINCT reviewer)) AS reviewers FROM reviews WHERE NOT stale GROUP BY candidate_id
), made AS (
    SELECT candidate_id, min(task_id) AS task_id FROM task_list GROUP BY candidate_id
)
SELECT c.candidate_id, c.ecosystem, c.status, c.reason, c.repositories, c.pulls, t.pulls_named, t.titles, t.authors,
       i.relations, i.reciprocal, c.score, c.span_days, c.flags, t.first_merged_at, c.latest_merged_at,
       t.inspected, t.files, t.additions, t.deletions, t.test_pulls, t.linux_pulls,
       c.kind, c.pattern, g.reviewers, m.task_id, c.anchor
FROM candidates c
LEFT JOIN told t ON t.candidate_id = c.candidate_id
LEFT JOIN ties i ON i.candidate_id = c.candidate_id
LEFT JOIN given g ON g.candidate_id = c.candidate_id
LEFT JOIN made m ON m.candidate_id = c.candidate_id;
