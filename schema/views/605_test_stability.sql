-- Grain: one row a task, target and test that validate --stress looked at: what it broke under, and what it needs.
-- broke_under and wavered_under (broke once of two) are of order, one_cpu, clock and zone; not_checked of all. needs_network
-- and needs_root are NULL for a test that passes without, and where it could not be looked at. shaken tests are unstable
-- in test_transitions; a test that breaks under the shifted clock alone is not: it has a date, see valid_until of tasks.
-- Key: task_id, repository, test_id.
-- From: validate *.
-- Example: tests that depend on their order.
--   SELECT task_id, repository, test_id, detail FROM test_stability WHERE list_contains(broke_under, 'order') ORDER BY ALL
CREATE OR REPLACE VIEW test_stability AS
SELECT task_id, repository, test_id,
       coalesce(list(variant ORDER BY variant) FILTER (outcome = 'breaks'), []) AS broke_under,
       coalesce(list(variant ORDER BY variant) FILTER (outcome = 'wavers'), []) AS wavered_under,
       coalesce(list(variant ORDER BY variant) FILTER (outcome = 'not_checked'), []) AS not_checked,
       bool_or(outcome = 'needed') FILTER (variant = 'network' AND outcome <> 'not_checked') AS needs_network,
       bool_or(outcome = 'needed') FILTER (variant = 'root' AND outcome <> 'not_checked') AS needs_root,
       bool_or(outcome = 'wavers' OR outcome = 'breaks' AND variant <> 'clock') AS shaken,
       coalesce(string_agg(variant || ': ' || detail, '; ' ORDER BY variant) FILTER (outcome IN ('breaks', 'wavers') AND detail <> ''), '') AS detail
FROM stress_outcomes
GROUP BY task_id, repository, test_id;
