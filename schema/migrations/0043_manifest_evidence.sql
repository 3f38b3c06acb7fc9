-- Writer: inspect, where review.manifests is set. Readers: the view dependency_links.
-- Commits of other repositories that the manifests of a repository's merged pulls of people begin to use, in a candidate or not:
-- as dependency_evidence, read in the history.
CREATE TABLE manifest_evidence (
    repository_id     BIGINT NOT NULL,      -- the pull
    number            INTEGER NOT NULL,
    kind              VARCHAR NOT NULL,
    path              VARCHAR NOT NULL,
    module            VARCHAR NOT NULL,
    target_repository VARCHAR NOT NULL,
    sha               VARCHAR NOT NULL,
    previous_sha      VARCHAR NOT NULL,
    rule_version      VARCHAR NOT NULL
);
