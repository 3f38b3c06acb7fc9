-- Writer: validate. Readers: people.
-- One row per place where an agent could see something of the solution. Validate drops a task with a row here.
CREATE TABLE task_leaks (
    task_id VARCHAR NOT NULL,
    place   VARCHAR NOT NULL,      -- a repository's object or ref, a path in an image's layer, the prompt
    what    VARCHAR NOT NULL
);
