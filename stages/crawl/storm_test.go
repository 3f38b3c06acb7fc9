package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testscope"
)

// Whatever goes wrong on the way, the tables end as those of a calm run.
func TestStormEndsAsCalm(t *testing.T) {
	everything := `SELECT concat_ws('|', repository, number, title, body, author, merged_at, merge_commit_sha, source, in_window, state, linked) FROM all_pulls
		UNION ALL SELECT concat_ws('|', repository, number, kind, title) FROM issues
		UNION ALL SELECT concat_ws('|', written, repository, state) FROM repository_aliases
		UNION ALL SELECT concat_ws('|', repository, state) FROM repositories ORDER BY 1`
	build := func(w *world) {
		for i := range 4 {
			r := w.hub.repo(fmt.Sprintf("acme/r%d", i), 250)
			for n := 10; n <= 250; n += 40 {
				r.pulls[n]["body"] = fmt.Sprintf("Goes with acme/r%d#%d, fixes acme/r%d#%d, see acme/was-%d#1", (i+1)%4, n, (i+2)%4,
					900+n, i)
			}
			r.issues[930] = map[string]any{"number": 930, "title": "Broken", "state": "open"}
			w.hub.moved[fmt.Sprintf("acme/was-%d", i)] = r.name
		}
	}
	calm := newWorld(t)
	build(calm)
	calm.calm()
	want := calm.rows(everything)
	if len(want) < 1000 {
		t.Fatalf("only %d rows", len(want))
	}
	for seed := range testscope.Times(1, 4) {
		w, r := newWorld(t), rand.New(rand.NewPCG(uint64(seed), 1))
		build(w)
		troubles, kills := 0, 0
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			w.hub.mu.Lock() // a request of the killed run may still be answered
			dies := 3 + r.IntN(25)
			w.hub.before = func(n int, rw http.ResponseWriter, _ *http.Request) bool {
				if n == dies && kills < 6 {
					kills++
					cancel()
				}
				if r.IntN(3) > 0 {
					return false
				}
				troubles++
				return w.hub.trouble(r.IntN(6), rw)
			}
			w.hub.mu.Unlock()
			_, err := w.crawl(ctx)
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		w.hub.mu.Lock()
		if troubles < 20 || kills < 5 {
			t.Errorf("only %d troubles and %d kills", troubles, kills)
		}
		w.hub.mu.Unlock()
		if d := cmp.Diff(want, w.rows(everything)); d != "" {
			t.Errorf("seed %d, after %d troubles and %d kills:\n%s", seed, troubles, kills, d)
		}
	}
}

func TestListThatMovesWhileItIsReadLosesNothing(t *testing.T) {
	testscope.NotShort(t, "its list has two pages")
	w := newWorld(t)
	for i := range 120 {
		w.hub.repo(fmt.Sprintf("acme/r%03d", i), 0)
	}
	w.calm()
	w.hub.tick(25 * time.Hour)
	w.hub.before = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 2 { // between the list's two pages: the hundredth moves up and is on neither
			delete(w.hub.repos, "acme/r003")
		}
		return false
	}
	w.calm()
	isGone := "SELECT repository FROM repositories WHERE state = 'gone'"
	if got := w.rows(isGone); len(got) != 0 {
		t.Errorf("%q are said to be gone", got)
	}
	w.hub.before = nil
	w.hub.tick(25 * time.Hour)
	w.calm()
	if d := cmp.Diff([]string{"acme/r003"}, w.rows(isGone)); d != "" {
		t.Error(d)
	}
}
