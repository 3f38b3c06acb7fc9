-- What its files, comments and commits name, as inspect read them
SELECT pull, neighbour, CASE WHEN inside THEN 'a member: confirmed' ELSE 'not a member' END AS which, kind, location,
       string_agg(DISTINCT origin, ', ' ORDER BY origin) AS origins, relation, min(evidence) AS evidence, neighbour_candidate
FROM evidence_neighbours WHERE candidate_id = $1 GROUP BY pull, neighbour, inside, kind, location, relation, neighbour_candidate
ORDER BY inside DESC, pull, neighbour, kind, location LIMIT 40
