package github

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-github/v62/github"
)

// The client library keeps what rate headers say, one table for all that it
// sends, and refuses by its own clock what would come before the reset. It sees no
// such header: tokens would hold up each other, and the clock is ours.
func TestTheLibrarysRateTableHoldsNothingUp(t *testing.T) {
	headers := func(status, left int, reset time.Time) step {
		return say(status, `[1]`, "X-RateLimit-Limit", "60", "X-RateLimit-Remaining", fmt.Sprint(left), "X-RateLimit-Reset",
			fmt.Sprint(reset.Unix()))
	}
	reset := time.Now().Add(time.Hour) // ahead of the library's clock, which no test moves
	for _, status := range []int{200, 403, 429} {
		p, clock, seen := host(t, Options{Tokens: []string{"a"}}, headers(status, 0, reset), headers(200, 59, reset))
		clock.at = time.Now()
		for range 2 {
			pg, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"})
			if err != nil || string(pg.Body) != "[1]" {
				t.Fatalf("%d: %v, %v", status, pg, err)
			}
		}
		if want := map[int]int{200: 2, 403: 3, 429: 3}[status]; len(seen()) != want || len(clock.slept) != 1 {
			t.Errorf("%d: %d requests, slept %v", status, len(seen()), clock.slept)
		}
	}
}

// One token's zero says nothing of another's.
func TestTokensDoNotShareATable(t *testing.T) {
	reset := time.Now().Add(time.Hour)
	p, clock, seen := host(t, Options{Tokens: []string{"a", "b"}}, func(w http.ResponseWriter, r *http.Request,
		now time.Time) {
		left := "0"
		if r.Header.Get("Authorization") == "Bearer b" {
			left = "50"
		}
		say(200, `1`, "X-RateLimit-Limit", "60", "X-RateLimit-Remaining", left, "X-RateLimit-Reset",
			fmt.Sprint(reset.Unix()))(w, r, now)
	})
	clock.at = time.Now()
	for i := range 12 {
		if _, err := p.Fetch(t.Context(), Request{Pin: fmt.Sprint("o/n", i), Path: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	of := map[string]int{}
	for _, r := range seen() {
		of[r.Header.Get("Authorization")]++
	}
	if of["Bearer a"] != 1 || of["Bearer b"] != 11 || len(clock.slept) != 0 {
		t.Errorf("sent %v, slept %v", of, clock.slept)
	}
}

// A 429 is a limit in whatever form it comes, and never a final answer; the
// library's own error types reach nobody.
func TestA429IsNoFinalAnswer(t *testing.T) {
	for name, first := range map[string]step{
		"bare": say(429, ``), "words": say(429, `{"message":"Too many requests"}`), "primary": spent(429, time.Minute),
		"secondary": say(429, secondaryText), "a page": say(429, "<html>slow down</html>"),
	} {
		p, clock, seen := host(t, Options{Tokens: []string{"a"}}, first, say(404, `{"message":"Not Found"}`))
		_, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"})
		var plain *github.ErrorResponse
		if KindOf(err) != Missing || errors.As(err, &plain) || len(seen()) != 2 || len(clock.slept) != 1 {
			t.Errorf("%s: %v after %d requests, slept %v", name, err, len(seen()), clock.slept)
		}
	}
}

// oauth2 keeps the first token of a source that it wraps for ever: each client has
// a source of its own, and a token that is taken off the list is sent no more.
func TestEveryClientSendsItsOwnToken(t *testing.T) {
	p, _, seen := host(t, Options{Tokens: []string{"a", "b", "c"}}, say(200, `1`))
	for range 2 {
		for _, c := range p.clients {
			if _, err := p.ask(t.Context(), c, "x", Request{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, r := range seen() {
		if got, want := r.Header.Get("Authorization"), "Bearer "+string(rune('a'+i%3)); got != want {
			t.Errorf("request %d was sent with %s, want %s", i, got, want)
		}
	}
}
