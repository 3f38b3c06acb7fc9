-- Grain: One row per run of an evaluation (model, mode, attempt), task and target of the release, also where
-- nothing ran. Only filled in an evaluation's store: wideswe sql --evaluation OUT.
-- Key: model, mode, attempt, task_id, repository.
-- From: evaluate *.
-- Columns:
--   kind: bugfix or feature.
--   status: State of the target: resolved, unresolved, disputed, unbuilt, empty, missing, patch_failed, patch_unsafe,
--     rejected, injection_failed, timeout, inconsistent or infra.
--   resolved: True where all F2P and P2P tests pass as submitted and again in the second run (the strict rule).
--   as_submitted: True where all F2P and P2P tests pass as submitted (the paper's rule); null in reports older than
--     rules version 6.
--   f2p_passed: F2P tests that passed in the run as submitted; 0 where no run counts.
--   p2p_passed: P2P tests that passed in the run as submitted; 0 where no run counts.
--   f2p: F2P tests of the target in the release.
--   p2p: P2P tests of the target in the release.
--   f2p_complete: True where every F2P test passed; null where the target has none.
--   p2p_preserved: True where every P2P test passed; null where the target has none.
--   seconds: Seconds that the run as submitted and its reruns took; 0 where nothing ran.
--   reason: Why the target has this status, in words; may be empty.
--   replaced: Test files that the prediction changed and that the hidden tests replaced; may be an empty list.
--   flags: What set the runs apart from one plain run of base, patch and hidden tests, in words; may be an empty
--     list.
--   log: Path of the log in the evaluation's folder; empty where nothing ran.
-- Example: resolved repositories by configuration.
--   SELECT configuration, count(*) AS targets, count(*) FILTER (resolved) AS resolved,
--     count(*) FILTER (as_submitted) AS as_submitted,
--     bool_or(status = 'infra') AS incomplete
--   FROM evaluation_targets GROUP BY configuration ORDER BY configuration
CREATE OR REPLACE VIEW evaluation_targets AS
SELECT model, mode, attempt,
       model || ' ' || mode || CASE WHEN attempt > 1 THEN ', attempt ' || attempt ELSE '' END AS configuration,
       task_id, ecosystem, kind, target AS repository, status, resolved, as_submitted, f2p_passed, f2p, p2p_passed, p2p,
       CASE WHEN f2p > 0 THEN f2p_passed = f2p END AS f2p_complete,
       CASE WHEN p2p > 0 THEN p2p_passed = p2p END AS p2p_preserved,
       seconds, reason, replaced, flags, log, rules
FROM evaluation_states
WHERE target <> '';
