-- Grain: one row a repository: its present name and ecosystem, for views that show ids as names.
CREATE OR REPLACE VIEW repository_names AS
SELECT repository_id, repository, ecosystem
FROM repository_versions
QUALIFY row_number() OVER (PARTITION BY repository_id ORDER BY fetched_at DESC, rowid DESC) = 1;
