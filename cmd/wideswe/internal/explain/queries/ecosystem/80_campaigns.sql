-- Campaigns and trackers, which join nothing
SELECT hub, kind, title, repositories, pulls, reason FROM campaign_overview WHERE ecosystem = $1 ORDER BY pulls DESC, hub LIMIT 20
