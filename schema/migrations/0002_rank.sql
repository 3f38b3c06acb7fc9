-- Writer: rank. Readers: crawl, link, group.
-- One row per ecosystem of wideswe.yaml or ecosystems.yaml, and per organization of the ranking that neither file
-- names.
CREATE TABLE ecosystems (
    ecosystem     VARCHAR NOT NULL,
    organizations VARCHAR[] NOT NULL,   -- owners, as configured, listed or ranked
    repositories  VARCHAR[] NOT NULL,   -- owner/name listed one by one
    source        VARCHAR NOT NULL,     -- config, ecosystems.yaml, or the ranking's name and date
    stars         BIGINT NOT NULL,      -- of its organizations in the ranking; 0 where the ranking has none of them
    kept          BOOLEAN NOT NULL,
    reason        VARCHAR NOT NULL      -- why dropped, or why kept
);
