package rank_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/rank"
)

// site serves the pages of testdata; every third answer is trouble.
type site struct{ asked int }

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.asked++; s.asked%3 == 0 {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	name := strings.Trim(r.URL.Path, "/")
	if name == "organizations" {
		name += "-" + r.URL.Query().Get("page")
	}
	body, err := os.ReadFile(filepath.Join("testdata", filepath.Base(name)+".html"))
	switch {
	case name == "organizations-3": // past the end the last page comes again
		body, _ = os.ReadFile("testdata/organizations-2.html")
	case err != nil:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = w.Write(body)
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestPagesAreARanking(t *testing.T) {
	server := httptest.NewServer(&site{})
	defer server.Close()
	h := &host{repos: []repo{
		{id: 1, owner: "mill", name: "wheel", pushed: "2026-06-01"},
		{id: 2, owner: "mill", name: "stone.js", pushed: "2026-05-01"},
		{id: 3, owner: "mill", name: "old", pushed: "2019-01-01", archived: true},
		{id: 4, owner: "new-owner", name: "given-away", pushed: "2026-06-02"},
		{id: 5, owner: "Stone-Works", name: "chisel", pushed: "2020-01-01"},
	}}
	pool, _ := h.start(t)
	kept := 0
	pages := rank.Pages{Options: rank.Options{PagesURL: server.URL, Organizations: 10, TopRepositories: 10}, Workers: 2,
		GitHub: pool, Now: at("2026-06-05"), Log: slog.New(slog.DiscardHandler),
		Get: rank.Site{Client: server.Client(), Sleep: noSleep, Keep: func(string, []byte) error { kept++; return nil }}.Get}
	got, err := pages.Rank(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []schema.RankedOrganization{
		{Name: "mill", Stars: 12500, Repositories: 1204, Top: []schema.RankedRepository{
			{Name: "wheel", Stars: 8000, State: "live", Pushed: "2026-06-01"},
			{Name: "stone.js", Stars: 3000, State: "live", Pushed: "2026-05-01"},
			{Name: "old", Stars: 900, State: "archived", Pushed: "2019-01-01"},
			{Name: "given-away", Stars: 600, State: "moved", Pushed: "2026-06-02"},
			{Name: "..%2f", Stars: 10, State: "missing"}}},
		{Name: "Stone-Works", Stars: 9001, Repositories: 2, Top: []schema.RankedRepository{
			{Name: "chisel", Stars: 9000, State: "live", Pushed: "2020-01-01"}, {Name: "deleted", Stars: 1, State: "missing"}}},
		{Name: "quiet", Stars: 1024},
		{Name: "nowhere", Stars: 900},
	}
	if d := cmp.Diff(want, got.Organizations); d != "" {
		t.Error(d)
	}
	if got.Date != "2026-06-05" || got.Source != "pages" || kept != 6 {
		t.Errorf("%s %s, %d pages kept", got.Source, got.Date, kept)
	}
	pages.Organizations, pages.TopRepositories = 1, 1
	if got, err = pages.Rank(t.Context()); err != nil || len(got.Organizations) != 1 ||
		len(got.Organizations[0].Top) != 1 {
		t.Errorf("the first one alone: %+v, %v", got.Organizations, err)
	}
}

func TestPagesThatAreNoRanking(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		word   string
		usage  bool
	}{
		"another form": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>1. mill 12,500 stars")) },
			"rank.pages_url", true},
		"nested without end": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(strings.Repeat("<div><a class=paginated_item href=/x>", 40_000)))
		}, "rank.pages_url", true},
		"down for good": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
			"503", false},
		"not for robots": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "403",
			false},
		"without end": {func(w http.ResponseWriter, _ *http.Request) {
			for range 9 << 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		}, "no ranking page is", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.answer)
			defer server.Close()
			p := rank.Pages{Options: rank.Options{PagesURL: server.URL, Organizations: 5}, Now: at("2026-06-05"),
				Log: slog.New(slog.DiscardHandler), Get: rank.Site{Client: server.Client(), Sleep: noSleep}.Get}
			_, err := p.Rank(t.Context())
			var usage *pipeline.UsageError
			if err == nil || !strings.Contains(err.Error(), c.word) || errors.As(err, &usage) != c.usage {
				t.Errorf("got %v", err)
			}
		})
	}
	_, err := rank.Pages{Options: rank.Options{PagesURL: "gitstar", Organizations: 5},
		Now: at("2026-06-05")}.Rank(t.Context())
	if err == nil || !strings.Contains(err.Error(), "rank.pages_url") {
		t.Errorf("an address that is none: %v", err)
	}
}
