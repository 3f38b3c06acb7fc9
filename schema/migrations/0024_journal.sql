-- Writer: validate. Readers: none but validate.
-- One row per task and base image that its result came from. A changed digest redoes the task.
CREATE TABLE task_bases (
    task_id  VARCHAR NOT NULL,
    image    VARCHAR NOT NULL,              -- as recipes name it
    pin      VARCHAR NOT NULL               -- digest at its registry, or id
);
-- One row per finished run of a task that is not finished, so that an interrupt costs one run at most. They are deleted
-- in the transaction that stores the task's rows, except for tasks that were not stressed: a later --stress begins with
-- them.
CREATE TABLE run_journal (
    task_id  VARCHAR NOT NULL,
    run_key  VARCHAR NOT NULL,              -- digest of everything that decides the run, and its number
    run      VARCHAR NOT NULL,              -- JSON
    kept_at  TIMESTAMP NOT NULL
);
