package github

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// spending is a host that gives each token a number of requests in a window.
func spending(limit int, window time.Duration, sent map[string]int) step {
	left, resets := map[string]int{}, map[string]time.Time{}
	return func(w http.ResponseWriter, r *http.Request, now time.Time) {
		token := r.Header.Get("Authorization")
		if !now.Before(resets[token]) {
			left[token], resets[token] = limit, now.Add(window)
		}
		if left[token]--; left[token] < 0 {
			sent["to a spent token"]++
			say(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Limit", fmt.Sprint(limit), "X-RateLimit-Remaining",
				"0",
				"X-RateLimit-Reset", fmt.Sprint(resets[token].Unix()))(w, r, now)
			return
		}
		sent[token]++
		say(200, `1`, "X-RateLimit-Limit", fmt.Sprint(limit), "X-RateLimit-Remaining", fmt.Sprint(left[token]),
			"X-RateLimit-Reset", fmt.Sprint(resets[token].Unix()), "ETag", `"`+token+`"`)(w, r, now)
	}
}

func TestEveryTokenIsSpentBeforeAnyoneWaits(t *testing.T) {
	sent := map[string]int{}
	p, clock, _ := host(t, Options{Tokens: []string{"a", "b", "c"}}, spending(10, time.Minute, sent))
	for range 30 { // one repository: its own token alone would need three windows
		if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(map[string]int{"Bearer a": 10, "Bearer b": 10, "Bearer c": 10}, sent); d != "" ||
		len(clock.slept) != 0 {
		t.Errorf("%s slept %v", d, clock.slept)
	}
	if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"}); err != nil || len(clock.slept) != 1 {
		t.Errorf("%v, slept %v", err, clock.slept)
	}
}

func TestETagGoesBackToItsToken(t *testing.T) {
	sent := map[string]int{}
	p, _, seen := host(t, Options{Tokens: []string{"a", "b"}}, spending(5, time.Minute, sent))
	pg, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"})
	if err != nil {
		t.Fatal(err)
	}
	owner := seen()[0].Header.Get("Authorization")
	// Names that the other token is for do not matter.
	for i := range 3 {
		if _, err := p.Fetch(t.Context(), Request{Pin: fmt.Sprint("o/other", i), Path: "x", ETag: pg.ETag}); err != nil {
			t.Fatal(err)
		}
		last := seen()[len(seen())-1]
		if last.Header.Get("Authorization") != owner || last.Header.Get("If-None-Match") != `"`+owner+`"` {
			t.Errorf("sent %v", last.Header)
		}
	}
	// Once its token is spent, the page is worth a request of another one.
	for range 2 {
		if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x", ETag: pg.ETag}); err != nil {
			t.Fatal(err)
		}
	}
	last := seen()[len(seen())-1]
	if last.Header.Get("Authorization") == owner || last.Header.Get("If-None-Match") != "" {
		t.Errorf("sent %v", last.Header)
	}
	// A token that is here no more made it: nobody is asked with it.
	other, _, heard := host(t, Options{Tokens: []string{"z"}}, say(200, `1`))
	if _, err := other.Fetch(t.Context(), Request{Pin: "o/n", Path: "x", ETag: pg.ETag}); err != nil ||
		heard()[0].Header.Get("If-None-Match") != "" {
		t.Errorf("%v, sent %v", err, heard()[0].Header)
	}
}
