-- Writer: evaluate. Readers: regrade, the views evaluation_*.
-- Two counts of what is resolved, and the rules by which. Rows of an earlier program keep their verdict: as_submitted stays NULL.
ALTER TABLE evaluation_runs ADD COLUMN unbuilt BOOLEAN DEFAULT NULL;           -- something that the tests need could not be built or loaded
ALTER TABLE evaluation_states ADD COLUMN as_submitted BOOLEAN DEFAULT NULL;    -- the paper's rule: resolved by the run as submitted
ALTER TABLE evaluation_states ADD COLUMN rules VARCHAR DEFAULT NULL;           -- version of the rules that the verdict follows
UPDATE evaluation_states SET rules = (SELECT arg_max(version, recorded_at) FROM outcomes WHERE stage = 'evaluate');
