-- Writer: evaluate, in a store of its own in the evaluation's folder, whole with every report.json. Reader: the views evaluation_*.
-- One row a run (model, mode, attempt) of the evaluation and target of the release, and one with target '' a task: report.json as
-- a table, so that what has no verdict (missing, infra) is there, too.
CREATE TABLE evaluation_states (
    model        VARCHAR NOT NULL,
    mode         VARCHAR NOT NULL,           -- joint independent
    attempt      INTEGER NOT NULL,
    task_id      VARCHAR NOT NULL,
    ecosystem    VARCHAR NOT NULL,
    kind         VARCHAR NOT NULL,           -- bugfix feature
    target       VARCHAR NOT NULL,           -- owner/name, '' the task
    status       VARCHAR NOT NULL,
    resolved     BOOLEAN NOT NULL,
    reason       VARCHAR NOT NULL,
    f2p_passed   INTEGER NOT NULL,
    f2p          INTEGER NOT NULL,
    p2p_passed   INTEGER NOT NULL,
    p2p          INTEGER NOT NULL,
    seconds      DOUBLE NOT NULL,
    api_requests BIGINT,                     -- of a task's row; NULL where the prediction does not say
    patched      VARCHAR[] NOT NULL,         -- repositories that the prediction changes; of a task's row
    replaced     VARCHAR[] NOT NULL,         -- test files that the prediction touched; of a target's row
    flags        VARCHAR[] NOT NULL,
    log          VARCHAR NOT NULL
);
