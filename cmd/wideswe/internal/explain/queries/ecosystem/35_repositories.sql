-- Repositories, those with most candidates first
SELECT s.repository, s.state, s.language, s.stars, s.pulls, s.linked_pulls, s.links_out, s.links_in, s.candidates, s.accepted, s.tasks
FROM repository_summary s WHERE s.ecosystem = $1 ORDER BY s.candidates DESC, s.pulls DESC, s.repository LIMIT 50
