package crawl

import (
	"context"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// CopyPull copies what the crawl stored of a pull and of its repository into another database, as it is.
// A repository that is there already is not copied again.
func CopyPull(ctx context.Context, from pipeline.Queryer, to pipeline.Tx, pull schema.PullKey) error {
	have, err := pipeline.Column(ctx, to, "SELECT repository FROM repository_versions WHERE repository_id = ?",
		pull.RepositoryID)
	if err != nil {
		return err
	}
	if len(have) == 0 {
		if err := copyRows(ctx, from, to, "repository_versions", "repository_id = ?", pull.RepositoryID); err != nil {
			return err
		}
	}
	return copyRows(ctx, from, to, "pull_versions", "repository_id = ? AND number = ?", pull.RepositoryID, pull.Number)
}

// copyRows copies the rows of a table that a condition selects, in the order they were written.
func copyRows(ctx context.Context, from pipeline.Queryer, to pipeline.Tx, table, where string, args ...any) error {
	rows, err := from.Query(ctx, "SELECT * FROM "+table+" WHERE "+where+" ORDER BY rowid", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	var list [][]any
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		list = append(list, values)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return to.Append(ctx, table, list)
}
