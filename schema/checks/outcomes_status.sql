-- Every outcome has one of the four ends.
SELECT stage, item, status FROM outcomes WHERE status NOT IN ('done', 'skipped', 'failed', 'gone');
