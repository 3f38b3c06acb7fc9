-- The view targets counts exactly the F2P and P2P tests of test_transitions.
SELECT t.task_id, t.repository, t.f2p, t.p2p
FROM targets t
LEFT JOIN (SELECT task_id, repository, sum((class = 'F2P')::INTEGER) AS f2p, sum((class = 'P2P')::INTEGER) AS p2p
           FROM test_transitions GROUP BY task_id, repository) c ON c.task_id = t.task_id AND c.repository = t.repository
WHERE t.f2p <> coalesce(c.f2p, 0) OR t.p2p <> coalesce(c.p2p, 0);
