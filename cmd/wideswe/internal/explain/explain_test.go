package explain

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
)

// ecosystemDatabase holds one ecosystem with a dropped candidate, a campaign and a
// pull whose link may not join, and one that the ranking's screening dropped.
func ecosystemDatabase(t *testing.T) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	for _, q := range []string{
		`INSERT INTO ecosystems VALUES ('lamps', ['acme'], [], 'top 2026-01-01', 900, true, 'one product: lamps'),
			('tools', ['toolery'], [], 'top 2026-01-01', 950, false, 'fewer than two repositories that are not archived'),
			('a', ['shared'], [], 'config', 0, true, ''), ('b', ['shared'], [], 'config', 0, true, '')`,
		`INSERT INTO repository_versions VALUES (1, 'acme/wick', 'lamps', false, false, false, 5, 'Go', '', 'main', '', NULL, 'ok', TIMESTAMP '2026-01-01'),
			(2, 'acme/glass', 'lamps', false, false, false, 4, 'Go', '', 'main', '', NULL, 'blocked', TIMESTAMP '2026-01-01')`,
		`INSERT INTO crawl_inventories VALUES ('lamps', 'x', TIMESTAMP '2026-01-01', 2)`,
		`INSERT INTO crawl_passes (repository_id, pass_started, since, high_water, pages, rows, ended_at)
			VALUES (1, TIMESTAMP '2026-01-01', TIMESTAMP '2024-01-01', TIMESTAMP '2026-01-02', 1, 1, TIMESTAMP '2026-01-02')`,
		`INSERT INTO candidate_groups VALUES ('c', 'lamps', 'acme/wick#1', ['acme/glass', 'acme/wick'], 2, 3, 6, [], ` +
			`TIMESTAMP '2026-01-07')`,
		`INSERT INTO candidate_facts VALUES ('c', false, 'fewer than two repositories stay: no test change', 'x', [])`,
		`INSERT INTO campaigns VALUES ('lamps', 'acme/wick#9', 'pull', 7, 8, 'a hub: tied to 7 repositories, more than 6')`,
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

func TestExplainAnEcosystem(t *testing.T) {
	db := ecosystemDatabase(t)
	for name, want := range map[string][]string{
		"Lamps": {"verdict: kept\n", "reason: one product: lamps\n",
			"place: 2\n    of: 2\n    stars: 900\n    before: tools (950)\n",
			"repositories_listed: 2\n", "not_read: 1\n    because: blocked\n", "complete_until: 2026-01-02",
			"repository: acme/wick\n", "candidates: 1\n",
			"why: fewer than two repositories stay: no test change\n    candidates: 1\n    for_instance: c\n",
			"hub: acme/wick#9\n", "Candidates that stay: none\n"},
		"toolery": {"verdict: dropped\n", "reason: fewer than two repositories that are not archived\n", "place: 1\n",
			"What became of its pulls: none\n"},
	} {
		found, err := findItem(t.Context(), db, name)
		if err != nil || found.kind != "ecosystem" {
			t.Fatalf("%s is %q: %v", name, found.kind, err)
		}
		out := &bytes.Buffer{}
		sections, err := ask(t.Context(), db, found)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sections {
			s.print(out)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: no %q in\n%s", name, w, out)
			}
		}
	}
	if _, err := findItem(t.Context(), db, "shared"); err == nil { // is of two
		t.Error("an organization of two ecosystems is one of them")
	}
}
