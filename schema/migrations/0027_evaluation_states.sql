-- Writer: evaluate, in a store of its own in the evaluation's folder, anew with every report.json. Reader: the views
-- evaluation_*.
-- One row per run (model, mode, attempt) of the evaluation and target of the release, and one per task with target '':
-- report.json as a table, so that tasks without a verdict (missing, infra) are included.
CREATE TABLE evaluation_states (
    model        VARCHAR NOT NULL,
    mode         VARCHAR NOT NULL,           -- joint independent
    attempt      INTEGER NOT NULL,
    task_id      VARCHAR NOT NULL,
    ecosystem    VARCHAR NOT NULL,
    kind         VARCHAR NOT NULL,           -- bugfix feature
    target       VARCHAR NOT NULL,           -- owner/name, '' for the task
    status       VARCHAR NOT NULL,
    resolved     BOOLEAN NOT NULL,
    reason       VARCHAR NOT NULL,
    f2p_passed   INTEGER NOT NULL,
    f2p          INTEGER NOT NULL,
    p2p_passed   INTEGER NOT NULL,
    p2p          INTEGER NOT NULL,
    seconds      DOUBLE NOT NULL,
    api_requests BIGINT,                     -- in a task's row; NULL where the prediction does not say
    patched      VARCHAR[] NOT NULL,         -- repositories that the prediction changes; in a task's row
    replaced     VARCHAR[] NOT NULL,         -- test files that the prediction changed; in a target's row
    flags        VARCHAR[] NOT NULL,
    log          VARCHAR NOT NULL
);
