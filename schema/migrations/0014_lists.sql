-- Writer: crawl. Readers: crawl.
-- One row per page of an ecosystem's lists that changed: the etag for the next request, and the stored page for the
-- case that it has not changed since.
CREATE TABLE crawl_lists (
    ecosystem  VARCHAR NOT NULL,
    ask        VARCHAR NOT NULL,         -- path and query
    etag       VARCHAR NOT NULL,
    archive    VARCHAR NOT NULL,         -- the raw page's key in the archive
    fetched_at TIMESTAMP NOT NULL
);
