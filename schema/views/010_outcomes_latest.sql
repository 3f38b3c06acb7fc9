-- Grain: One row per item and stage: how the item ended last.
-- Key: stage, item.
-- From: the engine *.
-- Columns:
--   stage: Name of the stage.
--   item: Id of the item in its stage: a repository, candidate or task, for instance.
--   version: Version of the stage's rules that produced the outcome.
--   input_hash: Digest of everything that decides the item; the item runs again when it changes.
--   status: done, skipped (a fact about the item rules it out), failed (our machinery broke; the next run retries) or
--     gone (no longer an item of the stage).
--   reason: Why the item was skipped or failed; may be empty.
--   recorded_at: When the outcome was recorded (UTC).
-- Example: what failed, and why.
--   SELECT stage, status, count(*) AS items, min(reason) AS for_instance
--   FROM outcomes_latest GROUP BY stage, status ORDER BY stage, status
CREATE OR REPLACE VIEW outcomes_latest AS
SELECT stage, item, version, input_hash, status, reason, recorded_at
FROM outcomes
-- In the order of recording: the clock may have been changed between two runs.
QUALIFY row_number() OVER (PARTITION BY stage, item ORDER BY rowid DESC) = 1;
