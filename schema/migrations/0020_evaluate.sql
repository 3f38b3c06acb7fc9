-- Writer: evaluate, in a store of its own in the evaluation's folder. Reader: analysts of an evaluation.
-- One row per test run of a target. Variant submitted is the run as submitted, base_config the second run.
CREATE TABLE evaluation_runs (
    task_id        VARCHAR NOT NULL,
    model          VARCHAR NOT NULL,
    mode           VARCHAR NOT NULL,         -- joint independent
    attempt        INTEGER NOT NULL,
    target         VARCHAR NOT NULL,         -- owner/name
    variant        VARCHAR NOT NULL,         -- submitted base_config
    prediction_key VARCHAR NOT NULL,         -- digest of the prediction's bytes
    status         VARCHAR NOT NULL,         -- ok build_failed timeout crashed no_report inconsistent
    detail         VARCHAR NOT NULL,
    exit_code      INTEGER NOT NULL,
    timed_out      BOOLEAN NOT NULL,
    oom            BOOLEAN NOT NULL,
    runs           INTEGER NOT NULL,         -- the run and its reruns of tests that a crash hid
    seconds        DOUBLE NOT NULL,
    image_id       VARCHAR NOT NULL,
    log            VARCHAR NOT NULL          -- path under the evaluation's folder
);
-- One row per run and test that decides.
CREATE TABLE evaluation_tests (
    task_id VARCHAR NOT NULL,
    model   VARCHAR NOT NULL,
    mode    VARCHAR NOT NULL,
    attempt INTEGER NOT NULL,
    target  VARCHAR NOT NULL,
    variant VARCHAR NOT NULL,
    test_id VARCHAR NOT NULL,
    class   VARCHAR NOT NULL,                -- F2P P2P
    outcome VARCHAR NOT NULL,                -- pass fail error skip not_run missing
    message VARCHAR NOT NULL
);
-- One row per target, and one per task with target '': the verdict. report is its part of report.json.
CREATE TABLE evaluation_verdicts (
    task_id  VARCHAR NOT NULL,
    model    VARCHAR NOT NULL,
    mode     VARCHAR NOT NULL,
    attempt  INTEGER NOT NULL,
    target   VARCHAR NOT NULL,
    resolved BOOLEAN NOT NULL,
    status   VARCHAR NOT NULL,
    reason   VARCHAR NOT NULL,
    report   VARCHAR NOT NULL                -- JSON
);
