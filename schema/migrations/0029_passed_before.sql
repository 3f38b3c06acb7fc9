-- Writer: validate. Readers: the view test_transitions.
-- Base run once more with its own test files, where it could not compile, import or collect the
-- hidden ones: which F2P tests passed there before. Never part of the repeats.
CREATE TABLE own_test_runs (
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,
    status     VARCHAR NOT NULL,          -- of test_runs
    detail     VARCHAR NOT NULL,          -- the reason of a status other than ok, one line
    tests      INTEGER NOT NULL,          -- that the run reports
    seconds    DOUBLE NOT NULL,
    log        VARCHAR NOT NULL,          -- path under .wideswe/logs
    started_at TIMESTAMP NOT NULL
);
CREATE TABLE passed_before (
    task_id    VARCHAR NOT NULL,
    repository VARCHAR NOT NULL,
    test_id    VARCHAR NOT NULL
);
