package github

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
)

const secondaryText = `{"message":"You have exceeded a secondary rate limit. Please wait.","documentation_url":"https://docs.github.com/x#about-secondary-rate-limits"}`

func TestFetchGetsOverTroubleAndLimits(t *testing.T) {
	good := say(200, `[1]`)
	for name, c := range map[string]struct {
		steps []step
		slept time.Duration // in all
	}{
		"calm":                   {[]step{good}, 0},
		"502":                    {[]step{say(502, "<html>"), good}, 250 * time.Millisecond},
		"400 page that is a 500": {[]step{say(400, "<html>error_500"), good}, 250 * time.Millisecond},
		"reset, cut, no JSON":    {[]step{reset, cut, say(200, `[1`), good}, (250 + 500 + 1000) * time.Millisecond},
		"empty body":             {[]step{say(200, ``), good}, 250 * time.Millisecond},
		"429 without any header": {[]step{say(429, `{"message":"Too many requests"}`), good}, time.Minute},
		"429 with seconds":       {[]step{say(429, `{}`, "Retry-After", "7"), good}, 7 * time.Second},
		"429 with a date": {[]step{say(429, `{}`, "Retry-After", "Sun, 01 Mar 2026 12:00:09 GMT"), good},
			9 * time.Second},
		"403 primary":              {[]step{spent(403, 30*time.Second), good}, 31 * time.Second},
		"429 primary":              {[]step{spent(429, 30*time.Second), good}, 31 * time.Second},
		"403 primary, old reset":   {[]step{spent(403, -time.Hour), good}, time.Second},
		"403 primary, absurd time": {[]step{spent(403, 1000*time.Hour), good}, longestWait},
		"403 secondary, told":      {[]step{say(403, secondaryText, "Retry-After", "12"), good}, 12 * time.Second},
		"403 secondary, untold, growing": {[]step{say(403, secondaryText), say(403, secondaryText), say(403, secondaryText),
			good},
			(1 + 2 + 4) * time.Minute},
		"single 401": {[]step{say(401, `{"message":"Bad credentials"}`), good}, 250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock, _ := host(t, Options{Tokens: []string{"secret-token"}}, c.steps...)
			pg, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "repos/o/n/pulls"})
			if err != nil {
				t.Fatal(err)
			}
			if string(pg.Body) != "[1]" {
				t.Errorf("body %q", pg.Body)
			}
			var all time.Duration
			for _, d := range clock.slept {
				all += d
			}
			if all != c.slept {
				t.Errorf("slept %v: %v, want %v", clock.slept, all, c.slept)
			}
		})
	}
}

func TestFetchFinalAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		step step
		kind Kind
	}{
		"404": {say(404, `{"message":"Not Found"}`), Missing},
		"410": {say(410, `{"message":"This issue was deleted"}`), Deleted},
		"451": {say(451, `{"message":"Repository access blocked","block":{"reason":"dmca"}}`), Blocked},
		"403 block": {say(403, `{"message":"Repository access blocked","block":{"reason":"tos"}}`, "Retry-After", "5"),
			Blocked},
		"403 sign-on":    {say(403, `{"message":"Resource protected by organization SAML enforcement."}`), Forbidden},
		"403 by a proxy": {say(403, `<html>administrative rules`), Refused},
		"409 empty":      {say(409, `{"message":"Git Repository is empty."}`), Empty},
		"422 depth":      {say(422, `{"message":"Pagination is limited"}`), Invalid},
		"418 unheard of": {say(418, `short`), Refused},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock, seen := host(t, Options{}, c.step)
			_, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "repos/o/n"})
			if KindOf(err) != c.kind {
				t.Errorf("got %v, want %s", err, c.kind)
			}
			if len(seen()) != 1 || len(clock.slept) != 0 {
				t.Errorf("a final answer was asked for %d times, slept %v", len(seen()), clock.slept)
			}
		})
	}
}

func TestSpentTokenIsNotUsedBeforeItsReset(t *testing.T) {
	last := func(w http.ResponseWriter, r *http.Request, now time.Time) {
		say(200, `[1]`, "X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "0",
			"X-RateLimit-Reset", fmt.Sprint(now.Add(100*time.Second).Unix()))(w, r, now)
	}
	p, clock, seen := host(t, Options{Tokens: []string{"a"}}, last, say(200, `[2]`))
	for range 2 {
		if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]time.Duration{101 * time.Second}, clock.slept); d != "" || len(seen()) != 2 {
		t.Errorf("%s, %d requests", d, len(seen()))
	}
}

func TestWaitsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, _, seen := host(t, Options{}, func(w http.ResponseWriter, r *http.Request, now time.Time) {
		cancel()
		spent(403, time.Hour)(w, r, now)
	})
	if _, err := p.Fetch(ctx, Request{Pin: "o/n", Path: "x"}); !errors.Is(err, context.Canceled) || len(seen()) != 1 {
		t.Errorf("got %v after %d requests", err, len(seen()))
	}
}

func TestBrokenForEverIsTrouble(t *testing.T) {
	p, _, seen := host(t, Options{}, say(502, "<html>"))
	_, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x", Attempts: 3})
	if !IsTrouble(err) || len(seen()) != 3 {
		t.Errorf("got %v after %d requests", err, len(seen()))
	}
}

func TestRefusedTokenIsNamedNotTold(t *testing.T) {
	const secret = "ghp_verysecret"
	p, _, _ := host(t, Options{Tokens: []string{secret}}, say(401, `{"message":"Bad credentials"}`))
	_, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"})
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !strings.Contains(err.Error(), "GITHUB_TOKEN") || strings.Contains(err.Error(), secret) {
		t.Errorf("got %v", err)
	}
}

func TestUnreachableHostIsSaid(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	clock := newFakeTime()
	p, err := New(Options{BaseURL: srv.URL, Now: clock.now, Sleep: clock.sleep})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"})
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !strings.Contains(err.Error(), "github.api_url") {
		t.Errorf("got %v", err)
	}
}

// downAfter is a network that fails for a number of requests after the first.
type downAfter struct {
	requests, down int
}

func (d *downAfter) RoundTrip(r *http.Request) (*http.Response, error) {
	d.requests++
	if d.requests > 1 && d.requests <= 1+d.down {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("network is unreachable")}
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestOutageIsOutlived(t *testing.T) {
	p, _, _ := host(t, Options{Transport: &downAfter{down: 12}}, say(200, `1`))
	for range 2 {
		if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x", Attempts: 2}); err != nil {
			t.Fatal(err)
		}
	}
	p, _, _ = host(t, Options{Transport: &downAfter{down: 20}}, say(200, `1`))
	if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"}); err != nil {
		t.Fatal(err)
	}
	_, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"})
	var need *pipeline.NeedError
	if !errors.As(err, &need) {
		t.Errorf("got %v", err)
	}
}

func TestRenameIsFollowedAndForeignHostIsNot(t *testing.T) {
	move := func(w http.ResponseWriter, r *http.Request, _ time.Time) {
		http.Redirect(w, r, "/api/v3/repositories/7?page=2", http.StatusMovedPermanently)
	}
	p, _, seen := host(t, Options{BaseURL: "/api/v3", Tokens: []string{"a"}}, move, say(200, `{"full_name":"new/name"}`))
	pg, err := p.Fetch(t.Context(), Request{Pin: "old/name", Path: "repos/old/name"})
	if err != nil || !pg.Moved {
		t.Fatalf("got %+v, %v", pg, err)
	}
	if got := seen()[0].URL.Path; got != "/api/v3/repos/old/name" {
		t.Errorf("asked for %s", got)
	}
	if got := seen()[1].Header.Get("Authorization"); got != "Bearer a" {
		t.Errorf("second hop was sent with %q", got)
	}
	foreign := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host got %v", r.Header)
	}))
	defer foreign.Close()
	p, _, _ = host(t, Options{Tokens: []string{"a"}}, func(w http.ResponseWriter, r *http.Request, _ time.Time) {
		http.Redirect(w, r, foreign.URL, http.StatusFound)
	})
	if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"}); err == nil || !strings.Contains(err.Error(),
		"another host") {
		t.Errorf("got %v", err)
	}
	if _, _, err := p.Get(t.Context(), "o/n", foreign.URL+"/repos"); err == nil {
		t.Error("a next page on another host was asked for")
	}
}

