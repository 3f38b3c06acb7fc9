-- How far crawl has come
SELECT l.repositories_listed, l.listed_at, count(*) FILTER (h.state = 'ok') AS read, count(*) FILTER (h.state <> 'ok') AS not_read,
       string_agg(DISTINCT h.state, ', ' ORDER BY h.state) FILTER (h.state <> 'ok') AS because, count(*) FILTER (h.pass_open) AS passes_open,
       count(*) FILTER (h.state = 'ok' AND h.passes = 0) AS never_ended, min(h.high_water) AS complete_until, sum(h.pages)::BIGINT AS pages
FROM ecosystem_list l JOIN crawl_health h USING (ecosystem) WHERE l.ecosystem = $1 GROUP BY ALL
