-- Grain: One row per repository: how far the crawl of its pulls has come.
-- Key: repository.
-- From: crawl *.
-- Columns:
--   state: State of the repository, as in repositories; only ok ones are read.
--   pages: Pages of closed pulls that are stored, over all passes.
--   rows: Pulls on those pages; a pull counts once for each page it was on.
--   passes: Passes over the closed pulls that ended.
--   high_water: Everything that was updated before this time is stored (UTC); null before the first pass ends.
--   pass_open: True where a pass has begun and not ended.
--   pulls: Pulls that are stored, merged or not.
--   merged: Stored pulls that are merged.
--   closed_unmerged: Stored pulls that are closed and not merged.
--   merged_labels: Stored pulls that are not merged but labelled "merged". Many of them suggest that a bot lands the
--     changes.
--   landed: Stored pulls that a rule of crawl.landed_by_bot counts as merged.
-- Example: repositories whose pass is open or that were never read.
--   SELECT repository, state, pages, passes, pass_open, high_water
--   FROM crawl_health WHERE pass_open OR passes = 0 ORDER BY repository
CREATE OR REPLACE VIEW crawl_health AS
WITH pages AS (
    SELECT repository_id, count(*) AS pages, sum(rows)::BIGINT AS rows, max(pass_started) AS last_started
    FROM crawl_pages GROUP BY repository_id
), passes AS (
    SELECT repository_id, count(*) AS passes, max(high_water) AS high_water, max(pass_started) AS last_ended
    FROM crawl_passes GROUP BY repository_id
), held AS (
    SELECT repository_id, count(*) AS pulls, count(merged_at) AS merged,
           count(*) FILTER (state = 'closed' AND merged_at IS NULL) AS closed_unmerged,
           count(*) FILTER (merged_at IS NULL AND list_contains(list_transform(labels, l -> lower(l)), 'merged'))
               AS merged_labels,
           count(*) FILTER (landed) AS landed
    FROM all_pulls GROUP BY repository_id
)
SELECT r.repository, r.ecosystem, r.state,
       coalesce(pages.pages, 0) AS pages, coalesce(pages.rows, 0) AS rows, coalesce(passes.passes, 0) AS passes,
       passes.high_water,
       coalesce(pages.last_started > coalesce(passes.last_ended, TIMESTAMP '1970-01-01'), false) AS pass_open,
       coalesce(held.pulls, 0) AS pulls, coalesce(held.merged, 0) AS merged,
       coalesce(held.closed_unmerged, 0) AS closed_unmerged, coalesce(held.merged_labels, 0) AS merged_labels,
       coalesce(held.landed, 0) AS landed
FROM repositories r
LEFT JOIN pages USING (repository_id)
LEFT JOIN passes USING (repository_id)
LEFT JOIN held USING (repository_id);
