package rank_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/rank"
)

func at(day string) func() time.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return func() time.Time { return t.Add(15 * time.Hour) }
}

// manyRepos are 6,000 repositories of 40 organizations and a user: most have few
// stars, as it is, and 1,500 have the same number.
func manyRepos() (repos []repo, exact map[string]int64) {
	exact = map[string]int64{}
	created := time.Date(2012, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range int64(6000) {
		r := repo{id: i + 1, owner: fmt.Sprintf("org-%02d", i%40), name: fmt.Sprintf("r%d", i), stars: 20 + 300_000/(i+1),
			created: created.AddDate(0, 0, int(i*7%4000)), pushed: "2026-05-01"}
		switch {
		case i%4 == 3:
			r.stars = 500
		case i%50 == 0:
			r.owner, r.user = "someone", true
		case i%97 == 0:
			r.archived = true
		}
		if !r.user {
			exact[r.owner] += r.stars
		}
		repos = append(repos, r)
	}
	return repos, exact
}

func search(f rank.Fetcher) rank.Search {
	return rank.Search{GitHub: f, Options: rank.Options{SearchMinStars: 60, SearchCandidates: 6, TopRepositories: 3},
		Workers: 2, Now: at("2026-06-05"), Log: slog.New(slog.DiscardHandler)}
}

// TestSearchReachesBehindTheCap has more repositories than the host gives of one
// question, and more with one number of stars.
func TestSearchReachesBehindTheCap(t *testing.T) {
	repos, exact := manyRepos()
	h := &host{repos: repos, gone: []string{"org-01"}, incomplete: map[string]int{"stars:>=60": 2}}
	pool, pages := h.start(t)
	got, err := search(pool).Rank(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	above := 0
	for _, r := range repos {
		if r.stars >= 60 {
			above++
		}
	}
	if !strings.Contains(got.Note, fmt.Sprintf("in %d repositories of at least 60 stars", above)) {
		t.Errorf("of %d repositories above the floor: %s", above, got.Note)
	}
	if got.Source != "search" || got.Date != "2026-06-05" || len(got.Organizations) != 5 {
		t.Fatalf("%s %s: %d organizations", got.Source, got.Date, len(got.Organizations))
	}
	for i, o := range got.Organizations {
		if o.Stars != exact[o.Name] || o.Name == "org-01" || len(o.Top) != 3 {
			t.Errorf("%s has %d stars, want %d, and %d repositories at the top", o.Name, o.Stars, exact[o.Name], len(o.Top))
		}
		if i > 0 && o.Stars > got.Organizations[i-1].Stars {
			t.Errorf("%s is out of order", o.Name)
		}
		for name, stars := range exact { // nobody with more stars is left out
			if stars > o.Stars && name != "org-01" && !hasOrganization(got.Organizations[:i], name) {
				t.Errorf("%s with %d stars is missing before %s", name, stars, o.Name)
			}
		}
	}
	created := 0
	for _, q := range h.questions {
		if strings.Contains(q, "created:") {
			created++
		}
	}
	if created == 0 || len(h.questions) > 60 {
		t.Errorf("%d questions, %d of them by day", len(h.questions), created)
	}
	if n := countFiles(t, pages); n < len(h.questions) {
		t.Errorf("%d pages kept of %d questions", n, len(h.questions))
	}
}

func hasOrganization(list []schema.RankedOrganization, name string) bool {
	for _, o := range list {
		if o.Name == name {
			return true
		}
	}
	return false
}

func countFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	if err := fs.WalkDir(os.DirFS(dir), ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSearchWhileStarsAreGiven lets repositories gain stars between the questions.
func TestSearchWhileStarsAreGiven(t *testing.T) {
	repos, _ := manyRepos()
	h := &host{repos: slices.Clone(repos), incomplete: map[string]int{}}
	h.after = func(h *host) {
		if len(h.questions) > 40 {
			return
		}
		for i := range h.repos {
			h.repos[i].stars += 1 + h.repos[i].stars/200
		}
	}
	pool, _ := h.start(t)
	got, err := search(pool).Rank(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	least := 0
	for _, r := range repos {
		if r.stars >= 60 {
			least++
		}
	}
	var n, floor int
	if _, err := fmt.Sscanf(got.Note[strings.Index(got.Note, " in ")+4:], "%d repositories of at least %d", &n,
		&floor); err != nil || n < least {
		t.Errorf("%d repositories read, at least %d were there: %v", n, least, err)
	}
}

func TestSearchSaysWhatTheHostLeftOut(t *testing.T) {
	day := time.Date(2020, 2, 2, 0, 0, 0, 0, time.UTC)
	h := &host{incomplete: map[string]int{}}
	for i := range int64(1200) { // one day, one number of stars: no question tells them apart
		h.repos = append(h.repos, repo{id: i + 1, owner: "mill", name: fmt.Sprint("r", i), stars: 200, created: day,
			pushed: "2026-01-01"})
	}
	pool, _ := h.start(t)
	got, err := search(pool).Rank(t.Context())
	if err != nil || !strings.Contains(got.Note, "1 answers of the search were incomplete") || !strings.Contains(got.Note,
		"in 1000 repositories") {
		t.Errorf("%s, %v", got.Note, err)
	}
	want := schema.RankedOrganization{Name: "mill", Stars: 240_000, Repositories: 1200, Top: []schema.RankedRepository{
		{Name: "r0", Stars: 200, State: "live", Pushed: "2026-01-01"}, {Name: "r1", Stars: 200, State: "live",
			Pushed: "2026-01-01"},
		{Name: "r10", Stars: 200, State: "live", Pushed: "2026-01-01"}}}
	if d := cmp.Diff([]schema.RankedOrganization{want}, got.Organizations); d != "" {
		t.Error(d)
	}
	_, err = rank.Search{GitHub: pool, Options: rank.Options{SearchMinStars: 10_000, SearchCandidates: 1},
		Now: at("2026-06-05"), Log: slog.New(slog.DiscardHandler)}.Rank(t.Context())
	if err == nil || !strings.Contains(err.Error(), "rank.search_min_stars") {
		t.Errorf("nothing found: %v", err)
	}
}
