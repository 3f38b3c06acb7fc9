-- Writer: validate. Readers: balance, export, the views test_transitions and targets.
CREATE TABLE task_images (
    task_id      VARCHAR NOT NULL,
    repository   VARCHAR NOT NULL,
    image        VARCHAR NOT NULL,          -- name
    image_id     VARCHAR NOT NULL,          -- content id
    base_image   VARCHAR NOT NULL,
    recipe       VARCHAR NOT NULL,          -- JSON
    build_log    VARCHAR NOT NULL,          -- path under .wideswe/logs
    seconds      DOUBLE NOT NULL,
    input        VARCHAR NOT NULL           -- of the view task_inputs, when it was validated
);
CREATE TABLE test_runs (
    run_id       VARCHAR NOT NULL,
    task_id      VARCHAR NOT NULL,
    repository   VARCHAR NOT NULL,
    state        VARCHAR NOT NULL,          -- base gold
    repeat       INTEGER NOT NULL,
    attempt      INTEGER NOT NULL,          -- 1, then reruns of tests that were not_run
    status       VARCHAR NOT NULL,          -- ok build_failed timeout crashed no_report inconsistent
    exit_code    INTEGER NOT NULL,
    timed_out    BOOLEAN NOT NULL,
    oom          BOOLEAN NOT NULL,
    seconds      DOUBLE NOT NULL,
    image_id     VARCHAR NOT NULL,
    limits       VARCHAR NOT NULL,          -- JSON
    rule_version VARCHAR NOT NULL,
    platform     VARCHAR NOT NULL,
    log          VARCHAR NOT NULL,          -- path under .wideswe/logs
    started_at   TIMESTAMP NOT NULL
);
CREATE TABLE test_outcomes (
    run_id     VARCHAR NOT NULL,
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,
    state      VARCHAR NOT NULL,
    repeat     INTEGER NOT NULL,
    test_id    VARCHAR NOT NULL,
    outcome    VARCHAR NOT NULL,
    message    VARCHAR NOT NULL,
    seconds    DOUBLE NOT NULL
);
