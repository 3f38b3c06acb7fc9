-- Writer: balance, with the file selection.yaml. Reader: export.
CREATE TABLE selections (
    task_id  VARCHAR NOT NULL,
    selected BOOLEAN NOT NULL,
    pinned   BOOLEAN NOT NULL,
    position INTEGER NOT NULL,
    reason   VARCHAR NOT NULL
);
