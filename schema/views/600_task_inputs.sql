-- Grain: one row a task and target: a digest of what validation lays for it, the base commit and the patches.
-- task_images keeps the one that was validated; where the two differ, the tests' outcomes are of another task.
CREATE OR REPLACE VIEW task_inputs AS
SELECT t.task_id, t.repository, sha256(concat_ws(chr(10), t.base_commit, array_to_string(t.hidden_files, chr(10)), p.patches)) AS input
FROM task_targets t
LEFT JOIN (
    SELECT task_id, repository,
           string_agg(concat_ws(' ', kind, layer, name, sha256), chr(10) ORDER BY kind, layer, name) AS patches
    FROM task_patches GROUP BY task_id, repository
) p ON p.task_id = t.task_id AND p.repository = t.repository;