func TestConditionalRequestAndVersion(t *testing.T) {
	p, _, seen := host(t, Options{}, say(200, `[1]`, "ETag", `"e1"`, "Link",
		`<https://h/x?page=2>; rel="next", <https://h/x?page=9>; rel="last"`), say(304, ``))
	pg, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"})
	if err != nil || pg.Next != "https://h/x?page=2" {
		t.Fatalf("got %+v, %v", pg, err)
	}
	if pg, err = p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x", ETag: pg.ETag}); err != nil || !pg.NotModified {
		t.Fatalf("got %+v, %v", pg, err)
	}
	if got := seen()[1].Header.Get("If-None-Match"); got != `"e1"` {
		t.Errorf("asked with If-None-Match %q", got)
	}
	if got := seen()[0].Header.Get("X-GitHub-Api-Version"); got != APIVersion {
		t.Errorf("asked for version %q", got)
	}
	if s := p.Stats(); s.Requests != 2 || s.NotModified != 1 {
		t.Errorf("counted %+v", s)
	}
}

func TestOneRequestATokenAtATimeAndPinning(t *testing.T) {
	var mu sync.Mutex
	live, most, tokenOf := map[string]int{}, 0, map[string]map[string]bool{}
	p, _, _ := host(t, Options{Tokens: []string{"a", "b", "a", " "}}, func(w http.ResponseWriter, r *http.Request,
		now time.Time) {
		token := r.Header.Get("Authorization")
		mu.Lock()
		live[token]++
		most = max(most, live[token])
		if tokenOf[r.URL.Path] == nil {
			tokenOf[r.URL.Path] = map[string]bool{}
		}
		tokenOf[r.URL.Path][token] = true
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		live[token]--
		mu.Unlock()
		say(200, `1`)(w, r, now)
	})
	if p.Size() != 2 {
		t.Fatalf("%d clients, want 2", p.Size())
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			name := fmt.Sprintf("o/n%d", i%8)
			if _, err := p.Fetch(t.Context(), Request{Pin: name, Path: name}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	used := map[string]bool{}
	for _, tokens := range tokenOf {
		for token := range tokens {
			used[token] = true
		}
	}
	clear(tokenOf)
	for i := range 16 { // nobody else asks: each name has a token of its own
		name := fmt.Sprintf("o/n%d", i%8)
		if _, err := p.Fetch(t.Context(), Request{Pin: name, Path: name}); err != nil {
			t.Error(err)
		}
	}
	for path, tokens := range tokenOf {
		if len(tokens) != 1 {
			t.Errorf("%s was asked for with %d tokens", path, len(tokens))
		}
	}
	if most != 1 || len(used) != 2 {
		t.Errorf("most at once %d, tokens used %d", most, len(used))
	}
}

func TestNewRefusesBadOptions(t *testing.T) {
	for _, o := range []Options{{BaseURL: "ftp://x"}, {BaseURL: "api.github.com"}, {BaseURL: "https://user:pw@x/"},
		{Tokens: []string{"a\nb"}}} {
		_, err := New(o)
		var usage *pipeline.UsageError
		if !errors.As(err, &usage) || strings.Contains(err.Error(), "pw") {
			t.Errorf("%+v: got %v", o, err)
		}
	}
}

func TestPathsOfStrangersNames(t *testing.T) {
	if got, err := RepositoryPath("o/n.js", "pulls", "7"); err != nil || got != "repos/o/n.js/pulls/7" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"o", "o/../x", "o/..", "../n", "o/n?x=1", "o/n#1", "o/", "/n", "o/n m", "o/%2e", ""} {
		if got, err := RepositoryPath(bad); err == nil {
			t.Errorf("%q gave %q", bad, got)
		}
	}
}

func TestStatsText(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	s := Stats{Requests: 30, Elapsed: 10 * time.Second, WaitUntil: at.Add(time.Hour),
		Quotas:   []Quota{{5000, 4000, at.Add(time.Hour)}, {5000, 10, at.Add(time.Minute)}, {}},
		Searches: []Quota{{}, {30, 2, at.Add(time.Second)}, {}}}
	want := "30 requests, 3.0/s, 4010 of 10000 left until 12:01:00, 2 of 30 searches left until 12:00:01, waiting for " +
		"the limit until 13:00:00"
	if d := cmp.Diff(want, s.String()); d != "" {
		t.Error(d)
	}
}
