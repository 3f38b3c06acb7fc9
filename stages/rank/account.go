package rank

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/schema"
)

// accounts adds up organizations exactly.
type accounts struct {
	GitHub          Fetcher
	TopRepositories int
	Log             *slog.Logger
	Progress        func(stage string, total int) pipeline.Progress
}

// startBar shows how far the making of a ranking is; total -1 is not known.
func startBar(progress func(stage string, total int) pipeline.Progress, what string, total int) pipeline.Progress {
	if progress == nil {
		return noBar{}
	}
	return progress("rank "+what, total)
}

type noBar struct{}

func (noBar) Add(int)         {}
func (noBar) Describe(string) {}
func (noBar) Close()          {}

// all lists the organizations and sorts them by their stars. One that is there no
// more has no place.
func (a accounts) all(ctx context.Context, names []string, workers int) ([]schema.RankedOrganization, error) {
	list := make([]schema.RankedOrganization, len(names))
	bar := startBar(a.Progress, "organizations", len(names))
	defer bar.Close()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))
	for i, name := range names {
		g.Go(func() error {
			o, err := a.organization(gctx, name)
			bar.Add(1)
			if gone(err) {
				a.Log.Warn("a ranked organization can't be listed; left out", "organization", name, "answer", err)
				return nil
			}
			list[i] = o
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(o schema.RankedOrganization) bool { return o.Name == "" })
	sortByStars(list)
	return list, nil
}

func sortByStars(list []schema.RankedOrganization) {
	slices.SortStableFunc(list, func(a, b schema.RankedOrganization) int {
		return cmp.Or(cmp.Compare(b.Stars, a.Stars), strings.Compare(a.Name, b.Name))
	})
}

// organization adds up the public repositories of one.
func (a accounts) organization(ctx context.Context, name string) (schema.RankedOrganization, error) {
	var none schema.RankedOrganization
	path, err := github.AccountPath("orgs", name, "repos")
	if err != nil {
		return none, err
	}
	byID := map[int64]github.Repository{}
	for page := 1; ; page++ {
		q := url.Values{"type": {"public"}, "sort": {"full_name"}, "per_page": {"100"}, "page": {strconv.Itoa(page)}}
		pg, err := a.GitHub.Fetch(ctx, github.Request{Pin: name, Path: path, Query: q})
		if err != nil {
			return none, fmt.Errorf("listing the repositories of %s: %w", name, err)
		}
		var repos []github.Repository
		if err := json.Unmarshal(pg.Body, &repos); err != nil {
			return none, fmt.Errorf("page %d of %s: %w", page, path, err)
		}
		for _, r := range repos {
			if !r.Private && r.ID != 0 {
				byID[r.ID] = r
			}
		}
		if pg.Next == "" {
			return a.sum(name, byID), nil
		}
	}
}

func (a accounts) sum(name string, byID map[int64]github.Repository) schema.RankedOrganization {
	o := schema.RankedOrganization{Name: name, Repositories: len(byID)}
	for _, r := range byID {
		o.Stars += r.Stars
		_, short, _ := strings.Cut(r.FullName, "/")
		o.Top = append(o.Top, schema.RankedRepository{Name: short, Stars: r.Stars, State: state(r), Pushed: day(r.PushedAt)})
	}
	slices.SortFunc(o.Top, func(a, b schema.RankedRepository) int {
		return cmp.Or(cmp.Compare(b.Stars, a.Stars), strings.Compare(a.Name, b.Name))
	})
	o.Top = slices.Clip(o.Top[:min(len(o.Top), a.TopRepositories)])
	return o
}

func state(r github.Repository) string {
	switch {
	case r.Archived:
		return schema.RankedArchived
	case r.Disabled:
		return schema.RankedDisabled
	}
	return schema.RankedLive
}

func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}
