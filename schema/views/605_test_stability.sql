-- Grain: One row per task, target and test that validate --stress looked at: what the test breaks under, and what
-- it needs.
-- Key: task_id, repository, test_id.
-- From: validate *.
-- Columns:
--   broke_under: Variants under which it failed every time it ran: clock, one_cpu, order or zone; may be an empty
--     list.
--   wavered_under: Variants under which it failed in one of two runs: clock, one_cpu, order or zone; may be an empty
--     list.
--   not_checked: Variants that could not be checked, network and root among them; detail in stress_outcomes says why;
--     may be an empty list.
--   needs_network: True where it fails without the network and passes with it, false where it fails with it too; null
--     where that was not tried, as for tests that pass.
--   needs_root: True where it fails without root and passes as root, false where it fails as root too; null where
--     that was not tried, as for tests that pass.
--   shaken: True where it counts as unstable: it wavered under a variant, or broke under one other than clock.
--   detail: What it printed where it failed, by variant; empty where it did not fail.
-- Example: tests that depend on their order.
--   SELECT task_id, repository, test_id, detail FROM test_stability WHERE list_contains(broke_under, 'order')
--     ORDER BY ALL
CREATE OR REPLACE VIEW test_stability AS
SELECT task_id, repository, test_id,
       coalesce(list(variant ORDER BY variant) FILTER (outcome = 'breaks'), []) AS broke_under,
       coalesce(list(variant ORDER BY variant) FILTER (outcome = 'wavers'), []) AS wavered_under,
       coalesce(list(variant ORDER BY variant) FILTER (outcome = 'not_checked'), []) AS not_checked,
       bool_or(outcome = 'needed') FILTER (variant = 'network' AND outcome <> 'not_checked') AS needs_network,
       bool_or(outcome = 'needed') FILTER (variant = 'root' AND outcome <> 'not_checked') AS needs_root,
       bool_or(outcome = 'wavers' OR outcome = 'breaks' AND variant <> 'clock') AS shaken,
       coalesce(string_agg(variant || ': ' || detail, '; ' ORDER BY variant)
           FILTER (outcome IN ('breaks', 'wavers') AND detail <> ''), '') AS detail
FROM stress_outcomes
GROUP BY task_id, repository, test_id;
