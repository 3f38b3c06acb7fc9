-- Links that name it
SELECT source, form, location, relation, may_group, flags, snippet
FROM links WHERE target = $1 || '#' || $2::INTEGER ORDER BY source, location, snippet LIMIT 200
