-- Grain: One row per pull and number that the paper's own rule finds in its title and body.
-- Key: source_repository_id, source_number, position.
-- From: link *; crawl source ecosystem target_kind target_state target_merged_at.
-- Columns:
--   source: The pull that contains the link, as owner/name#N.
--   target: The pull or issue that the link names, as owner/name#N.
--   target_kind: pull or issue; null where crawl has not seen the number.
--   target_state: merged, open or closed; null where crawl has not seen the number.
--   target_number: Number of the target in its repository.
--   target_repository_id: GitHub's numeric id of the target's repository; null where it is not an active repository
--     of the source's ecosystem.
--   position: Place of the link among the pull's links, from 0.
--   ecosystem: Name of the source's ecosystem.
--   mode: Always paper; the strict rules have their rows in links.
--   rule_version: Version of the paper's rule as implemented here.
-- Example: links by the kind and state of their target.
--   SELECT coalesce(target_kind, 'unknown') AS kind, coalesce(target_state, '') AS state, count(*) AS links
--   FROM paper_link_list WHERE mode = 'paper' GROUP BY ALL ORDER BY links DESC
CREATE OR REPLACE VIEW paper_link_list AS
SELECT s.repository || '#' || l.number AS source, l.target_repository || '#' || l.target_number AS target,
       k.kind AS target_kind, k.state AS target_state, k.merged_at AS target_merged_at, l.position, s.ecosystem,
       l.repository_id AS source_repository_id, l.number AS source_number, l.target_repository_id, l.target_number,
       'paper' AS mode, l.rule_version
FROM paper_links l
JOIN repositories s ON s.repository_id = l.repository_id
LEFT JOIN known_numbers k ON k.repository_id = l.target_repository_id AND k.number = l.target_number;
