-- Writer: validate. Readers: the views test_stability, test_transitions and tasks.
-- Gold run again under other circumstances (validate --stress): order (shuffled), one_cpu, clock (set
-- ahead), zone (no UTC), network (on), root. Never part of the repeats.
CREATE TABLE stress_runs (
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,
    variant    VARCHAR NOT NULL,          -- order one_cpu clock zone network root
    try        INTEGER NOT NULL,          -- 2 where the first broke tests; clock: 3 with the library loaded and the clock left alone
    status     VARCHAR NOT NULL,          -- of test_runs, or not_checked
    detail     VARCHAR NOT NULL,          -- why not, one line
    shift_days INTEGER NOT NULL,          -- of the variant clock, else 0
    seconds    DOUBLE NOT NULL,
    log        VARCHAR NOT NULL,          -- path under .wideswe/logs
    started_at TIMESTAMP                  -- NULL where nothing ran
);
CREATE TABLE stress_outcomes (
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,
    test_id    VARCHAR NOT NULL,
    variant    VARCHAR NOT NULL,
    outcome    VARCHAR NOT NULL,          -- holds breaks wavers (broke once of two) not_checked; network and root: needed fails (there, too) not_checked
    detail     VARCHAR NOT NULL           -- what it printed, or why it was not checked
);
