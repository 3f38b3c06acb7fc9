-- Grain: One row per task and target: a digest of what validate reads of it. Where it differs from
-- task_images.input, the target changed after its validation.
-- Columns:
--   input: SHA-256 over the base commit, the paths of the hidden tests and the digests of the patches.
CREATE OR REPLACE VIEW task_inputs AS
SELECT t.task_id, t.repository,
       sha256(concat_ws(chr(10), t.base_commit, array_to_string(t.hidden_files, chr(10)), p.patches)) AS input
FROM task_targets t
LEFT JOIN (
    SELECT task_id, repository,
           string_agg(concat_ws(' ', kind, layer, name, sha256), chr(10) ORDER BY kind, layer, name) AS patches
    FROM task_patches GROUP BY task_id, repository
) p ON p.task_id = t.task_id AND p.repository = t.repository;
