-- What its files, comments and commits name, as inspect read them
SELECT pull, neighbour, CASE WHEN inside THEN 'a member: confirmed' ELSE 'not a member' END AS which, kind, location,
       string_agg(DISTINCT if(location = 'commit', left(origin, 12), origin), ', ' ORDER BY if(location = 'commit', left(origin, 12), origin)) AS origins, relation, min(evidence) AS evidence, CASE WHEN NOT inside THEN neighbour_candidate END AS neighbour_candidate
FROM evidence_neighbours WHERE candidate_id = $1 GROUP BY pull, neighbour, inside, kind, location, relation, neighbour_candidate
ORDER BY inside DESC, pull, neighbour, kind, location LIMIT 40
