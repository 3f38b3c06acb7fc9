-- Candidates that hold it
SELECT c.candidate_id, c.status, c.repositories, m.via
FROM candidate_pulls p JOIN candidates c USING (candidate_id)
JOIN repositories r ON r.repository = p.repository
JOIN group_members m ON m.candidate_id = p.candidate_id AND m.repository_id = r.repository_id AND m.number = p.number
WHERE p.repository = $1 AND p.number = $2 ORDER BY 1
