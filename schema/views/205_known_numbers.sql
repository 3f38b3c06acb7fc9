-- Grain: One row per number that is known to be a pull or an issue: what it is, and its latest state.
-- Key: repository_id, number.
-- From: crawl *.
-- Columns:
--   number: Number of the pull or issue in its repository.
--   kind: pull or issue.
--   state: merged, open or closed.
--   merged_at: When the pull was merged (UTC); null where it was not merged or is an issue.
-- Example: known numbers by kind and state.
--   SELECT kind, state, count(*) AS numbers FROM known_numbers GROUP BY kind, state ORDER BY numbers DESC
CREATE OR REPLACE VIEW known_numbers AS
SELECT repository_id, number, max(kind) AS kind, -- pull, where it is both
       CASE WHEN max(merged_at) IS NOT NULL THEN 'merged' ELSE arg_max(state, fetched_at) END AS state,
       max(merged_at) AS merged_at
FROM (SELECT repository_id, number, 'pull' AS kind, state, merged_at, fetched_at FROM pull_versions
      UNION ALL
      SELECT repository_id, number, kind, state, NULL, fetched_at FROM issue_versions WHERE kind IN ('issue', 'pull'))
GROUP BY repository_id, number;
