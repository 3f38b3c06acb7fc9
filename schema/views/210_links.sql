-- Grain: one row an occurrence of a reference from a merged pull to another repository of the inventory.
-- target_kind is what the number is known to be, else what the written form says.
-- Those in titles and bodies are of link and alone may group; those in comments, commit messages, linked issues and branch
-- names of candidates' pulls are of inspect, and origin tells the text: the anchor of a comment, a commit, an issue.
-- mode is strict: the paper's own rule has rows of its own in paper_link_list. target_state is merged, open or closed.
-- Key: source_repository_id, source_number, location, origin, byte_offset, target.
-- From: link, inspect *; inspect origin; crawl source target target_kind target_state target_merged_at ecosystem.
-- Example: what links to merged pulls say, and which may join pulls.
--   SELECT relation, may_group, count(*) AS links, count(DISTINCT source) AS pulls
--   FROM links WHERE target_state = 'merged' GROUP BY relation, may_group ORDER BY links DESC
CREATE OR REPLACE VIEW links AS
SELECT *, '' AS origin FROM text_links
UNION ALL BY NAME
SELECT * EXCLUDE (author) FROM inspected_links;
