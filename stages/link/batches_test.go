package link

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

// However the rows are read, at once, one repository after the other or by passes
// over the table, and in however many batches: the newest version of each pull
// counts, and its references are the same rows.
func TestEveryWayOfReadingGivesTheSame(t *testing.T) {
	testscope.NotShort(t, "it links everything in seven ways")
	db := updated(t)
	ways := map[string]limits{
		"usual":          usual,
		"at once":        {together: 1 << 20, wide: 1, few: 0, piece: 1 << 20},
		"in pieces":      {together: 1 << 20, wide: 1, few: 0, piece: 7},
		"one by one":     {together: 10, wide: 40, few: 99, piece: 16},
		"passes":         {together: 10, wide: 150, few: 3, piece: 16},
		"passes of one":  {together: 1, wide: 1, few: 0, piece: 1},
		"pass in pieces": {together: 10, wide: 1 << 20, few: 0, piece: 5},
	}
	want := tablesAfter(t, db, usual)
	if len(want) < 600 {
		t.Fatalf("%d rows", len(want))
	}
	rows, err := db.Query(t.Context(), `SELECT count(*) = count(o.number) AND count(*) > 250 AND bool_and(contains(body, 'fixes #' || issue_number || chr(10)))
		FROM pulls p FULL JOIN own_issues o USING (repository_id, number)`)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := pipeline.Scan[bool](rows, nil); err != nil || !same[0] {
		t.Fatalf("other pulls or texts than those of the view pulls: %v", err)
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(want, tablesAfter(t, db, way)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A rule or an inventory that changes redoes every repository at once; repositories
// that updates brought rows over a long time are passed over the table together.
func TestScatteredRepositoriesShareAPass(t *testing.T) {
	s := Stage{DB: updated(t), limits: limits{together: 10, wide: 1 << 20, few: 3, piece: 16}}
	items, inv, err := s.items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	batches := inv.batches(items)
	if len(batches) != 1 || len(batches[0]) != len(items) || len(items) != 12 {
		t.Errorf("%d batches of %d items", len(batches), len(items))
	}
	if batches = inv.batches(items[:3]); len(batches) != 3 {
		t.Errorf("%d batches of the three that changed", len(batches))
	}
}

// tablesAfter runs the stage on everything and gives the rows.
func tablesAfter(t *testing.T, db *store.DB, way limits) []string {
	t.Helper()
	if err := pipeline.Execute(t.Context(), Stage{DB: db, limits: way}, &pipeline.Run{Ledger: db, Workers: 2,
		Redo: true}); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, table := range tables {
		rows, err := db.Query(t.Context(), "SELECT x::VARCHAR FROM "+table+" x ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pipeline.Scan[string](rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines...)
	}
	return all
}

// updated is a database of twelve repositories whose pulls were stored in random
// order over a month, a third of them again with another text, some at the same
// moment, some unmerged at first, some only because a link names them.
func updated(t *testing.T) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	r, day := rand.New(rand.NewPCG(1, 2)), time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	var repositories, pulls [][]any
	for i := range 12 {
		repositories = append(repositories, []any{int64(i + 1), fmt.Sprintf("acme/r%d", i+1), "acme", false, false, false,
			int64(9), "Go", "MIT", "main", "", day, "ok", day})
	}
	for i := range 900 {
		number, old := 1+i/12%50, r.IntN(8) == 0
		var merged any = day.AddDate(-r.IntN(2)*2, 0, 0)
		source := "list"
		if old {
			source = "linked"
		}
		if r.IntN(9) == 0 {
			merged = nil
		}
		body := fmt.Sprintf("Depends on acme/r%d#%d, fixes #%d\n\nSee https://github.com/acme/r%d/pull/%d", 1+r.IntN(12), 1+i,
			60+i, 1+r.IntN(12), 1+i)
		at := day.Add(time.Duration(r.IntN(30*24)) * time.Hour)
		if i%10 == 0 && len(pulls) > 0 {
			at = pulls[len(pulls)-1][20].(time.Time)
		}
		pulls = append(pulls, []any{int64(1 + i%12), number, "closed", "title", body, "dev-1", "User", []string{}, false, day,
			day, day, merged,
			fmt.Sprintf("%040x", i), "main", "", "topic", fmt.Sprintf("%039xf", i), "", source, at})
	}
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		for _, add := range []struct {
			table string
			rows  [][]any
		}{{"ecosystems", [][]any{{"acme", []string{"acme"}, []string{}, "config", int64(0), true, ""}}},
			{"meta", [][]any{{"crawl.since", "2024-01-01"}}},
			{"repository_versions", repositories}, {"pull_versions", pulls}} {
			if err := tx.Append(ctx, add.table, add.rows); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return db
}
