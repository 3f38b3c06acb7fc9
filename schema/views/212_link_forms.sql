-- Grain: One row per form and relation: how often references are written so, and how many may join pulls.
-- Key: form, relation.
-- From: link *.
-- Columns:
--   links: References to repositories of the inventory.
--   may_group: References that may join pulls into a candidate.
--   external: References to repositories outside the inventory.
-- Example: forms by frequency.
--   SELECT form, sum(links) AS links, sum(may_group) AS may_group FROM link_forms GROUP BY form ORDER BY links DESC
CREATE OR REPLACE VIEW link_forms AS
SELECT form, relation,
       count(*) FILTER (WHERE target_repository_id IS NOT NULL) AS links,
       count(*) FILTER (WHERE may_group) AS may_group,
       count(*) FILTER (WHERE target_repository_id IS NULL) AS external
FROM link_occurrences
GROUP BY form, relation
ORDER BY form, relation;
