-- Grain: one row a candidate and member pull, with what ties it to the candidate.
CREATE OR REPLACE VIEW candidate_pulls AS
SELECT m.candidate_id, r.repository, m.number, r.repository || '#' || m.number AS pull, m.via, m.repository_id, r.ecosystem
FROM group_members m
JOIN repositories r ON r.repository_id = m.repository_id;
