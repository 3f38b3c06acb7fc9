package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/stages/rank"
)

// replayed are the tables and views that a replay must give back as they were.
var replayed = []string{
	"all_pulls", "pulls", "issues", "repositories",
	"(SELECT * FROM repository_aliases QUALIFY row_number() OVER (PARTITION BY written ORDER BY fetched_at DESC, rowid " +
		"DESC) = 1)",
	"(SELECT * EXCLUDE (stored_at) FROM crawl_pages)",
	"(SELECT * EXCLUDE (archive) FROM crawl_pages)",
	"landings", "landing_commits", "landing_pages", "crawl_looks",
}

// replays rebuilds the database from the pages that the test's crawls kept, and
// compares. It runs at the end of every test of the crawl.
func (w *world) replays() {
	w.t.Helper()
	if w.t.Failed() || w.untested {
		return
	}
	ctx := context.Background()
	other := *w
	db := storetest.Open(w.t)
	other.db = db
	if err := pipeline.Execute(ctx, rank.Stage{DB: db, Ecosystems: w.ecosystems}, &pipeline.Run{Ledger: db}); err != nil {
		w.t.Fatal(err)
	}
	run := &pipeline.Run{Ledger: db, Log: discard, Now: time.Now}
	if _, err := other.stage(nil).Replay(ctx, run); err != nil {
		w.t.Fatalf("replay: %v", err)
	}
	for _, from := range replayed {
		query := "SELECT t::VARCHAR FROM " + from + " t ORDER BY 1"
		if d := cmp.Diff(w.rows(query), other.rows(query)); d != "" {
			w.t.Errorf("replayed %s: %s", from, d)
		}
	}
}

func TestReplayGoesOnWithoutAsking(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 130)
	web := w.hub.repo("acme/web", 1)
	web.pull(2, start.Add(-time.Hour), "See acme/api#7, acme/gone#3 and acme/api#900")
	w.hub.repo("acme/off", 1).attrs["off"] = true
	w.calm()
	db := storetest.Open(t)
	w.db, w.untested = db, true
	if err := pipeline.Execute(t.Context(), rank.Stage{DB: db, Ecosystems: w.ecosystems},
		&pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	s := w.stage(nil)
	s.Now = func() time.Time { return start }
	if _, err := s.Replay(t.Context(), &pipeline.Run{Ledger: db, Log: discard, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	if log := w.calm(); len(log) != 0 {
		t.Errorf("a crawl after the replay asked %q", log)
	}
	var usage *pipeline.UsageError
	if _, err := s.Replay(t.Context(), &pipeline.Run{Ledger: db, Log: discard, Now: time.Now}); !errors.As(err, &usage) {
		t.Errorf("a replay over a crawl gave %v", err)
	}
	if _, err := s.Replay(t.Context(), &pipeline.Run{Ledger: db, Log: discard, Now: time.Now, Redo: true}); err != nil {
		t.Error(err)
	}
}

// lost is a database that is killed before one of its commits.
type lost struct {
	pipeline.DB
	left *int
}

func (l lost) InTx(ctx context.Context, write pipeline.Write) error {
	if *l.left--; *l.left == 0 {
		return l.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
			return errors.Join(write(ctx, tx), errors.New("killed"))
		})
	}
	return l.DB.InTx(ctx, write)
}

// TestPagesKeptAndNeverStored stops between the page's file and its rows, at each
// commit in turn, and lets time pass before the next run.
func TestPagesKeptAndNeverStored(t *testing.T) {
	for at := 1; at <= 9; at += testscope.Times(4, 1) {
		w := newWorld(t)
		w.hub.repo("acme/api", 230)
		w.hub.repo("acme/web", 1).pull(2, start.Add(-time.Hour), "See acme/api#900 and acme/old#3")
		left := at
		w.wrap = func(db pipeline.DB) pipeline.DB { return lost{db, &left} }
		_, first := w.crawl(t.Context())
		w.wrap = nil
		w.hub.tick(time.Hour)
		w.calm()
		if left > 0 && first != nil {
			t.Errorf("commit %d: %v", at, first)
		}
	}
}

func TestAnotherDatabasesPagesAreLeftOut(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 3)
	w.calm()
	db := storetest.Open(t)
	w.db = db
	w.hub.tick(time.Hour)
	w.calm()
	if got := w.rows("SELECT DISTINCT fetched_at::VARCHAR FROM pulls"); len(got) != 1 || !strings.HasPrefix(got[0],
		"2026-03-01 13:") {
		t.Errorf("fetched at %q", got)
	}
	w.replays()
	w.untested = true
}

func TestBrokenArchiveSaysWhere(t *testing.T) {
	w := newWorld(t)
	w.hub.before = func(int, http.ResponseWriter, *http.Request) bool { return false }
	w.hub.repo("acme/api", 3)
	w.calm()
	if err := w.archive.Remark(start, map[string]any{"crawl": "tomorrow's"}); err != nil {
		t.Fatal(err)
	}
	s := w.stage(nil)
	if _, err := s.Replay(t.Context(), &pipeline.Run{Ledger: w.db, Log: discard, Now: time.Now, Redo: true}); err == nil ||
		!strings.Contains(err.Error(), "newer wideswe") {
		t.Errorf("got %v", err)
	}
	w.untested = true
}

func TestUnchangedListCostsNothing(t *testing.T) {
	testscope.NotShort(t, "its list has two pages")
	w := newWorld(t)
	for i := range 130 {
		w.hub.repo(fmt.Sprintf("acme/r%03d", i), 1)
	}
	w.calm()
	next := func() int {
		w.hub.tick(25 * time.Hour)
		return len(w.calm())
	}
	if n := next(); n != 2 || w.hub.notModified != 2 {
		t.Errorf("asked %d times, %d unchanged", n, w.hub.notModified)
	}
	// One page changes; the other comes from the archive.
	w.hub.repos["acme/r120"].attrs["stargazers_count"] = 9
	if n := next(); n != 2 || w.hub.notModified != 3 {
		t.Errorf("asked %d times, %d unchanged", n, w.hub.notModified)
	}
	if got := w.rows("SELECT (count(*) FILTER (state = 'ok')) || ' ' || sum(stars) FROM " +
		"repositories"); got[0] != "130 912" {
		t.Errorf("repositories and stars: %s", got[0])
	}
	w.replays()
	// A page that is lost is asked for again.
	keys := w.rows("SELECT archive FROM crawl_lists ORDER BY fetched_at LIMIT 1")
	if err := os.Remove(filepath.Join(w.pages, keys[0]+".zst")); err != nil {
		t.Fatal(err)
	}
	if n := next(); n != 3 {
		t.Errorf("asked %d times", n)
	}
	w.untested = true // a page is gone
}
