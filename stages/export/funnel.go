package export

import (
	"context"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// funnel reads how the tasks came to be these, up to balance. It is no part of what
// makes a release anew: a pull that was crawled since changes no task.
func funnel(ctx context.Context, db pipeline.Queryer) (schema.FunnelFile, error) {
	f := schema.FunnelFile{Format: schema.ReleaseFormat}
	rows := func(q string) error {
		list, err := query(ctx, db, func(r *schema.FunnelRow) []any {
			return []any{&r.Stage, &r.Unit, &r.Status, &r.Reason,
				&r.Items}
		}, q)
		f.Rows = append(f.Rows, list...)
		return err
	}
	if err := rows("SELECT stage, unit, status, reason, items FROM funnel WHERE stage NOT IN ('balance', " +
		"'export')"); err != nil {
		return f, err
	}
	if err := rows(`SELECT 'validate', 'task', s, '', count(*) FILTER (WHERE CASE s WHEN 'runnable' THEN runnable ELSE eligible END)
		FROM tasks, (VALUES ('runnable'), ('eligible')) v(s) WHERE runnable IS NOT NULL GROUP BY s ORDER BY s DESC`); err != nil {
		return f, err
	}
	return f, rows("SELECT stage, unit, status, reason, items FROM funnel WHERE stage = 'balance'")
}
