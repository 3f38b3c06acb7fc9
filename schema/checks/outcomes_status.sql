-- Every outcome has one of the four statuses.
SELECT stage, item, status FROM outcomes WHERE status NOT IN ('done', 'skipped', 'failed', 'gone');
