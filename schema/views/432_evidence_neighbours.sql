-- Grain: One row per candidate, member pull and pull that its comments, commits, issues or files name: what a
-- reviewer may want to merge.
-- Key: candidate_id, pull, neighbour, kind, location, origin.
-- From: inspect *; group candidate_id neighbour_candidate inside; crawl pull neighbour.
-- Columns:
--   pull: The member pull, as owner/name#N.
--   inside: True where the neighbour is a member already, so that the evidence confirms it.
--   kind: link (a text names the neighbour), or the kind of dependency, as in dependency_links.
--   location: Where the evidence is: comment, commit, issue, branch or file.
--   origin: For a file its path; otherwise the comment, commit or issue, as in links.
--   relation: What the words around the reference say, as in links; uses for a file.
--   flags: Facts about the place of the reference, as in links; an empty list for a file.
--   evidence: The snippet of text; for a file the dependency's name and commit.
-- Example: pulls outside a candidate that its comments or files name.
--   SELECT candidate_id, neighbour, count(*) AS evidence FROM evidence_neighbours
--   WHERE NOT inside GROUP BY candidate_id, neighbour ORDER BY evidence DESC, candidate_id, neighbour
CREATE OR REPLACE VIEW evidence_neighbours AS
WITH named AS (
    SELECT source_repository_id, source_number, target_repository_id, target_number, 'link' AS kind, location, origin,
           relation, flags, snippet AS evidence
    FROM inspected_links WHERE target_number IS NOT NULL AND target_kind IN ('pull', 'unknown')
    UNION ALL
    SELECT l.source_repository_id, l.source_number, c.repository_id, c.number, 'link', l.location, l.origin,
           l.relation, l.flags, l.snippet
    FROM inspected_links l
    JOIN pull_commits c ON c.repository_id = l.target_repository_id AND c.short = left(l.target_sha, 7)
        AND starts_with(c.sha, l.target_sha)
    WHERE l.target_number IS NULL
    UNION ALL
    SELECT source_repository_id, source_number, target_repository_id, target_number, kind, 'file', path, 'uses', [],
           module || ' ' || sha
    FROM dependency_links WHERE target_number IS NOT NULL)
SELECT DISTINCT m.candidate_id, s.repository || '#' || n.source_number AS pull,
       t.repository || '#' || n.target_number AS neighbour,
       o.candidate_id AS neighbour_candidate, coalesce(o.candidate_id = m.candidate_id, false) AS inside,
       n.kind, n.location, n.origin, n.relation, n.flags, n.evidence
FROM named n
JOIN group_members m ON m.repository_id = n.source_repository_id AND m.number = n.source_number
JOIN repositories s ON s.repository_id = n.source_repository_id
JOIN repositories t ON t.repository_id = n.target_repository_id
LEFT JOIN group_members o ON o.repository_id = n.target_repository_id AND o.number = n.target_number;
