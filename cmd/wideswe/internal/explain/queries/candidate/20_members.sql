-- Pulls
SELECT r.repository || '#' || m.number AS pull, p.title, p.merged_at, f.test_signal, f.source_signal, f.linux, f.reason
FROM group_members m JOIN repositories r USING (repository_id)
LEFT JOIN all_pulls p ON p.repository_id = m.repository_id AND p.number = m.number
LEFT JOIN pull_facts f ON f.repository_id = m.repository_id AND f.number = m.number
WHERE m.candidate_id = $1 ORDER BY p.merged_at, 1
