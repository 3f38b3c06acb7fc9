-- Writer: validate. Readers: people.
-- What an agent could see of a task that it must not; a task with a row here is no task.
CREATE TABLE task_leaks (
    task_id VARCHAR NOT NULL,
    place   VARCHAR NOT NULL,      -- a repository's object or ref, a path in an image's layer, the prompt
    what    VARCHAR NOT NULL
);
