-- Grain: one row a pull and number that the paper's own rule finds in its title and body, beside the table paper_links.
-- Targets outside the inventory are here too, with no target_repository_id.
-- Key: source_repository_id, source_number, position.
-- From: link *; crawl source ecosystem target_kind target_state target_merged_at.
-- Example: what the paper's rule finds, by what the target is.
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
