-- Writer: link. Readers: group, inspect; analysts through the views links and external_links.
-- One row per reference in the title or body of a merged pull. References to repositories outside the inventory are
-- included where people wrote them, and left out where bots did.
CREATE TABLE link_occurrences (
    repository_id        BIGINT NOT NULL,   -- the source pull
    number               INTEGER NOT NULL,
    location             VARCHAR NOT NULL,  -- title body comment commit issue branch
    byte_offset          INTEGER NOT NULL,  -- into the location's text
    byte_length          INTEGER NOT NULL,
    form                 VARCHAR NOT NULL,  -- url shorthand commit_url commit_shorthand …; pipeline/reference lists them
    written              VARCHAR NOT NULL,  -- the text of the reference
    target_repository_id BIGINT,            -- NULL: outside the inventory
    target_repository    VARCHAR NOT NULL,  -- in the inventory's spelling; as written where outside
    target_number        INTEGER,           -- NULL for commits
    target_sha           VARCHAR NOT NULL,  -- '' for pulls and issues
    target_kind          VARCHAR NOT NULL,  -- by the written form: pull issue commit discussion unknown; the view links knows more
    relation             VARCHAR NOT NULL,  -- pipeline/reference lists them; mention where the words say nothing more
    flags                VARCHAR[] NOT NULL,
    may_group            BOOLEAN NOT NULL,
    reason               VARCHAR NOT NULL,  -- why it may not group, '' where it may
    snippet              VARCHAR NOT NULL,  -- at most 80 bytes around the reference
    rule_version         VARCHAR NOT NULL
);
-- One row per pull and issue of its own repository that it closes or is part of. These are no links, but two pulls that
-- close one issue may be one change.
CREATE TABLE own_issues (
    repository_id BIGINT NOT NULL,
    number        INTEGER NOT NULL,
    issue_number  INTEGER NOT NULL,
    relation      VARCHAR NOT NULL,         -- closes part_of
    rule_version  VARCHAR NOT NULL
);
-- One row per link by the paper's own rule over title and body; never mixed with the tables above.
CREATE TABLE paper_links (
    repository_id        BIGINT NOT NULL,
    number               INTEGER NOT NULL,
    target_repository_id BIGINT,            -- NULL: outside the organization's active repositories
    target_repository    VARCHAR NOT NULL,
    target_number        INTEGER NOT NULL,
    position             INTEGER NOT NULL,  -- among the pull's links, 0 the first
    rule_version         VARCHAR NOT NULL
);
