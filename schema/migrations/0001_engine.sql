-- Writer: the engine alone. Readers: status, explain, the funnel views.
-- One row each time an item ends in a stage; append-only, the view outcomes_latest gives the newest.
CREATE TABLE outcomes (
    stage       VARCHAR NOT NULL,
    item        VARCHAR NOT NULL,
    version     VARCHAR NOT NULL,
    input_hash  VARCHAR NOT NULL,
    status      VARCHAR NOT NULL,  -- done skipped failed gone
    reason      VARCHAR NOT NULL,
    recorded_at TIMESTAMP NOT NULL
);
-- One row each time a stage ran to its end.
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
-- Versions and the crawl window, for readers of a snapshot.
CREATE TABLE meta (
    key   VARCHAR NOT NULL,
    value VARCHAR NOT NULL
);
