package pipeline

import (
	"context"
	"database/sql"
)

// Scan reads all rows and closes them. fields gives the places of one value that
// the columns are scanned into; nil scans a single column into the value itself.
func Scan[T any](rows *sql.Rows, fields func(*T) []any) ([]T, error) {
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		places := []any{&v}
		if fields != nil {
			places = fields(&v)
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// List scans a VARCHAR[] column into a slice of strings.
type List []string

// Scan implements [sql.Scanner].
func (l *List) Scan(v any) error {
	*l = nil
	if items, ok := v.([]any); ok {
		for _, it := range items {
			if s, ok := it.(string); ok {
				*l = append(*l, s)
			}
		}
	}
	return nil
}

// Column returns the values of a query that has one column of text.
func Column(ctx context.Context, db Queryer, query string, args ...any) ([]string, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return Scan[string](rows, nil)
}
