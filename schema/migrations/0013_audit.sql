-- Writer: crawl (its audit). Readers: analysts, through the view crawl_audit.
-- One row per repository and audit: its merged pulls counted against the host's search.
CREATE TABLE crawl_audits (
    repository_id BIGINT NOT NULL,
    since         TIMESTAMP NOT NULL,    -- merged from here
    until         TIMESTAMP NOT NULL,    -- to here, both included; one second before the crawl's high water
    expected      BIGINT NOT NULL,       -- pulls that the search counts
    stored        BIGINT NOT NULL,       -- pulls that are stored
    missing       INTEGER[] NOT NULL,    -- numbers that the search lists and that are not stored
    unlisted      INTEGER[] NOT NULL,    -- numbers that are stored and that the search does not list
    questions     INTEGER NOT NULL,      -- searches that the audit took
    audited_at    TIMESTAMP NOT NULL
);
