-- Campaign that it is the hub of
SELECT hub, kind, repositories, pulls, reason FROM campaigns WHERE hub = $1 || '#' || $2::INTEGER
