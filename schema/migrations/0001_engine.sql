-- Writer: the engine alone. Readers: status, explain, the funnel views.
-- One row per item, stage and time that the item ended in it. Append-only; the view outcomes_latest has the newest.
CREATE TABLE outcomes (
    stage       VARCHAR NOT NULL,
    item        VARCHAR NOT NULL,
    version     VARCHAR NOT NULL,
    input_hash  VARCHAR NOT NULL,
    status      VARCHAR NOT NULL,  -- done skipped failed gone
    reason      VARCHAR NOT NULL,
    recorded_at TIMESTAMP NOT NULL
);
-- One row per run of a stage that came to its end.
CREATE TABLE stage_runs (
    stage      VARCHAR NOT NULL,
    version    VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    ended_at   TIMESTAMP NOT NULL,
    done       BIGINT NOT NULL,
    skipped    BIGINT NOT NULL,
    failed     BIGINT NOT NULL,
    unchanged  BIGINT NOT NULL
);
-- One row per fact about the database: versions, and the crawl's window. The view about adds to them.
CREATE TABLE meta (
    key   VARCHAR NOT NULL,
    value VARCHAR NOT NULL
);
