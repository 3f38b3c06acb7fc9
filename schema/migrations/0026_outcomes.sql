-- Writer: evaluate, in a store of its own in the evaluation's folder. Readers: regrade, explain, analysts of an
-- evaluation.
-- One row per run and reported test, also of tests that decide nothing. Run 1 is the run itself; later ones are reruns
-- of tests that a crash hid. A test without a row was not reported: it is missing.
CREATE TABLE evaluation_outcomes (
    task_id VARCHAR NOT NULL,
    model   VARCHAR NOT NULL,
    mode    VARCHAR NOT NULL,
    attempt INTEGER NOT NULL,
    target  VARCHAR NOT NULL,
    variant VARCHAR NOT NULL,
    run     INTEGER NOT NULL,
    test_id VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,                -- pass fail error skip not_run
    seconds DOUBLE NOT NULL,
    message VARCHAR NOT NULL
);
