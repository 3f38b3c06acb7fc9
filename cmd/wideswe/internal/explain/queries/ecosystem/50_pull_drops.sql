-- Where pulls that name another repository drop out, and why
SELECT stage, CASE WHEN stage = 'group' THEN regexp_replace(regexp_replace(reason, '[^ ]+/[^ ]+#[0-9]+', 'the other pull', 'g'), ' \([^)]*\)$', '') ELSE reason END AS why,
       count(*) AS pulls, min(pull) AS for_instance
FROM pull_ends WHERE stage IN ('link', 'group') AND ecosystem = $1 AND reason <> 'no link to another repository'
GROUP BY ALL ORDER BY stage DESC, pulls DESC, why LIMIT 30
