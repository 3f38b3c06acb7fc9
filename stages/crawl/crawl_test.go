package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

const numbers = "SELECT repository || '#' || number FROM pulls ORDER BY repository, number"

func names(repo string, from, to int) (out []string) {
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprintf("%s#%d", repo, i))
	}
	return out
}

func TestCrawlStoresWhatTheHostHas(t *testing.T) {
	w := newWorld(t)
	r := w.hub.repo("acme/api", 2)
	odd := r.pull(3, start, "NUL \x00 and \xff")
	odd["user"], odd["head"].(map[string]any)["repo"], odd["merged_at"] = nil, nil, nil
	w.calm()
	got := w.rows(`SELECT concat_ws('|', repository, number, title, body, author, author_type, labels, merged_at, merge_commit_sha[38:],
		base_ref, head_ref, head_repository, source, in_window) FROM all_pulls ORDER BY number`)
	want := []string{
		"acme/api|1|Change 1||dev|User|[kind/x]|2026-03-01 10:00:00|001|main|topic|dev/fork|list|true",
		"acme/api|2|Change 2||dev|User|[kind/x]|2026-03-01 11:00:00|002|main|topic|dev/fork|list|true",
		"acme/api|3|Change 3|NUL \uFFFD and \uFFFD|||[kind/x]|003|main|topic||list|false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(names("acme/api", 1, 2), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	got = w.rows(`SELECT concat_ws('|', repository, state, pages, rows, passes, high_water, pass_open, pulls, merged, ` +
		`closed_unmerged) FROM crawl_health`)
	if d := cmp.Diff([]string{"acme/api|ok|1|3|1|2026-03-01 12:00:00|false|3|2|1"}, got); d != "" {
		t.Error(d)
	}
}

func TestSecondRunAsksNothingAndARefreshAsksForTheListOnly(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 3)
	w.hub.repo("acme/web", 150)
	w.calm()
	if log := w.calm(); len(log) != 0 {
		t.Errorf("a second run asked %q", log)
	}
	w.hub.tick(25 * time.Hour)
	if log := w.calm(); len(log) != 1 || !strings.HasPrefix(log[0], "/orgs/acme/repos") {
		t.Errorf("a run a day later asked %q", log)
	}
	// A push makes its repository due, and what is unchanged is not sent again.
	w.hub.tick(25 * time.Hour)
	w.hub.repos["acme/api"].attrs["pushed_at"] = w.hub.now.Format(time.RFC3339)
	w.hub.repos["acme/web"].attrs["pushed_at"] = w.hub.now.Format(time.RFC3339)
	w.hub.repos["acme/web"].pull(151, w.hub.now, "")
	before := w.rows("SELECT count(*)::VARCHAR FROM pull_versions")
	if log := w.calm(); len(log) != 3 {
		t.Errorf("a run after two pushes asked %q", log)
	}
	if d := cmp.Diff(append(names("acme/api", 1, 3), names("acme/web", 1, 151)...), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	if after := w.rows("SELECT (count(*) - 1)::VARCHAR FROM pull_versions"); after[0] != before[0] {
		t.Errorf("%s versions became %s and one", before, after)
	}
}

