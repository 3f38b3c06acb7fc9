-- Links it makes
SELECT target, target_kind, form, location, relation, may_group, flags, snippet
FROM (SELECT * FROM links UNION ALL BY NAME SELECT * FROM external_links)
WHERE source = $1 || '#' || $2::INTEGER ORDER BY location, target, form, snippet LIMIT 200
