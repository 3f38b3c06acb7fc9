-- Grain: One row per reference from the title or body of a merged pull to a repository outside the inventory.
-- References that bots wrote or that are in a changelog are left out.
-- Key: source_repository_id, source_number, location, byte_offset, target.
-- From: link *; crawl source ecosystem.
-- Columns:
--   source: The pull that contains the reference, as owner/name#N.
--   target: What the reference points to, as written: owner/name#N, or owner/name@sha for a commit.
--   target_kind: What the written form says: pull, issue, commit, discussion or unknown.
--   may_group: Always false: the target is outside the inventory.
--   flags: Facts about the place of the reference: details, heading, list, loose, quote, redirect, release, rollup or
--     struck; an empty list where there are none.
--   reason: Why the reference may not group: always "outside the inventory".
--   ecosystem: Name of the source's ecosystem.
--   mode: Always strict; the paper's rule has rows of its own in paper_link_list.
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
