-- Grain: One row per repository that was audited, with its latest audit: its merged pulls counted against GitHub's
-- search.
-- Key: repository.
-- From: crawl *.
-- Columns:
--   complete: True where no pull that the search counts is missing here.
--   expected: Pulls merged between since and until, as GitHub's search counts them.
--   stored: Pulls merged between since and until that are stored here.
--   missing: Numbers of pulls that the search lists and that are not stored; an empty list where nothing is missing.
--   unlisted: Numbers of pulls that are stored and that the search does not list; may be an empty list.
--   since: Start of the audited window of merge times (UTC), included.
--   until: End of the audited window of merge times (UTC), included.
--   questions: Searches that the audit took.
--   audited_at: When the audit ran (UTC).
-- Example: what is missing, by repository.
--   SELECT repository, expected, stored, missing FROM crawl_audit WHERE NOT complete ORDER BY repository
CREATE OR REPLACE VIEW crawl_audit AS
WITH latest AS (
    SELECT *
    FROM crawl_audits
    QUALIFY row_number() OVER (PARTITION BY repository_id ORDER BY audited_at DESC, rowid DESC) = 1
)
SELECT r.repository, r.ecosystem, a.expected, a.stored,
       len(a.missing) = 0 AND a.expected <= a.stored + len(a.unlisted) AS complete,
       a.missing, a.unlisted, a.since, a.until, a.questions, a.audited_at
FROM latest a
JOIN repositories r ON r.repository_id = a.repository_id AND r.state <> 'gone';
