package store

import (
	"context"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Latest gives the newest outcome of every item of a stage.
func (db *DB) Latest(ctx context.Context, stage string) (map[string]schema.Outcome, error) {
	rows, err := db.Query(ctx, `SELECT stage, item, version, input_hash, status, reason, recorded_at
		FROM outcomes_latest WHERE stage = ?`, stage)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(o *schema.Outcome) []any {
		return []any{&o.Stage, &o.Item, &o.Version, &o.InputHash, &o.Status, &o.Reason, &o.RecordedAt}
	})
	latest := make(map[string]schema.Outcome, len(list))
	for _, o := range list {
		latest[o.Item] = o
	}
	return latest, err
}

// Record runs write and stores the outcomes in the same transaction. What an item
// found is stored even when the person has just interrupted: it is whole.
func (db *DB) Record(ctx context.Context, write pipeline.Write, outcomes ...schema.Outcome) error {
	return db.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tx pipeline.Tx) error {
		if write != nil {
			if err := write(ctx, tx); err != nil {
				return err
			}
		}
		rows := make([][]any, len(outcomes))
		for i, o := range outcomes {
			rows[i] = []any{o.Stage, o.Item, o.Version, o.InputHash, string(o.Status), o.Reason, o.RecordedAt}
		}
		return tx.Append(ctx, "outcomes", rows)
	})
}

// RecordRun stores that a stage ran to its end, and in meta the version of its rules.
func (db *DB) RecordRun(ctx context.Context, stage, version string, started, ended time.Time, c pipeline.Counts) error {
	return db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM meta WHERE key = ?", "rule."+stage); err != nil {
			return err
		}
		if err := tx.Append(ctx, "meta", [][]any{{"rule." + stage, version}}); err != nil {
			return err
		}
		return tx.Append(ctx, "stage_runs", [][]any{{stage, version, started, ended,
			int64(c.Done), int64(c.Skipped), int64(c.Failed), int64(c.Unchanged)}})
	})
}
