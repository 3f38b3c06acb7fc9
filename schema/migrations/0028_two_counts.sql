-- Writer: evaluate. Readers: regrade, the views evaluation_*.
-- Two counts of resolved targets and tasks, and the version of the rules. Rows of an earlier program keep their
-- verdict, and as_submitted stays NULL.
ALTER TABLE evaluation_runs ADD COLUMN unbuilt BOOLEAN DEFAULT NULL;           -- true where something that the tests need could not be built or loaded
ALTER TABLE evaluation_states ADD COLUMN as_submitted BOOLEAN DEFAULT NULL;    -- resolved by the run as submitted (the paper's rule)
ALTER TABLE evaluation_states ADD COLUMN rules VARCHAR DEFAULT NULL;           -- version of the rules that the verdict follows
UPDATE evaluation_states SET rules = (SELECT arg_max(version, recorded_at) FROM outcomes WHERE stage = 'evaluate');
