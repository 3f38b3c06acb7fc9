-- Grain: One row per pair of merged pulls, kind and evidence: what something other than a link suggests, or a strong
-- link that a rule refused, where no candidate holds both pulls. No proposal is a candidate by itself: review merge
-- makes it one.
-- Key: a, b, kind, evidence.
-- From: dedupe *; inspect evidence; group a_candidate b_candidate reason; crawl a b.
-- Columns:
--   a: The pull whose repository id is lower, as owner/name#N.
--   b: The other pull, as owner/name#N.
--   kind: title, similar_title or branch (of one author, within days), manifest (a file of one pull begins to use the
--     other's commit) or refused (a strong link that a rule refused).
--   evidence: The titles, the branch, the line of the manifest or the text of the link.
--   reason: Why the rule refused the link; empty for the other kinds.
--   a_candidate: Candidate that holds a; null where none does.
--   b_candidate: Candidate that holds b; null where none does.
--   a_repository_id: GitHub's id of a's repository.
--   a_number: Number of a in its repository.
--   b_repository_id: GitHub's id of b's repository.
--   b_number: Number of b in its repository.
-- Example: what to look at beside the candidates, the strongest first.
--   SELECT a, b, string_agg(DISTINCT kind, ', ' ORDER BY kind) AS kinds, min(evidence) AS evidence FROM proposals
--   GROUP BY a, b ORDER BY count(DISTINCT kind) DESC, a, b LIMIT 20
CREATE OR REPLACE VIEW proposals AS
WITH suggested AS (
    SELECT a_repository_id, a_number, b_repository_id, b_number, kind, evidence, '' AS reason FROM pull_proposals
    UNION ALL
    SELECT source_repository_id, source_number, target_repository_id, target_number, 'manifest',
           path || ': ' || module || ' ' || sha, ''
    FROM dependency_links WHERE target_number IS NOT NULL AND kind <> 'workflow_action'
    UNION ALL
    SELECT a_repository_id, a_number, b_repository_id, b_number, 'refused', evidence, reason
    FROM edges WHERE NOT admitted AND score >= 3 AND NOT contains(reason, 'kept apart by')
        AND NOT contains(reason, 'is not merged')
), pairs AS (
    SELECT DISTINCT CASE WHEN swap THEN b_repository_id ELSE a_repository_id END AS a_id,
           CASE WHEN swap THEN b_number ELSE a_number END AS a_number,
           CASE WHEN swap THEN a_repository_id ELSE b_repository_id END AS b_id,
           CASE WHEN swap THEN a_number ELSE b_number END AS b_number,
           kind, evidence, reason
    FROM (SELECT *, (b_repository_id, b_number) < (a_repository_id, a_number) AS swap FROM suggested)
), apart AS (
    SELECT a_repository_id, a_number, b_repository_id, b_number FROM edges
    WHERE NOT admitted AND contains(reason, 'kept apart by')
)
SELECT a.repository || '#' || p.a_number AS a, b.repository || '#' || p.b_number AS b, p.kind, p.evidence, p.reason,
       m.candidate_id AS a_candidate, n.candidate_id AS b_candidate, a.ecosystem,
       p.a_id AS a_repository_id, p.a_number, p.b_id AS b_repository_id, p.b_number
FROM pairs p
JOIN repositories a ON a.repository_id = p.a_id
JOIN repositories b ON b.repository_id = p.b_id
LEFT JOIN group_members m ON m.repository_id = p.a_id AND m.number = p.a_number
LEFT JOIN group_members n ON n.repository_id = p.b_id AND n.number = p.b_number
ANTI JOIN apart x ON x.a_repository_id = p.a_id AND x.a_number = p.a_number
    AND x.b_repository_id = p.b_id AND x.b_number = p.b_number
WHERE m.candidate_id IS DISTINCT FROM n.candidate_id OR m.candidate_id IS NULL;
