package crawl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLinkedFetchesWhatTheTextsName(t *testing.T) {
	w := newWorld(t)
	api, web := w.hub.repo("acme/api", 0), w.hub.repo("acme/web", 0)
	w.hub.moved["acme/old-web"], w.hub.moved["before/web"] = "acme/web", "acme/web"
	w.hub.repo("acme-tools/outside", 0)
	w.ecosystems[0].Organizations = []string{"acme", "user-nobody"}
	w.hub.repo("user-nobody/readme", 0)
	old := start.AddDate(-5, 0, 0)
	api.pull(1, start.Add(-time.Hour), "Needs acme/old-web#10 and before/web#11, fixes acme/web#12, see acme/web#13 and "+
		"acme/missing#1, https://github.com/acme/web/issues/14, golang/go#5")
	bot := api.pull(2, start.Add(-time.Hour), "acme/web#15")
	bot["user"] = map[string]any{"login": "renovate[bot]", "type": "Bot"}
	web.pull(10, old, "")
	web.pull(11, old, "")
	web.pull(14, start.Add(-time.Minute), "")["state"] = "open"
	web.pulls[14]["merged_at"] = nil
	web.pull(15, old, "")
	// Merged before the window, touched within it, and named: the pass stores it.
	web.pull(16, old, "")["updated_at"] = start.Add(-time.Minute).Format(time.RFC3339)
	web.pull(17, old, "")["updated_at"] = start.Add(-time.Minute).Format(time.RFC3339)
	api.pull(3, start.Add(-time.Hour), "acme/web#16")
	web.issues[12] = map[string]any{"number": 12, "title": "Broken", "body": "It is", "state": "closed", "user": nil}
	log := w.calm()
	got := w.rows("SELECT concat_ws(' ', repository || '#' || number, source, in_window) FROM pulls ORDER BY 1")
	want := []string{"acme/api#1 list true", "acme/api#2 list true", "acme/api#3 list true",
		"acme/web#10 linked false", "acme/web#11 linked false", "acme/web#16 linked false"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = w.rows("SELECT concat_ws(' ', repository || '#' || number, kind, title) FROM issues ORDER BY 1")
	if d := cmp.Diff([]string{"acme/web#12 issue Broken", "acme/web#13 missing "}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"open"}, w.rows("SELECT state FROM all_pulls WHERE number = 14")); d != "" {
		t.Error(d)
	}
	got = w.rows("SELECT concat_ws(' ', written, state, repository) FROM repository_aliases ORDER BY written")
	if d := cmp.Diff([]string{"acme/missing missing ", "acme/old-web renamed acme/web", "before/web renamed acme/web"},
		got); d != "" {
		t.Error(d)
	}
	for _, l := range log {
		if strings.Contains(l, "golang") || strings.HasSuffix(l, "/15") {
			t.Errorf("asked %s", l)
		}
	}
	if log := w.calm(); len(log) != 0 {
		t.Errorf("a second run asked %q", log)
	}
	// New texts: only what is not known yet is asked for.
	w.hub.tick(25 * time.Hour)
	api.pull(4, w.hub.now, "acme/web#10, acme/web#12, acme/missing#9, acme/web#15")
	api.attrs["pushed_at"] = w.hub.now.Format(time.RFC3339)
	log = w.calm()
	var linked []string
	for _, l := range log {
		if strings.Contains(l, "/issues/") || strings.Contains(l, "missing") {
			linked = append(linked, l)
		}
	}
	if d := cmp.Diff([]string{"/repos/acme/web/issues/15"}, linked); d != "" {
		t.Error(d)
	}
}
