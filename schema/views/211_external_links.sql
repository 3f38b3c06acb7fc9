-- Grain: one row an occurrence of a reference from a merged pull to a repository outside the inventory, as written.
-- Key: source_repository_id, source_number, location, byte_offset, target.
-- From: link *; crawl source ecosystem.
-- Example: repositories outside the inventory that pulls name most.
--   SELECT split_part(target, '#', 1) AS repository, count(*) AS links
--   FROM external_links GROUP BY repository ORDER BY links DESC, repository LIMIT 20
CREATE OR REPLACE VIEW external_links AS
SELECT s.repository || '#' || l.number AS source,
       CASE WHEN l.target_number IS NULL THEN l.target_repository || '@' || l.target_sha
            ELSE l.target_repository || '#' || l.target_number END AS target,
       l.target_kind, l.form, l.location, l.relation, l.may_group, l.flags, l.snippet,
       l.reason, l.written, l.byte_offset, l.byte_length, s.ecosystem,
       l.repository_id AS source_repository_id, l.number AS source_number,
       l.target_number, l.target_sha, l.rule_version, 'strict' AS mode
FROM link_occurrences l
JOIN repositories s ON s.repository_id = l.repository_id
WHERE l.target_repository_id IS NULL;
