package rank_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/stages/rank"
)

// stopping ends after some questions, as a killed run does.
type stopping struct {
	rank.Fetcher
	left int
}

var errStopped = errors.New("stopped")

func (s *stopping) Fetch(ctx context.Context, r github.Request) (*github.Page, error) {
	if s.left--; s.left < 0 {
		return nil, errStopped
	}
	return s.Fetcher.Fetch(ctx, r)
}

// TestSearchGoesOn stops a search a few times on its way: the ranking is that of a
// run nothing stopped, and no page is asked for twice.
func TestSearchGoesOn(t *testing.T) {
	repos, _ := manyRepos()
	whole, _ := (&host{repos: repos, incomplete: map[string]int{}}).start(t)
	counted := &stopping{whole, 1 << 30}
	want, err := search(counted).Rank(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pool, dir := (&host{repos: repos, incomplete: map[string]int{}}).start(t)
	runs, base := 0, pool.URL
	for {
		runs++
		archive, err := github.OpenArchive(dir)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := rank.OpenKept(t.Context(), archive, time.Now().Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		s := search(kept.GitHub(base, &stopping{pool, 20}))
		s.Workers = 1
		got, err := s.Rank(t.Context())
		if errors.Is(err, errStopped) && runs < 20 {
			continue
		}
		if d := cmp.Diff(want, got); d != "" || err != nil || runs < 3 {
			t.Errorf("after %d runs: %v %s", runs, err, d)
		}
		break
	}
	if asked, n := 1<<30-counted.left, countFiles(t, dir); n != asked {
		t.Errorf("%d pages kept; a run that nothing stopped asks for %d", n, asked)
	}
}

func TestKeptPagesGrowOld(t *testing.T) {
	archive, err := github.OpenArchive(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	for _, p := range []github.Page{
		{URL: "http://h/old", Status: 200, Body: []byte("old"), FetchedAt: now.Add(-48 * time.Hour)},
		{URL: "http://h/a", Status: 200, Body: []byte("stale"), FetchedAt: now.Add(-3 * time.Hour)},
		{URL: "http://h/a", Status: 200, Body: []byte("a"), FetchedAt: now.Add(-2 * time.Hour)},
	} {
		if _, err := archive.Put(&p); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := rank.OpenKept(t.Context(), archive, now.Add(-24*time.Hour))
	if err != nil || kept.Size() != 1 || !kept.Began(now).Equal(now.Add(-3*time.Hour)) {
		t.Fatalf("%+v, %v", kept, err)
	}
	get := kept.Site(func(_ context.Context, address string) ([]byte, error) { return []byte("asked " + address), nil })
	for _, want := range [][2]string{{"http://h/a", "a"}, {"http://h/a", "asked http://h/a"}, {"http://h/old",
		"asked http://h/old"}} {
		if got, err := get(t.Context(), want[0]); string(got) != want[1] || err != nil {
			t.Errorf("%s: %q, %v", want[0], got, err)
		}
	}
	none, err := rank.OpenKept(t.Context(), archive, now)
	if err != nil || !none.Began(now).Equal(now) {
		t.Errorf("nothing kept: %v, %v", none.Began(now), err)
	}
}
