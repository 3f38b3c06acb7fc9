-- Grain: one row an occurrence of a reference from a merged pull to another repository of the inventory.
-- target_kind is what the number is known to be, else what the written form says.
-- mode is strict: the paper's own rule has rows of its own in paper_link_list. target_state is merged, open or closed.
-- Key: source_repository_id, source_number, location, byte_offset, target.
-- From: link *; crawl source target target_kind target_state target_merged_at ecosystem.
-- Example: what links to merged pulls say, and which may join pulls.
--   SELECT relation, may_group, count(*) AS links, count(DISTINCT source) AS pulls
--   FROM links WHERE target_state = 'merged' GROUP BY relation, may_group ORDER BY links DESC
CREATE OR REPLACE VIEW links AS
SELECT s.repository || '#' || l.number AS source,
       CASE WHEN l.target_number IS NULL THEN t.repository || '@' || l.target_sha
            ELSE t.repository || '#' || l.target_number END AS target,
       CASE WHEN l.target_kind = 'discussion' THEN 'discussion' ELSE coalesce(k.kind, l.target_kind) END AS target_kind,
       l.form, l.location, l.relation, l.may_group, l.flags, l.snippet,
       l.reason, l.written, l.byte_offset, l.byte_length, s.ecosystem,
       l.repository_id AS source_repository_id, l.number AS source_number,
       l.target_repository_id, l.target_number, l.target_sha, l.rule_version,
       'strict' AS mode, k.state AS target_state, k.merged_at AS target_merged_at
FROM link_occurrences l
JOIN repositories s ON s.repository_id = l.repository_id
JOIN repositories t ON t.repository_id = l.target_repository_id
LEFT JOIN known_numbers k ON k.repository_id = l.target_repository_id AND k.number = l.target_number;
