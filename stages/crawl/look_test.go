package crawl_test

import (
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pullRequests leaves the lists of repositories out.
func pullRequests(log []string) (out []string) {
	for _, l := range log {
		if strings.HasPrefix(l, "/repos/") {
			path, _, _ := strings.Cut(l, "?")
			out = append(out, path)
		}
	}
	sort.Strings(out)
	return out
}

const week = 7 * 24 * time.Hour

func TestAFullPassSeesWhatNoPushTells(t *testing.T) {
	w := newWorld(t)
	w.full = week
	api := w.hub.repo("acme/api", 130)
	w.hub.repo("acme/web", 2)
	w.calm()
	edit := func() {
		api.pulls[7]["body"], api.pulls[7]["labels"] = "Goes with acme/web#2", []any{map[string]any{"name": "late"}}
		w.hub.touch(api, 7)
	}
	w.hub.tick(2 * 24 * time.Hour)
	edit()
	if got := pullRequests(w.calm()); len(got) != 0 {
		t.Errorf("two days later it asked %q", got)
	}
	w.hub.tick(5 * 24 * time.Hour)
	unchanged := w.hub.notModified
	if d := cmp.Diff([]string{"/repos/acme/api/pulls", "/repos/acme/web/pulls"}, pullRequests(w.calm())); d != "" {
		t.Error(d)
	}
	if n := w.hub.notModified - unchanged; n != 2 { // the list of repositories, and the pulls of web
		t.Errorf("%d of the answers were 304", n)
	}
	if d := cmp.Diff([]string{"Goes with acme/web#2 [late]"},
		w.rows("SELECT body || ' ' || labels::VARCHAR FROM pulls WHERE number = 7")); d != "" {
		t.Error(d)
	}
	if log := w.calm(); len(log) != 0 {
		t.Errorf("a second run asked %q", log)
	}
	w.replays()
	// A push reads the repository: a week counts from there.
	w.hub.tick(6 * 24 * time.Hour)
	api.attrs["pushed_at"] = w.hub.now.Format(time.RFC3339)
	if d := cmp.Diff([]string{"/repos/acme/api/pulls"}, pullRequests(w.calm())); d != "" {
		t.Error(d)
	}
	w.hub.tick(2 * 24 * time.Hour)
	if d := cmp.Diff([]string{"/repos/acme/web/pulls"}, pullRequests(w.calm())); d != "" {
		t.Error(d)
	}
	// Never, where the configuration says so.
	w.full = 0
	w.hub.tick(4 * week)
	if got := pullRequests(w.calm()); len(got) != 0 {
		t.Errorf("it asked %q", got)
	}
}

func TestAFullPassTriesWhatCouldNotBeRead(t *testing.T) {
	w := newWorld(t)
	w.full = week
	blocked, off := w.hub.repo("acme/blocked", 2), w.hub.repo("acme/off", 2)
	w.hub.repo("acme/blank", 0).attrs["pushed_at"] = nil
	blocked.attrs["blocked"], off.attrs["off"] = true, true
	w.calm()
	if log := w.calm(); len(log) != 0 {
		t.Errorf("a second run asked %q", log)
	}
	states := "SELECT repository || ' ' || state FROM repositories ORDER BY 1"
	still := []string{"acme/blank empty", "acme/blocked blocked", "acme/off pulls_off"}
	w.hub.tick(week + time.Hour)
	if d := cmp.Diff([]string{"/repos/acme/blocked/pulls", "/repos/acme/off", "/repos/acme/off/pulls"},
		pullRequests(w.calm())); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(still, w.rows(states)); d != "" {
		t.Error(d)
	}
	if log := w.calm(); len(log) != 0 {
		t.Errorf("a second run asked %q", log)
	}
	w.replays()
	delete(blocked.attrs, "blocked")
	w.hub.tick(week + time.Hour)
	w.calm()
	if d := cmp.Diff([]string{"acme/blank empty", "acme/blocked ok", "acme/off pulls_off"}, w.rows(states)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(names("acme/blocked", 1, 2), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	w.replays()
	w.hub.tick(25 * time.Hour)
	if got := pullRequests(w.calm()); len(got) > 1 {
		t.Errorf("a day later it asked %q", got)
	}
	if d := cmp.Diff(names("acme/blocked", 1, 2), w.rows(numbers)); d != "" {
		t.Error(d)
	}
}
