-- Writer: rank. Readers: crawl, link, group.
CREATE TABLE ecosystems (
    ecosystem     VARCHAR NOT NULL,
    organizations VARCHAR[] NOT NULL,   -- owners, as configured
    repositories  VARCHAR[] NOT NULL,   -- owner/name listed one by one
    source        VARCHAR NOT NULL,     -- config, or the ranking's name and date
    stars         BIGINT NOT NULL,
    kept          BOOLEAN NOT NULL,
    reason        VARCHAR NOT NULL      -- why dropped, or why kept
);
