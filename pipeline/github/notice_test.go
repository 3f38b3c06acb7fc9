package github

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answering answers as a host far away would, without a network.
type answering func(w http.ResponseWriter, r *http.Request, now time.Time)

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a(w, r, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	return w.Result(), nil
}

// Commands that ask the host nothing make a pool, too: they say nothing of tokens.
func TestAMissingTokenIsToldWhenTheHostIsAsked(t *testing.T) {
	var log bytes.Buffer
	clock := newFakeTime()
	p, err := New(Options{BaseURL: "https://api.example.org/", Transport: answering(say(200, `[]`)), Now: clock.now,
		Sleep: clock.sleep,
		Log:   slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if log.Len() > 0 {
		t.Errorf("told too early: %s", log.String())
	}
	for range 2 {
		if _, err := p.Fetch(t.Context(), Request{Path: "repos/o/r/pulls"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), "no GitHub token"); n != 1 {
		t.Errorf("told %d times: %s", n, log.String())
	}
}

func TestALongWaitIsTold(t *testing.T) {
	var log bytes.Buffer
	p, _, _ := host(t, Options{Tokens: []string{"a"}, Log: slog.New(slog.NewTextHandler(&log, nil))},
		spent(403, 30*time.Minute), say(200, `[]`))
	if _, err := p.Fetch(t.Context(), Request{Path: "repos/o/r/pulls"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "wait=30m") {
		t.Errorf("nobody learns why nothing moves: %s", log.String())
	}
}
