package rank

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

// Pages makes a ranking from a site's ranking pages, in the form of
// gitstar-ranking.com: the organizations' places and stars, and the most starred
// repositories of each, are the site's; whether those are archived and when they
// were pushed to is asked of GitHub.
type Pages struct {
	Options
	Get    func(ctx context.Context, address string) ([]byte, error)
	GitHub Fetcher

	Workers  int // organizations looked at on GitHub at a time
	Now      func() time.Time
	Log      *slog.Logger
	Progress func(stage string, total int) pipeline.Progress // nil: none
}

// Rank reads the pages and gives the ranking, dated by the time before the first.
func (p Pages) Rank(ctx context.Context) (schema.Ranking, error) {
	start := p.Now().UTC()
	places, err := p.places(ctx)
	if err != nil {
		return schema.Ranking{}, err
	}
	list := make([]schema.RankedOrganization, len(places))
	bar := startBar(p.Progress, "organizations", len(places))
	defer bar.Close()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(p.Workers, 1))
	for i, at := range places {
		// The site is asked one page after the other, GitHub beside it.
		o, err := p.organization(gctx, at)
		if err != nil {
			return schema.Ranking{}, cmp.Or(g.Wait(), err) // what stopped GitHub's side stopped the site's
		}
		g.Go(func() (err error) {
			list[i], err = p.look(gctx, o)
			bar.Add(1)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return schema.Ranking{}, err
	}
	sortByStars(list)
	return schema.Ranking{Source: "pages", Date: start.Format(time.DateOnly),
		Note: "places, stars and top groups as " + p.PagesURL + " had them", Organizations: list}, nil
}

// places reads ranking pages until there are enough, or no more.
func (p Pages) places(ctx context.Context) ([]place, error) {
	var all []place
	seen := map[string]bool{}
	for page := 1; len(all) < p.Organizations; page++ {
		address, err := p.address("organizations", url.Values{"page": {strconv.Itoa(page)}})
		if err != nil {
			return nil, err
		}
		body, err := p.Get(ctx, address)
		if err != nil {
			return nil, fmt.Errorf("ranking page %d: %w", page, err)
		}
		before := len(all)
		for _, at := range readRanking(body) {
			if key := strings.ToLower(at.name); !seen[key] {
				seen[key] = true
				all = append(all, at)
			}
		}
		if len(all) == before {
			break // the last page, or one that repeats itself
		}
	}
	if len(all) == 0 {
		return nil, pipeline.Usage("%s has no organization in the form that is read: check rank.pages_url in wideswe.yaml, "+
			"or make the ranking with --from search", p.PagesURL)
	}
	slices.SortStableFunc(all, func(a, b place) int { return a.number - b.number })
	return all[:min(len(all), p.Organizations)], nil
}

// organization reads the page of one: a site that has none of it says nothing of
// its repositories.
func (p Pages) organization(ctx context.Context, at place) (schema.RankedOrganization, error) {
	o := schema.RankedOrganization{Name: at.name, Stars: at.stars}
	address, err := p.address(at.name, nil)
	if err != nil {
		return o, err
	}
	body, err := p.Get(ctx, address)
	if errors.Is(err, ErrNoPage) {
		p.Log.Warn("the site has no page of a ranked organization", "organization", at.name)
		return o, nil
	}
	if err != nil {
		return o, fmt.Errorf("page of %s: %w", at.name, err)
	}
	count, top := readOrganization(body, at.name)
	o.Repositories, o.Top = count, top[:min(len(top), p.TopRepositories)]
	if len(o.Top) == 0 {
		p.Log.Warn("the page of a ranked organization lists no repository", "organization", at.name, "address", address)
	}
	return o, nil
}

func (p Pages) address(path string, query url.Values) (string, error) {
	u, err := url.Parse(p.PagesURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", pipeline.Usage("rank.pages_url is %q; write an address such as https://gitstar-ranking.com/", p.PagesURL)
	}
	u = u.JoinPath(path)
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// look asks GitHub for the top group.
func (p Pages) look(ctx context.Context, o schema.RankedOrganization) (schema.RankedOrganization, error) {
	for i, t := range o.Top {
		var err error
		if o.Top[i].State, o.Top[i].Pushed, err = p.ask(ctx, o.Name, t.Name); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (p Pages) ask(ctx context.Context, owner, name string) (ranked, pushed string, err error) {
	path, err := github.RepositoryPath(owner + "/" + name)
	if err != nil {
		return schema.RankedMissing, "", nil // no name that GitHub could have
	}
	pg, err := p.GitHub.Fetch(ctx, github.Request{Pin: owner, Path: path})
	if gone(err) {
		return schema.RankedMissing, "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("asking for %s/%s: %w", owner, name, err)
	}
	var r github.Repository
	if err := json.Unmarshal(pg.Body, &r); err != nil {
		return "", "", fmt.Errorf("repository %s/%s: %w", owner, name, err)
	}
	if now, _, _ := strings.Cut(r.FullName, "/"); !strings.EqualFold(now, owner) {
		return schema.RankedMoved, day(r.PushedAt), nil
	}
	return state(r), day(r.PushedAt), nil
}
