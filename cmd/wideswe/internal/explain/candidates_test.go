package explain

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
)

// chainDatabase holds a candidate of four pulls in a row, 1 - 2 - 3 - 4, the first
// of which was merged first, with a refused neighbour of the third.
func chainDatabase(t *testing.T) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	edge := func(a, b, score int, admitted bool, reason string) string {
		return fmt.Sprintf("INSERT INTO edges VALUES ('e', %d, 1, %d, 1, %d, 'needs', false, '', 2, %t, '%s', 'Needs "+
			"o/r%d#1')", a, b, score, admitted, reason, b)
	}
	for _, q := range []string{
		`INSERT INTO repository_versions SELECT i, 'o/r' || i, 'e', false, false, false, 1, '', '', 'main', '', NULL, ` +
			`'ok', TIMESTAMP '2026-01-01' FROM range(1, 6) t(i)`,
		`INSERT INTO candidate_groups VALUES ('c', 'e', 'o/r1#1', ['o/r1', 'o/r2', 'o/r3', 'o/r4'], 4, 3, 6, [], TIMESTAMP ` +
			`'2026-01-07')`,
		`INSERT INTO group_members SELECT 'c', i, 1, CASE i WHEN 1 THEN 'merged first' ELSE 'by an edge' END FROM range(1, ` +
			`5) t(i)`,
		edge(1, 2, 5, true, "needs 4"), edge(2, 3, 4, true, "needs 4"), edge(3, 4, 3, true, "needs 4"),
		edge(3, 5, 1, false, "too weak"),
	} {
		if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
			return tx.Exec(ctx,
				q)
		}); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return db
}

func TestExplainDrawsTheChain(t *testing.T) {
	db := chainDatabase(t)
	for file, want := range map[string][]string{
		"25_chain.sql": {
			"o/r1#1    the anchor: merged first",
			"o/r2#1 1 o/r2#1 o/r1#1 needs", "o/r3#1 1 o/r3#1 o/r2#1 needs", "o/r3#1 2 o/r2#1 o/r1#1 needs",
			"o/r4#1 1 o/r4#1 o/r3#1 needs", "o/r4#1 2 o/r3#1 o/r2#1 needs", "o/r4#1 3 o/r2#1 o/r1#1 needs",
		},
		"35_neighbours.sql": {"o/r3#1 o/r5#1 too weak needs 1"},
	} {
		s, err := askSection(t.Context(), db, "queries/candidate/"+file, []any{"c"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range s.cells {
			got = append(got, fmt.Sprint(render.Cell(row[0]), " ", render.Cell(row[1]), " ", render.Cell(row[2]), " ",
				render.Cell(row[3]), " ", render.Cell(row[4])))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

// Another edge makes the way of the fourth pull shorter, and the longer way's is
// told beside the chain.
func TestExplainTellsEdgesBesideTheChain(t *testing.T) {
	db := chainDatabase(t)
	for _, want := range [][]string{nil, {"o/r3#1 o/r4#1"}} {
		s, err := askSection(t.Context(), db, "queries/candidate/30_edges.sql", []any{"c"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range s.cells {
			got = append(got, fmt.Sprint(row[0], " ", row[1]))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
			return tx.Exec(ctx, "INSERT INTO edges VALUES ('e', 2, 1, 4, 1, 3, 'needs', false, '', 2, true, 'needs 4', 'Needs "+
				"o/r4#1')")
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExplainSaysWhyANeighbourIsOut(t *testing.T) {
	out := &bytes.Buffer{}
	sections, err := ask(t.Context(), chainDatabase(t), item{"candidate", []any{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		s.print(out)
	}
	for _, want := range []string{"Refused neighbours, and why\n  - pull: o/r3#1\n    neighbour: o/r5#1\n    reason: " +
		"too weak\n", "snippet: Needs o/r2#1\n"} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("explain does not say %q:\n%s", want, out)
		}
	}
}
