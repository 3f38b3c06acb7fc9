-- Writer: validate. Readers: run_overview.
-- Why a run ended as it did.
ALTER TABLE test_runs ADD COLUMN limits_met VARCHAR DEFAULT ''; -- time memory disk processes output, with spaces between
ALTER TABLE test_runs ADD COLUMN detail VARCHAR DEFAULT '';     -- the reason of a status other than ok, one line
