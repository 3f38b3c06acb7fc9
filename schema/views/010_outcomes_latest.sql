-- Grain: one row an item and stage: how it ended last.
CREATE OR REPLACE VIEW outcomes_latest AS
SELECT stage, item, version, input_hash, status, reason, recorded_at
FROM outcomes
QUALIFY row_number() OVER (PARTITION BY stage, item ORDER BY recorded_at DESC, rowid DESC) = 1;
