package crawl_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/stages/crawl"
	"github.com/wideswe/wideswe/stages/rank"
)

func (w *world) budget() (crawl.Budget, []string) {
	w.t.Helper()
	w.hub.log = nil
	if err := pipeline.Execute(w.t.Context(), rank.Stage{DB: w.db, Ecosystems: w.ecosystems},
		&pipeline.Run{Ledger: w.db}); err != nil {
		w.t.Fatal(err)
	}
	pool, err := github.New(github.Options{BaseURL: w.hub.srv.URL, Archive: w.archive})
	if err != nil {
		w.t.Fatal(err)
	}
	s := w.stage(pool)
	s.Now = func() time.Time { return w.hub.now }
	b, err := s.Budget(w.t.Context(), &pipeline.Run{Ledger: w.db, Log: discard, Workers: 1, Now: time.Now}, 2)
	if err != nil {
		w.t.Fatal(err)
	}
	return b, w.hub.log
}

func TestBudgetAsksForTheListsOnly(t *testing.T) {
	w := newWorld(t)
	for i := range 11 {
		w.hub.repo(fmt.Sprintf("acme/r%02d", i), 130)
	}
	w.hub.repo("acme/old", 1).attrs["archived"] = true
	b, log := w.budget()
	if len(log) != 1 || !strings.HasPrefix(log[0], "/orgs/acme/repos") {
		t.Errorf("asked %q", log)
	}
	if d := cmp.Diff([]int{12, 11, 0, 0, 1, 33}, []int{b.Listed, b.Unread, b.Due, b.Unchanged, b.Left,
		b.Requests[1]}); d != "" {
		t.Error(d)
	}
	if b.PerHour != 10000 || b.Hours[1] != 33*1.5/2/3600 {
		t.Errorf("%+v", b)
	}
	w.calm() // two pages and a look at the front, each
	w.hub.repo("acme/new", 1)
	w.hub.repos["acme/r03"].attrs["pushed_at"] = w.hub.now.Add(time.Hour).Format(time.RFC3339)
	w.hub.tick(25 * time.Hour)
	b, _ = w.budget()
	if d := cmp.Diff([]int{13, 1, 1, 10, 1, 4}, []int{b.Listed, b.Unread, b.Due, b.Unchanged, b.Left,
		b.Requests[1]}); d != "" || b.MeanOf != 11 || b.MeanPages != 3 {
		t.Errorf("%s: %+v", d, b)
	}
	var text strings.Builder
	if err := b.Render(&text); err != nil || !strings.Contains(text.String(),
		"4 (4 to 5): 3.0 pages a first read, the mean of 11 read here") {
		t.Errorf("%v: %s", err, text.String())
	}
}
