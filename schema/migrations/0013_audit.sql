-- Writer: crawl (its audit). Readers: analysts, by the view crawl_audit.
-- One row each time a repository's merged pulls were counted against the host's search.
CREATE TABLE crawl_audits (
    repository_id BIGINT NOT NULL,
    since         TIMESTAMP NOT NULL,    -- merged from here
    until         TIMESTAMP NOT NULL,    -- to here, both included: one second below the crawl's high water
    expected      BIGINT NOT NULL,       -- that the search counts
    stored        BIGINT NOT NULL,       -- that are here
    missing       INTEGER[] NOT NULL,    -- numbers that the search lists and that are not here
    unlisted      INTEGER[] NOT NULL,    -- numbers that are here and that the search does not list
    questions     INTEGER NOT NULL,      -- searches it took
    audited_at    TIMESTAMP NOT NULL
);
