-- Writer: export. Readers: analysts.
CREATE TABLE exports (
    release     VARCHAR NOT NULL,           -- name and version
    folder      VARCHAR NOT NULL,
    tasks       INTEGER NOT NULL,
    sha256      VARCHAR NOT NULL,           -- of release.json
    exported_at TIMESTAMP NOT NULL
);
CREATE TABLE context_repositories (
    task_id       VARCHAR NOT NULL,
    repository    VARCHAR NOT NULL,
    commit_sha    VARCHAR NOT NULL,
    committed_at  TIMESTAMP NOT NULL,
    reason        VARCHAR NOT NULL
);
