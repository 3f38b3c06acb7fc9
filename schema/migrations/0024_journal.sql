-- Writer: validate. Readers: none but validate.
-- The base images that a task's result came from; another digest of one redoes the task.
CREATE TABLE task_bases (
    task_id  VARCHAR NOT NULL,
    image    VARCHAR NOT NULL,              -- as recipes name it
    pin      VARCHAR NOT NULL               -- digest at its registry, or id
);
-- The runs of tasks that are not at their end: each is kept as it ends, so that an
-- interrupt costs one run. When the task's rows come they go in the same transaction, but for
-- those of a task that was not stressed: stress asked for later begins with them.
CREATE TABLE run_journal (
    task_id  VARCHAR NOT NULL,
    run_key  VARCHAR NOT NULL,              -- digest of all that decides the run, and its number
    run      VARCHAR NOT NULL,              -- JSON
    kept_at  TIMESTAMP NOT NULL
);
