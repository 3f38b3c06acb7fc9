-- Writer: validate. Readers: the views test_stability, test_transitions and tasks.
-- One row per run of gold under other circumstances (validate --stress): order (shuffled), one_cpu, clock (set
-- ahead), zone (not UTC), network (on), root. These runs are not repeats.
CREATE TABLE stress_runs (
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,
    variant    VARCHAR NOT NULL,          -- order one_cpu clock zone network root
    try        INTEGER NOT NULL,          -- 2 where tests failed in the first; 3 for clock, with the library loaded and the real time
    status     VARCHAR NOT NULL,          -- as in test_runs, or not_checked
    detail     VARCHAR NOT NULL,          -- why not checked, or the run's detail, one line
    shift_days INTEGER NOT NULL,          -- for the variant clock, otherwise 0
    seconds    DOUBLE NOT NULL,
    log        VARCHAR NOT NULL,          -- path under .wideswe/logs
    started_at TIMESTAMP                  -- NULL where nothing ran
);
CREATE TABLE stress_outcomes (
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,
    test_id    VARCHAR NOT NULL,
    variant    VARCHAR NOT NULL,
    outcome    VARCHAR NOT NULL,          -- holds, breaks, wavers (failed in one of two runs) or not_checked; for network and root: needed, fails or not_checked
    detail     VARCHAR NOT NULL           -- what it printed, or why it was not checked
);
