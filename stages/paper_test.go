package stages_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/stages/dedupe"
)

// The paper's counts, of which the input of the next test has the shape: each linked pull of o/a
// names one of o/b, of the same number.
const (
	paperPulls     = 1_729_171
	paperLinked    = 109_233
	paperKept      = 4_437
	paperReviewed  = 2_188
	withoutTests   = 2_000
	ofPhones       = 500
	targetUnmerged = 20_000
)

// TestThePapersCountsComeOutOfItsInput stores an input that has the paper's shape and asks funnel_paper.
func TestThePapersCountsComeOutOfItsInput(t *testing.T) {
	pulls := 150_000
	if testscope.All() {
		pulls = paperPulls
	}
	db := storetest.Open(t)
	day := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	storetest.Put(t, db, day, "ecosystems", storetest.Row{"ecosystem": "o", "organizations": []string{"o"},
		"source": "config", "kept": true})
	for id, name := range []string{"o/a", "o/b"} {
		storetest.Put(t, db, day, "repository_versions", storetest.Row{"repository_id": int64(id + 1), "repository": name,
			"ecosystem": "o", "state": "ok"})
	}
	merged := paperKept + withoutTests + ofPhones
	paperRows(t, db, pulls, merged)
	if err := pipeline.Execute(t.Context(), dedupe.Stage{DB: db}, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	execute(t, db, fmt.Sprintf(`INSERT INTO paper_checks
		SELECT '', r, k, true, r = 1 OR k <= %d OR k > %d, r = 2 AND k > %d, 'paper-1'
		FROM range(1, %d) t(k), range(1, 3) s(r)`, paperKept, paperKept+withoutTests, paperKept+withoutTests, merged+1))
	want := []string{
		fmt.Sprintf("crawl pull done %d ", pulls),
		fmt.Sprintf("link pull done %d ", paperLinked),
		fmt.Sprintf("link pull skipped %d no link to another repository of the organization", pulls-paperLinked),
		fmt.Sprintf("dedupe record done %d ", merged),
		fmt.Sprintf("dedupe record skipped %d a target is not known", paperLinked-merged-targetUnmerged),
		fmt.Sprintf("dedupe record skipped %d a target is not merged", targetUnmerged),
		fmt.Sprintf("inspect record done %d ", paperKept),
		fmt.Sprintf("inspect record skipped %d a pull without a test path", withoutTests),
		fmt.Sprintf("inspect record skipped %d for iOS", ofPhones),
		fmt.Sprintf("review record done %d ", paperReviewed),
		fmt.Sprintf("review record skipped %d latest merge before 2025-06-01 (the paper's cut-off)", paperKept-paperReviewed),
	}
	got := storetest.Strings(t, db, "SELECT concat_ws(' ', stage, unit, status, items, reason) FROM funnel_paper")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// paperRows stores the pulls and the links. Of what links name, the first pulls are merged, and the
// newest of them after the paper's cut-off; the next are not merged, and the rest nobody knows.
func paperRows(t *testing.T, db *store.DB, pulls, merged int) {
	const row = `INSERT INTO pull_versions SELECT %d, k, 'closed', 'Change no ' || k, '', 'ann' || k %% 20000, 'User', [], false, TIMESTAMP '2024-02-01',
		TIMESTAMP '2024-02-01', NULL, %s, '', 'main', '', '', '', '', '%s', TIMESTAMP '2026-06-01' FROM range(1, %d) t(k)`
	execute(t, db, fmt.Sprintf(row, 1, "TIMESTAMP '2024-02-01'", "list", pulls+1))
	execute(t, db, fmt.Sprintf(row, 2, fmt.Sprintf(`CASE WHEN k <= %d THEN TIMESTAMP '2025-06-01' WHEN k <= %d
		THEN TIMESTAMP '2025-05-31 23:59:59' END`, paperReviewed, merged), "linked", merged+targetUnmerged+1))
	execute(t, db, fmt.Sprintf("INSERT INTO paper_links SELECT 1, k, 2, 'o/b', k, 0, 'paper-1' FROM range(1, %d) t(k)",
		paperLinked+1))
}

func execute(t *testing.T, db *store.DB, statement string) {
	t.Helper()
	write := func(ctx context.Context, tx pipeline.Tx) error { return tx.Exec(ctx, statement) }
	if err := db.InTx(t.Context(), write); err != nil {
		t.Fatal(err)
	}
}
