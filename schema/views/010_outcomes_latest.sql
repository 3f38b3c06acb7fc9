-- Grain: one row an item and stage: how it ended last.
-- Key: stage, item.
-- From: the engine *.
-- Example: what failed, and why.
--   SELECT stage, status, count(*) AS items, min(reason) AS for_instance
--   FROM outcomes_latest GROUP BY stage, status ORDER BY stage, status
CREATE OR REPLACE VIEW outcomes_latest AS
SELECT stage, item, version, input_hash, status, reason, recorded_at
FROM outcomes
-- By the order of recording: the clock may have been moved between two runs.
QUALIFY row_number() OVER (PARTITION BY stage, item ORDER BY rowid DESC) = 1;
