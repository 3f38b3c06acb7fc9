-- Writer: assemble. Readers: validate, balance, export.
CREATE TABLE task_list (
    task_id       VARCHAR NOT NULL,
    candidate_id  VARCHAR NOT NULL,
    ecosystem     VARCHAR NOT NULL,
    kind          VARCHAR NOT NULL,         -- bugfix feature
    pattern       VARCHAR NOT NULL,         -- producer-consumer parallel ''
    title         VARCHAR NOT NULL,
    prompt        VARCHAR NOT NULL,
    prompt_state  VARCHAR NOT NULL,         -- draft, edited
    languages     VARCHAR[] NOT NULL,       -- families of the gold patch's production files
    change_type   VARCHAR NOT NULL,         -- runtime protocol schema sdk forwarding other
    assembled_at  TIMESTAMP NOT NULL
);
CREATE TABLE task_targets (
    task_id        VARCHAR NOT NULL,
    repository_id  BIGINT NOT NULL,
    repository     VARCHAR NOT NULL,
    pulls          INTEGER[] NOT NULL,      -- in merge order
    base_commit    VARCHAR NOT NULL,
    gold_commit    VARCHAR NOT NULL,        -- the head of the last pull, or its merge commit where the head is gone
    merge_commit   VARCHAR NOT NULL,
    host_base_sha  VARCHAR NOT NULL,        -- as the host recorded it
    base_tree      VARCHAR NOT NULL,
    gold_tree      VARCHAR NOT NULL,
    composed       BOOLEAN NOT NULL,        -- gold is a three-way composition of several pulls
    base_time      TIMESTAMP NOT NULL,      -- committer date of base
    license        VARCHAR NOT NULL,
    hidden_files   VARCHAR[] NOT NULL,      -- the paths the hidden tests touch
    gold_files     VARCHAR[] NOT NULL
);
CREATE TABLE task_patches (
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,
    kind       VARCHAR NOT NULL,            -- gold tests
    layer      INTEGER NOT NULL,
    name       VARCHAR NOT NULL,
    patch      BLOB NOT NULL,
    sha256     VARCHAR NOT NULL
);
CREATE TABLE prompt_paragraphs (
    task_id   VARCHAR NOT NULL,
    paragraph INTEGER NOT NULL,
    text      VARCHAR NOT NULL,
    source    VARCHAR NOT NULL,             -- owner/name#N title|body, or person
    edited    BOOLEAN NOT NULL
);
-- One row per note on how a task was made: how its change type came about, where a head is gone, and so on.
CREATE TABLE task_notes (
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,            -- '' for the whole task
    subject    VARCHAR NOT NULL,            -- change_type base proof prompt
    note       VARCHAR NOT NULL
);
