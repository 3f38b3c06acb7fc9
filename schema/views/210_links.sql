-- Grain: One row per reference from a merged pull to another repository of the inventory. Link found those in
-- titles and bodies, and only these may group; inspect found those in comments, commit messages, linked issues and
-- branch names.
-- Key: source_repository_id, source_number, location, origin, byte_offset, target.
-- From: link, inspect *; inspect origin; crawl source target target_kind target_state target_merged_at ecosystem.
-- Columns:
--   source: The pull that contains the reference, as owner/name#N.
--   target: What the reference points to: owner/name#N, or owner/name@sha for a commit.
--   flags: Facts about the place of the reference: bot, changelog, details, heading, list, loose, quote, redirect,
--     release, rollup or struck; an empty list where there are none.
--   reason: Why the reference may not group; empty where it may.
--   ecosystem: Name of the source's ecosystem.
--   mode: Always strict; the paper's rule has rows of its own in paper_link_list.
-- Example: links to merged pulls, by relation and by whether they may join pulls.
--   SELECT relation, may_group, count(*) AS links, count(DISTINCT source) AS pulls
--   FROM links WHERE target_state = 'merged' GROUP BY relation, may_group ORDER BY links DESC
CREATE OR REPLACE VIEW links AS
SELECT *, '' AS origin FROM text_links
UNION ALL BY NAME
SELECT * EXCLUDE (author) FROM inspected_links;
