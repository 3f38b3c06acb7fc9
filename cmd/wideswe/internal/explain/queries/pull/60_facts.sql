-- Checks of inspect
SELECT f.available, f.files, f.files_complete, f.test_signal, f.source_signal, f.linux, f.reason
FROM pull_facts f JOIN repositories r USING (repository_id) WHERE r.repository = $1 AND f.number = $2
