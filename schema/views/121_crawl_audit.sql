-- Grain: one row a repository that was audited; the latest audit. complete: nothing that the search counts is missing here.
-- Key: repository.
-- From: crawl *.
-- Example: what is missing, by repository.
--   SELECT repository, expected, stored, missing FROM crawl_audit WHERE NOT complete ORDER BY repository
CREATE OR REPLACE VIEW crawl_audit AS
WITH latest AS (
    SELECT *
    FROM crawl_audits
    QUALIFY row_number() OVER (PARTITION BY repository_id ORDER BY audited_at DESC, rowid DESC) = 1
)
SELECT r.repository, r.ecosystem, a.expected, a.stored, len(a.missing) = 0 AND a.expected <= a.stored + len(a.unlisted) AS complete,
       a.missing, a.unlisted, a.since, a.until, a.questions, a.audited_at
FROM latest a
JOIN repositories r ON r.repository_id = a.repository_id AND r.state <> 'gone';
