-- Grain: one row a run (model, mode, attempt) of an evaluation, task and target of the release: its verdict, missing and infra too.
-- resolved is strict: as submitted and in the second run; as_submitted is the paper's rule alone. rules is the version of the rules that
-- the verdict follows; before version 6 as_submitted is NULL: not known.
-- configuration names the run as reports do. f2p_complete is NULL for a target without F2P, p2p_preserved for one without P2P.
-- In an evaluation's store alone: wideswe sql --evaluation OUT.
-- Key: model, mode, attempt, task_id, repository.
-- From: evaluate *.
-- Example: resolved repositories by configuration.
--   SELECT configuration, count(*) AS targets, count(*) FILTER (resolved) AS resolved, count(*) FILTER (as_submitted) AS as_submitted,
--     bool_or(status = 'infra') AS incomplete
--   FROM evaluation_targets GROUP BY configuration ORDER BY configuration
CREATE OR REPLACE VIEW evaluation_targets AS
SELECT model, mode, attempt, model || ' ' || mode || CASE WHEN attempt > 1 THEN ', attempt ' || attempt ELSE '' END AS configuration,
       task_id, ecosystem, kind, target AS repository, status, resolved, as_submitted, f2p_passed, f2p, p2p_passed, p2p,
       CASE WHEN f2p > 0 THEN f2p_passed = f2p END AS f2p_complete, CASE WHEN p2p > 0 THEN p2p_passed = p2p END AS p2p_preserved,
       seconds, reason, replaced, flags, log, rules
FROM evaluation_states
WHERE target <> '';