func TestPassFindsWhatMovesWhileItIsRead(t *testing.T) {
	testscope.NotShort(t, "its pulls have four pages")
	w := newWorld(t)
	r := w.hub.repo("acme/api", 350)
	w.hub.before = func(n int, _ http.ResponseWriter, req *http.Request) bool {
		w.hub.tick(time.Second)
		switch n {
		case 3: // after page 1 of the list (request 2): a pull of page 3 jumps to the front
			w.hub.touch(r, 120)
		case 4: // more than a page of pulls is touched, so that one look at the front is not enough
			for i := 1; i <= 130; i++ {
				w.hub.touch(r, i)
			}
		}
		return false
	}
	w.calm()
	if d := cmp.Diff(names("acme/api", 1, 350), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	got := w.rows(`SELECT count(*)::VARCHAR FROM all_pulls WHERE number <= 130 AND updated_at >= '2026-03-01 12:00:00'`)
	if got[0] != "130" {
		t.Errorf("%s of 130 touched pulls have their last version", got[0])
	}
	// The high water is the time before the first request of the pass.
	got = w.rows("SELECT (high_water <= '2026-03-01 12:00:02')::VARCHAR FROM crawl_passes")
	if d := cmp.Diff([]string{"true"}, got); d != "" {
		t.Error(d)
	}
}

func TestClockThatIsAheadLosesNothing(t *testing.T) {
	w := newWorld(t)
	w.ahead = time.Hour
	r := w.hub.repo("acme/api", 150)
	w.calm()
	for range 2 {
		w.hub.tick(25 * time.Hour)
		w.calm()
		// Merged just after, by the host's clock an hour before what ours says of the pass.
		w.hub.tick(10 * time.Minute)
		r.pull(len(r.pulls)+1, w.hub.now, "")
		r.attrs["pushed_at"] = w.hub.now.Format(time.RFC3339)
	}
	w.hub.tick(25 * time.Hour)
	w.calm()
	if d := cmp.Diff(names("acme/api", 1, 152), w.rows(numbers)); d != "" {
		t.Error(d)
	}
}

func TestBrokenPassGoesOnWhereItWas(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 1030)
	ctx, cancel := context.WithCancel(t.Context())
	w.hub.before = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 7 { // the list of repositories, five pages, and no more
			cancel()
		}
		return false
	}
	if _, err := w.crawl(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if got := w.rows("SELECT (count(*) FILTER (pass_open))::VARCHAR || ' ' || sum(pages) || ' ' || sum(passes) FROM " +
		"crawl_health"); got[0] != "1 5 0" {
		t.Errorf("open passes, pages, passes: %s", got[0])
	}
	w.hub.mu.Lock()
	w.hub.before = nil
	w.hub.tick(time.Hour)
	w.hub.mu.Unlock()
	log := w.calm()
	// The overlap page, the six others, and one look at the front.
	if len(log) != 8 || !strings.Contains(log[0], "page=5&") {
		t.Errorf("asked %d: %q", len(log), log)
	}
	if d := cmp.Diff(names("acme/api", 1, 1030), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	if got := w.rows("SELECT concat_ws(' ', pass_started, high_water) FROM crawl_passes"); got[0] != "2026-03-01 12:00:00 2026-03-01 12:00:00" {
		t.Errorf("the pass began at %s", got[0])
	}
}

func TestPageThatIsTooMuchIsHalved(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 330)
	w.hub.before = func(_ int, rw http.ResponseWriter, r *http.Request) bool {
		// The host can't answer rows 100 to 125 in more than 25 at once.
		if size, page := r.FormValue("per_page"), r.FormValue("page"); size == "100" && page == "2" || size == "50" &&
			page == "3" {
			rw.WriteHeader(http.StatusBadGateway)
			return true
		}
		return false
	}
	log := w.calm()
	if d := cmp.Diff(names("acme/api", 1, 330), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	tooMuch := 0
	for _, l := range log {
		if strings.Contains(l, "page=2&per_page=100") {
			tooMuch++
		}
	}
	if tooMuch != 3 {
		t.Errorf("the page that is too much was asked for %d times", tooMuch)
	}
	got := w.rows("SELECT row_offset || '+' || per_page FROM crawl_pages WHERE round = 1 ORDER BY row_offset")
	if d := cmp.Diff([]string{"0+100", "100+25", "125+25", "150+50", "200+100", "300+100"}, got); d != "" {
		t.Error(d)
	}
}

func TestStatesOfRepositories(t *testing.T) {
	w := newWorld(t)
	for name, attrs := range map[string]map[string]any{
		"archived": {"archived": true}, "fork": {"fork": true}, "disabled": {"disabled": true},
		"quiet": {"pushed_at": "2023-12-31T23:59:59Z"},
		"blank": {"pushed_at": nil}, "off-known": {"has_pull_requests": false}, "off": {"off": true},
		"blocked": {"blocked": true}, "plain": {},
		"rule": {"rule": true}, "private": {"private": true},
	} {
		w.hub.repo("acme/"+name, 1).attrs = attrs
	}
	w.calm()
	state := "SELECT repository[6:] || ' ' || state FROM repositories ORDER BY repository"
	want := []string{"archived archived", "blank empty", "blocked blocked", "disabled disabled", "fork fork",
		"off pulls_off",
		"off-known pulls_off", "plain ok", "quiet quiet", "rule blocked"}
	if d := cmp.Diff(want, w.rows(state)); d != "" {
		t.Error(d)
	}
	reasons := w.rows("SELECT item[12:] || ': ' || reason FROM outcomes_latest WHERE item LIKE 'pulls:%' AND status = " +
		"'skipped' ORDER BY item")
	if len(reasons) != 9 || reasons[5] != "off: pull requests are switched off" {
		t.Errorf("%q", reasons)
	}
	if d := cmp.Diff(names("acme/plain", 1, 1), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	// What a pass found is kept by the next list, and costs nothing again.
	w.hub.tick(25 * time.Hour)
	if log := w.calm(); len(log) != 1 {
		t.Errorf("asked %q", log)
	}
	if d := cmp.Diff(want, w.rows(state)); d != "" {
		t.Error(d)
	}
	// Switched on again, and a repository that is listed no more.
	w.hub.tick(25 * time.Hour)
	w.hub.repos["acme/off"].attrs = map[string]any{"has_pull_requests": true}
	delete(w.hub.repos, "acme/plain")
	w.calm()
	if d := cmp.Diff(names("acme/off", 1, 1), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	if got := w.rows("SELECT state FROM repositories WHERE repository = 'acme/plain'"); got[0] != "gone" {
		t.Errorf("a repository that is listed no more is %s", got[0])
	}
}

func TestRepositoryThatVanishesIsTriedAgainWhenListedAgain(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 2)
	w.hub.repo("acme/web", 2).attrs["vanished"] = true
	w.calm()
	if got := w.rows("SELECT state FROM repositories ORDER BY repository"); got[0] != "ok" || got[1] != "gone" {
		t.Errorf("states %q", got)
	}
	if log := w.calm(); len(log) != 0 {
		t.Errorf("asked %q", log)
	}
	w.hub.tick(25 * time.Hour)
	delete(w.hub.repos["acme/web"].attrs, "vanished")
	w.calm()
	if d := cmp.Diff(append(names("acme/api", 1, 2), names("acme/web", 1, 2)...), w.rows(numbers)); d != "" {
		t.Error(d)
	}
}

func TestUnknownNamesAreSaidAndTheRestIsCrawled(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 2)
	w.hub.repo("user-x/tool", 1)
	w.hub.repo("new/name", 1)
	w.hub.moved["old/name"] = "new/name"
	w.ecosystems = append(w.ecosystems,
		schema.EcosystemConfig{Name: "typo", Organizations: []string{"acmee"}},
		schema.EcosystemConfig{Name: "mixed", Organizations: []string{"user-x"}, Repositories: []string{"Old/Name"}})
	_, err := w.crawl(t.Context())
	var usage *pipeline.UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), `"acmee"`) || !strings.Contains(err.Error(),
		"wideswe.yaml") {
		t.Errorf("got %v", err)
	}
	want := append(names("acme/api", 1, 2), "new/name#1", "user-x/tool#1")
	if d := cmp.Diff(want, w.rows(numbers)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"old/name new/name renamed"},
		w.rows("SELECT concat_ws(' ', written, repository, state) FROM repository_aliases")); d != "" {
		t.Error(d)
	}
	if got := w.rows("SELECT status FROM outcomes_latest WHERE item = 'inventory:typo'"); got[0] != "failed" {
		t.Errorf("the typo's item is %s", got[0])
	}
}

func TestEcosystemThatIsConfiguredNoMoreLeavesTheViews(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 1)
	w.hub.repo("other/x", 1)
	w.ecosystems = append(w.ecosystems, schema.EcosystemConfig{Name: "other", Organizations: []string{"other"}})
	w.calm()
	w.ecosystems = w.ecosystems[:1]
	w.calm()
	if d := cmp.Diff(names("acme/api", 1, 1), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	w.ecosystems = append(w.ecosystems, schema.EcosystemConfig{Name: "other", Organizations: []string{"other"}})
	w.hub.tick(time.Minute)
	w.calm()
	if d := cmp.Diff([]string{"acme/api#1", "other/x#1"}, w.rows(numbers)); d != "" {
		t.Error(d)
	}
}

func TestEarlierCutOffReadsFurtherDown(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 300)
	w.since = start.Add(-150 * time.Hour)
	w.calm()
	if d := cmp.Diff(names("acme/api", 151, 300), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	w.since = start.Add(-250 * time.Hour)
	w.calm()
	if d := cmp.Diff(names("acme/api", 51, 300), w.rows(numbers)); d != "" {
		t.Error(d)
	}
}
