package store

import (
	"context"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// TestEveryColumnOfAViewHasAComment also finds comments of columns that no view has.
func TestEveryColumnOfAViewHasAComment(t *testing.T) {
	db := open(t, "")
	views, err := schema.Views()
	if err != nil {
		t.Fatal(err)
	}
	shared, err := schema.SharedColumns()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]int{}
	for v, columns := range viewsWithColumns(t, db, views) {
		for _, c := range columns {
			text := v.Columns[c]
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s.%s: comment %q: say in sentences what the column means, in the head of the view's file",
					v.Name, c, text)
			}
			if text == shared[c] {
				used[c]++
			}
			delete(v.Columns, c)
		}
		for c, text := range v.Columns {
			if text != shared[c] {
				t.Errorf("%s has no column %s, but a comment of it", v.Name, c)
			}
		}
	}
	for c := range shared {
		if used[c] < 2 {
			t.Errorf("columns.txt: %d views use the comment of %s; one alone says it in its own file", used[c], c)
		}
	}
}

func viewsWithColumns(t *testing.T, db *DB, views []schema.View) map[*schema.View][]string {
	t.Helper()
	all := map[*schema.View][]string{}
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		columns, err := viewColumns(ctx, tx)
		for i := range views {
			all[&views[i]] = columns[views[i].Name]
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
