package crawl_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/stages/crawl"
)

const resolved = "Do it (#%[1]d)\n\nPull Request resolved: https://github.com/%[2]s/pull/%[1]d\nApproved by: a " +
	"reviewer\n"

// closed makes a pull that the host shows as closed and not merged.
func (r *hubRepo) closedPull(n int, at time.Time, body string, labels ...string) {
	p := r.pull(n, at, body)
	p["merged_at"], p["merge_commit_sha"] = nil, nil
	var all []any
	for _, l := range labels {
		all = append(all, map[string]any{"name": l})
	}
	p["labels"] = all
}

const landedPulls = `SELECT concat_ws(' ', repository || '#' || number, merged_at, merge_commit_sha, landed, source, ` +
	`in_window) FROM pulls ORDER BY repository, number`

func TestPullsThatABotLandedCountAsMergedWhereARuleSaysSo(t *testing.T) {
	w := newWorld(t)
	api, web := w.hub.repo("acme/api", 1), w.hub.repo("acme/web", 1)
	hour := func(n int) time.Time { return start.Add(time.Duration(n-24) * time.Hour) }
	api.closedPull(2, hour(2), "Goes with acme/web#900", "Merged")
	api.commit("aa00000000000000000000000000000000000002", hour(2), "landbot", fmt.Sprintf(resolved, 2, "Acme/API"))
	api.closedPull(3, hour(3), "", "wontfix") // no label of the rule's
	api.commit("aa00000000000000000000000000000000000003", hour(3), "landbot", fmt.Sprintf(resolved, 3, "acme/api"))
	api.closedPull(4, hour(4), "", "merged") // a person's commit says so
	api.commit("aa00000000000000000000000000000000000004", hour(4), "dev2", fmt.Sprintf(resolved, 4, "acme/api"))
	api.closedPull(5, hour(5), "", "Merged") // taken back
	api.commit("aa00000000000000000000000000000000000005", hour(5), "landbot", fmt.Sprintf(resolved, 5, "acme/api"))
	api.commit("bb00000000000000000000000000000000000005", hour(6), "landbot",
		"Revert \"Do it (#5)\"\n\nThis reverts commit aa0000000000000000000000000000000000000"+"5.\n")
	api.closedPull(6, hour(7), "", "Merged") // taken back, and landed again
	api.commit("aa00000000000000000000000000000000000006", hour(7), "landbot", fmt.Sprintf(resolved, 6, "acme/api"))
	api.commit("bb00000000000000000000000000000000000006", hour(8), "landbot",
		"Revert\n\nThis reverts commit aa00000000000000000000000000000000000006.")
	api.commit("cc00000000000000000000000000000000000006", hour(9), "landbot", fmt.Sprintf(resolved, 6, "acme/api"))
	api.closedPull(7, hour(10), "", "Merged") // another repository's trailer
	api.commit("aa00000000000000000000000000000000000007", hour(10), "landbot", fmt.Sprintf(resolved, 7, "acme/web"))
	api.closedPull(8, hour(11), "", "Merged")
	api.pulls[8]["state"] = "open" // reopened
	api.commit("aa00000000000000000000000000000000000008", hour(11), "landbot", fmt.Sprintf(resolved, 8, "acme/api"))
	web.closedPull(2, hour(2), "", "Merged") // no rule is for it
	web.commit("dd00000000000000000000000000000000000002", hour(2), "landbot", fmt.Sprintf(resolved, 2, "acme/web"))

	off := []string{"acme/api#1 2026-03-01 11:00:00 0000000000000000000000000000000000000001 false list true",
		"acme/web#1 2026-03-01 11:00:00 0000000000000000000000000000000000000001 false list true"}
	for _, l := range w.calm() {
		if strings.Contains(l, "commits") {
			t.Errorf("without a rule it asked %s", l)
		}
	}
	if d := cmp.Diff(off, w.rows(landedPulls)); d != "" {
		t.Error(d)
	}
	w.landed = []crawl.Landing{{Repositories: []string{"ACME/api"}, Labels: []string{"Merged"}, Bots: []string{"LandBot"}}}
	log := w.calm()
	if len(log) != 2 || !strings.HasPrefix(log[0], "/repos/acme/api/commits?") || log[1] != "/repos/acme/web/issues/900" {
		t.Errorf("asked %q", log)
	}
	on := []string{off[0], "acme/api#2 2026-02-28 14:00:00 aa00000000000000000000000000000000000002 true list true",
		"acme/api#6 2026-02-28 21:00:00 cc00000000000000000000000000000000000006 true list true", off[1]}
	if d := cmp.Diff(on, w.rows(landedPulls)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"acme/api#2 dev landbot Pull Request resolved"},
		w.rows("SELECT concat_ws(' ', repository || '#' || number, author, committer, trailer) FROM landings WHERE number "+
			"= 2")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"acme/api 3 2", "acme/web 1 0"},
		w.rows("SELECT concat_ws(' ', repository, merged, landed) FROM crawl_health ORDER BY 1")); d != "" {
		t.Error(d)
	}
	if log := w.calm(); len(log) != 0 {
		t.Errorf("a second run asked %q", log)
	}
	w.replays()
	// The search knows nothing of landed pulls: they are no gap.
	audited, _ := w.audit()
	for _, a := range audited {
		if a.Stored != 1 || !a.Complete() {
			t.Errorf("audit %+v", a)
		}
	}
	// A laxer rule needs the commits of the last day only.
	w.landed[0].Bots, w.landed[0].Labels = nil, nil
	if log := w.calm(); len(log) != 1 {
		t.Errorf("asked %q", log)
	}
	if got := w.rows("SELECT number::VARCHAR FROM pulls WHERE landed ORDER BY 1"); fmt.Sprint(got) != "[2 3 4 6]" {
		t.Errorf("landed are %v", got)
	}
	// A pull that comes anew is landed anew.
	w.hub.tick(25 * time.Hour)
	w.hub.touch(api, 2)
	api.attrs["pushed_at"] = w.hub.now.Format(time.RFC3339)
	w.calm()
	if got := w.rows("SELECT number::VARCHAR FROM pulls WHERE landed ORDER BY 1"); fmt.Sprint(got) != "[2 3 4 6]" {
		t.Errorf("landed are %v", got)
	}
	w.replays()
	w.landed = nil
	w.calm()
	if d := cmp.Diff(off, w.rows(landedPulls)); d != "" {
		t.Error(d)
	}
	if n := w.rows("SELECT count(*)::VARCHAR FROM pull_versions WHERE source = 'landed'"); n[0] != "0" {
		t.Errorf("%s landed rows are left", n[0])
	}
}

