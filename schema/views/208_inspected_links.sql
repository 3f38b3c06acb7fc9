-- Grain: One row per reference from a comment, commit message, linked issue or branch name of an inspected pull to
-- another repository of the inventory.
-- Key: source_repository_id, source_number, location, origin, byte_offset, target.
-- From: inspect *; crawl source target target_kind target_state target_merged_at ecosystem target_repository_id.
-- Columns:
--   source: The pull that the text belongs to, as owner/name#N.
--   target: What the reference points to: owner/name#N, or owner/name@sha for a commit.
--   may_group: Always false: these references are evidence for people and join nothing.
--   flags: Facts about the place of the reference: bot, changelog, details, heading, list, loose, quote, redirect,
--     release, rollup or struck; an empty list where there are none.
--   reason: Why the reference may not group: always "found by inspect".
--   ecosystem: Name of the source's ecosystem.
--   mode: Always strict; the paper's rule has rows of its own in paper_link_list.
--   author: Login of who wrote the text; empty for the text of an issue.
-- Example: where people name other repositories outside titles and bodies.
--   SELECT location, relation, count(*) AS links, count(DISTINCT source) AS pulls
--   FROM inspected_links GROUP BY location, relation ORDER BY links DESC
CREATE OR REPLACE VIEW inspected_links AS
SELECT s.repository || '#' || i.number AS source,
       CASE WHEN i.target_number IS NULL THEN t.repository || '@' || i.target_sha
            ELSE t.repository || '#' || i.target_number END AS target,
       CASE WHEN i.target_kind = 'discussion' THEN 'discussion' ELSE coalesce(k.kind, i.target_kind) END AS target_kind,
       i.form, i.location, i.relation, false AS may_group, i.flags, i.snippet,
       'found by inspect' AS reason, i.written, i.byte_offset, i.byte_length, s.ecosystem,
       i.repository_id AS source_repository_id, i.number AS source_number,
       t.repository_id AS target_repository_id, i.target_number, i.target_sha, i.rule_version,
       'strict' AS mode, k.state AS target_state, k.merged_at AS target_merged_at, i.origin, i.author
FROM inspected_references i
JOIN repositories s ON s.repository_id = i.repository_id
JOIN repository_names n ON n.name = lower(i.target_repository)
JOIN repositories t ON t.repository_id = n.repository_id AND t.repository_id <> i.repository_id
LEFT JOIN known_numbers k ON k.repository_id = t.repository_id AND k.number = i.target_number;
