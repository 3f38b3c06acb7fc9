-- Grain: One row per reference from the title or body of a merged pull to another repository of the inventory.
-- Group, dedupe and inspect read these; links adds what inspect found later.
-- Key: source_repository_id, source_number, location, byte_offset, target.
-- From: link *; crawl source target target_kind target_state target_merged_at ecosystem.
-- Columns:
--   source: The pull that contains the reference, as owner/name#N.
--   target: What the reference points to: owner/name#N, or owner/name@sha for a commit.
--   flags: Facts about the place of the reference: bot, changelog, details, heading, list, loose, quote, redirect,
--     release, rollup or struck; an empty list where there are none.
--   reason: Why the reference may not group; empty where it may.
--   ecosystem: Name of the source's ecosystem.
--   mode: Always strict; the paper's rule has rows of its own in paper_link_list.
-- Example: references that may join pulls, by relation.
--   SELECT relation, count(*) AS links FROM text_links WHERE may_group GROUP BY relation ORDER BY links DESC
CREATE OR REPLACE VIEW text_links AS
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