// Commits are read page by page; what broke is taken up, and the next read goes on
// from there.
func TestCommitsAreReadOnceWhateverHappens(t *testing.T) {
	testscope.NotShort(t, "it breaks off after every page of commits")
	build := func(w *world) *hubRepo {
		r := w.hub.repo("acme/api", 0)
		w.landed = []crawl.Landing{{Repositories: []string{"acme/*"}}}
		for n := 1; n <= 330; n++ {
			at := start.Add(-time.Duration(331-n) * time.Hour)
			r.closedPull(n, at, "")
			r.commit(fmt.Sprintf("%040x", n+1<<32), at, "landbot", fmt.Sprintf(resolved, n, "acme/api"))
		}
		return r
	}
	commits := func(log []string) (n int) {
		for _, l := range log {
			if strings.Contains(l, "/commits?") {
				n++
			}
		}
		return n
	}
	count := "SELECT concat_ws(' ', count(*) FILTER (landed), max(merge_commit_sha)) FROM all_pulls"
	broken := 0
	for at := 5; at <= 10; at++ { // before each of the pages of commits, and after the last
		w := newWorld(t)
		r := build(w)
		left := at
		w.wrap = func(db pipeline.DB) pipeline.DB { return lost{db, &left} }
		first, broke := w.crawl(t.Context())
		w.wrap = nil
		w.hub.tick(time.Hour)
		again := w.calm()
		if n := commits(first) + commits(again); broke != nil && left <= 0 && n > 6 {
			t.Errorf("commit %d: commits were asked for %d times", at, n)
		}
		if d := cmp.Diff([]string{"330 " + fmt.Sprintf("%040x", 330+1<<32)}, w.rows(count)); d != "" {
			t.Errorf("commit %d: %s", at, d)
		}
		if broke != nil {
			broken++
		}
		if at < 10 {
			continue
		}
		w.replays()
		w.hub.tick(25 * time.Hour)
		r.closedPull(331, w.hub.now, "")
		r.commit(strings.Repeat("e", 40), w.hub.now, "landbot", fmt.Sprintf(resolved, 331, "acme/api"))
		r.attrs["pushed_at"] = w.hub.now.Format(time.RFC3339)
		if n := commits(w.calm()); n != 1 {
			t.Errorf("commits were asked for %d times", n)
		}
		if d := cmp.Diff([]string{"331 " + strings.Repeat("e", 40)}, w.rows(count)); d != "" {
			t.Error(d)
		}
		// An earlier cut-off reads further down.
		w.since = w.since.AddDate(-1, 0, 0)
		if n := commits(w.calm()); n != 4 {
			t.Errorf("commits were asked for %d times", n)
		}
	}
	if broken < 4 {
		t.Errorf("only %d runs were killed", broken)
	}
}

func TestCommitsThatTheHostDoesNotGive(t *testing.T) {
	w := newWorld(t)
	r := w.hub.repo("acme/api", 1)
	r.attrs["hidden"] = true
	w.landed = []crawl.Landing{{Repositories: []string{"acme/*"}}}
	w.calm()
	if d := cmp.Diff(names("acme/api", 1, 1), w.rows(numbers)); d != "" {
		t.Error(d)
	}
	if log := w.calm(); len(log) != 0 {
		t.Errorf("asked %q", log)
	}
}

func TestLandingRulesAreChecked(t *testing.T) {
	for want, l := range map[string]crawl.Landing{
		"":                   {Repositories: []string{"o/n.js", "o/*"}, Trailers: []string{"Pull-Request"}},
		"names no":           {},
		"neither owner/name": {Repositories: []string{"o"}},
		"write the words":    {Repositories: []string{"o/*"}, Trailers: []string{"Resolved:"}},
		"*/n is neither":     {Repositories: []string{"*/n"}},
	} {
		err := l.Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), `"`,
			""), want)) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}
