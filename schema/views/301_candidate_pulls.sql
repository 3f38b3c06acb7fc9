-- Grain: One row per candidate and member pull, with the edges that tie the pull to the candidate.
-- Key: candidate_id, repository_id, number.
-- From: group *; crawl repository ecosystem.
-- Columns:
--   via: The edges from this pull to the anchor, in words, with scores and a snippet; "merged first" for the anchor.
-- Example: the pulls of the newest candidate, with the edges that tie them.
--   SELECT pull, via FROM candidate_pulls
--   WHERE candidate_id = (SELECT arg_max(candidate_id, latest_merged_at) FROM candidates) ORDER BY pull
CREATE OR REPLACE VIEW candidate_pulls AS
SELECT m.candidate_id, r.repository, m.number, r.repository || '#' || m.number AS pull, m.via, m.repository_id,
       r.ecosystem
FROM group_members m
JOIN repositories r ON r.repository_id = m.repository_id;
