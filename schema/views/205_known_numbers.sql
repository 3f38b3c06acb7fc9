-- Grain: one row a number that is known to be a pull or an issue: what it is.
CREATE OR REPLACE VIEW known_numbers AS
SELECT repository_id, number, max(kind) AS kind -- of issue and pull the latter
FROM (SELECT DISTINCT repository_id, number, 'pull' AS kind FROM pull_versions
      UNION ALL
      SELECT DISTINCT repository_id, number, kind FROM issue_versions WHERE kind IN ('issue', 'pull'))
GROUP BY repository_id, number;
