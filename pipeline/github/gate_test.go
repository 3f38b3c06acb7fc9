package github

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// charging is a host that has a quota for each kind of question, or one for all.
type charging struct {
	left    map[string]int
	resets  map[string]time.Time
	names   func(kind string) string
	refused int
}

func (c *charging) answer(w http.ResponseWriter, r *http.Request, now time.Time) {
	kind := core
	if strings.HasPrefix(r.URL.Path, "/search/") {
		kind = search
	}
	name := c.names(kind)
	status := 200
	if c.left[name]--; c.left[name] < 0 {
		status = 403
		c.refused++
	}
	say(status, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Limit", "60", "X-RateLimit-Remaining",
		fmt.Sprint(max(c.left[name], 0)),
		"X-RateLimit-Reset", fmt.Sprint(c.resets[name].Unix()), "X-RateLimit-Resource", name)(w, r, now)
}

func TestSearchAndEverythingElseAreSeparateQuotas(t *testing.T) {
	own := func(kind string) string { return kind }
	ask := func(p *Pool, path string) {
		t.Helper()
		if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: path}); err != nil {
			t.Fatal(err)
		}
	}
	at := newFakeTime().now()
	resets := map[string]time.Time{core: at.Add(time.Hour), search: at.Add(time.Minute)}
	for name, c := range map[string]struct {
		left    map[string]int
		asked   []string
		slept   time.Duration
		refused int
	}{
		"a spent search": {map[string]int{core: 9, search: 1}, []string{"search/issues", "repos/o/n", "repos/o/n"}, 0, 0},
		"everything spent": {map[string]int{core: 1, search: 9}, []string{"repos/o/n", "search/issues", "search/issues"}, 0,
			0},
		"the next search": {map[string]int{core: 9, search: 1}, []string{"search/issues", "repos/o/n", "search/issues"},
			time.Minute + time.Second, 0},
		"the next of all": {map[string]int{core: 1, search: 9}, []string{"repos/o/n", "search/issues", "repos/o/n"},
			time.Hour + time.Second, 0},
		"spent by others": {map[string]int{core: 9, search: 0}, []string{"search/issues", "repos/o/n"}, time.Minute +
			time.Second, 1},
		"neither is touched": {map[string]int{core: 9, search: 9}, []string{"search/issues", "repos/o/n"}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := &charging{left: c.left, resets: resets, names: own}
			fill := func(w http.ResponseWriter, r *http.Request, now time.Time) {
				for q, reset := range resets { // a quota is full again at its reset
					if !now.Before(reset) && h.left[q] <= 0 {
						h.left[q] = 9
					}
				}
				h.answer(w, r, now)
			}
			p, clock, _ := host(t, Options{Tokens: []string{"a"}}, fill)
			for _, path := range c.asked {
				ask(p, path)
			}
			var all time.Duration
			for _, d := range clock.slept {
				all += d
			}
			if all != c.slept || h.refused != c.refused {
				t.Errorf("slept %v, want %v; %d refused, want %d", clock.slept, c.slept, h.refused, c.refused)
			}
		})
	}
}

// Asking too fast holds up everything; a host with one quota for all is not asked
// a search while that is spent.
func TestWhatHoldsUpEverything(t *testing.T) {
	p, clock, _ := host(t, Options{Tokens: []string{"a"}}, say(200, `1`), say(403, secondaryText, "Retry-After", "30"),
		say(200, `1`))
	for _, path := range []string{"repos/o/n", "search/issues", "repos/o/n"} {
		if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: path}); err != nil {
			t.Fatal(err)
		}
	}
	if len(clock.slept) != 1 || clock.slept[0] != 30*time.Second {
		t.Errorf("slept %v", clock.slept)
	}
	one := &charging{left: map[string]int{core: 2}, resets: map[string]time.Time{core: clock.now().Add(time.Hour)},
		names: func(string) string { return core }}
	p, clock, seen := host(t, Options{Tokens: []string{"a"}}, one.answer, one.answer, say(200, `1`))
	for _, path := range []string{"search/issues", "repos/o/n", "search/issues"} {
		if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: path}); err != nil {
			t.Fatal(err)
		}
	}
	if one.refused != 0 || len(seen()) != 3 || len(clock.slept) != 1 {
		t.Errorf("%d refused of %d, slept %v", one.refused, len(seen()), clock.slept)
	}
	if s := p.Stats(); s.Quotas[0].Limit != 60 || s.Searches[0].Limit != 0 {
		t.Errorf("quotas %+v", s)
	}
}
