-- Writer: crawl. Readers: crawl.
-- One row a page of an ecosystem's lists that came anew: what the next list asks with,
-- and where the page is when it has not changed.
CREATE TABLE crawl_lists (
    ecosystem  VARCHAR NOT NULL,
    ask        VARCHAR NOT NULL,         -- path and query
    etag       VARCHAR NOT NULL,
    archive    VARCHAR NOT NULL,         -- the raw page's key in the archive
    fetched_at TIMESTAMP NOT NULL
);
