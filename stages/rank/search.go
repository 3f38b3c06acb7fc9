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

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/schema"
)

// Fetcher asks GitHub; [github.Pool] is one.
type Fetcher interface {
	Fetch(ctx context.Context, r github.Request) (*github.Page, error)
}

// Search makes a ranking from the search API, which sorts no organizations: it
// adds up the stars of all repositories above a floor by owner, then lists every
// repository of the first organizations and adds up exactly.
type Search struct {
	Options
	GitHub   Fetcher
	Workers  int // organizations listed at a time
	Now      func() time.Time
	Log      *slog.Logger
	Progress func(stage string, total int) pipeline.Progress // nil: none
}

const (
	searchCap  = 1000 // results that the host gives of one question
	searchPage = 100
	// searchAgain is how often an answer that the host gave up on is asked for again.
	searchAgain = 3
)

// githubBegins is before the first repository.
var githubBegins = time.Date(2007, 10, 1, 0, 0, 0, 0, time.UTC)

// Rank asks and gives the ranking, dated by the time before the first question.
func (s Search) Rank(ctx context.Context) (schema.Ranking, error) {
	start := s.Now().UTC()
	c := collector{search: s, today: start, seen: map[int64]bool{}, stars: map[string]int64{}}
	if err := c.collect(ctx); err != nil {
		return schema.Ranking{}, fmt.Errorf("searching repositories by stars: %w", err)
	}
	candidates := c.first(s.SearchCandidates)
	s.Log.Info("repositories are added up by organization; listing the first ones exactly", "repositories", len(c.seen),
		"organizations", len(c.stars), "listed", len(candidates), "questions", c.asked)
	accounts := accounts{GitHub: s.GitHub, TopRepositories: s.TopRepositories, Log: s.Log, Progress: s.Progress}
	list, err := accounts.all(ctx, candidates, s.Workers)
	if err != nil {
		return schema.Ranking{}, err
	}
	note := fmt.Sprintf("the %d organizations with the most stars in %d repositories of at least %d stars, then each "+
		"added up over all its public repositories", len(candidates), len(c.seen), s.SearchMinStars)
	if c.cut > 0 {
		note += fmt.Sprintf("; %d answers of the search were incomplete", c.cut)
	}
	return schema.Ranking{Source: "search", Date: start.Format(time.DateOnly), Note: note, Organizations: list}, nil
}

// window is one question: stars from low to high, and created from a day to a day
// where stars alone can't be told apart.
type window struct {
	low, high int64
	from, to  time.Time
}

func (w window) query() string {
	q := fmt.Sprintf("stars:%d..%d", w.low, w.high)
	if !w.from.IsZero() {
		q += " created:" + w.from.Format(time.DateOnly) + ".." + w.to.Format(time.DateOnly)
	}
	return q
}

// split halves a window: the lower part first, so that a repository which gains
// stars meanwhile climbs into a part that is not read yet.
func (w window) split(today time.Time) (lower, upper window, ok bool) {
	if w.low < w.high {
		m := middle(w.low, w.high)
		return window{low: w.low, high: m}, window{low: m + 1, high: w.high}, true
	}
	if w.from.IsZero() {
		w.from, w.to = githubBegins, today.AddDate(0, 0, 1).Truncate(24*time.Hour)
	}
	days := int(w.to.Sub(w.from).Hours() / 24)
	if days < 1 {
		return w, w, false
	}
	m := w.from.AddDate(0, 0, days/2)
	return window{w.low, w.high, w.from, m}, window{w.low, w.high, m.AddDate(0, 0, 1), w.to}, true
}

// middle is where about as many repositories have more stars as have fewer: their
// number falls as the stars' square.
func middle(low, high int64) int64 {
	l, h := float64(max(low, 1)), float64(high)
	return min(max(int64(2*l*h/(l+h)), low), high-1)
}

type collector struct {
	search Search
	today  time.Time
	seen   map[int64]bool   // repository ids
	stars  map[string]int64 // by organization
	asked  int
	cut    int // incomplete answers that had to do
}

type found struct {
	Total      int  `json:"total_count"`
	Incomplete bool `json:"incomplete_results"`
	Items      []struct {
		ID    int64          `json:"id"`
		Stars int64          `json:"stargazers_count"`
		Owner github.Account `json:"owner"`
	} `json:"items"`
}

// collect reads all windows, from the fewest stars to the most.
func (c *collector) collect(ctx context.Context) error {
	top, err := c.ask(ctx, fmt.Sprintf("stars:>=%d", c.search.SearchMinStars), 1)
	if err != nil {
		return err
	}
	if len(top.Items) == 0 {
		return fmt.Errorf("no repository has %d stars; lower rank.search_min_stars in wideswe.yaml", c.search.SearchMinStars)
	}
	// Twice the most there are: nobody leaves the windows while they are read.
	bar := startBar(c.search.Progress, "search", -1)
	defer bar.Close()
	todo := []window{{low: c.search.SearchMinStars, high: max(2*top.Items[0].Stars, c.search.SearchMinStars+1)}}
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		bar.Describe(fmt.Sprintf("%s, %d repositories", w.query(), len(c.seen)))
		bar.Add(1)
		more, err := c.read(ctx, w)
		if err != nil {
			return err
		}
		todo = append(todo, more...)
	}
	return nil
}

// read takes a window's repositories, or gives its two halves.
func (c *collector) read(ctx context.Context, w window) ([]window, error) {
	for page := 1; ; page++ {
		f, err := c.ask(ctx, w.query(), page)
		if github.KindOf(err) == github.Invalid && page > 1 {
			return nil, nil // fewer than at the first page
		}
		if err != nil {
			return nil, err
		}
		if page == 1 && (f.Total > searchCap || f.Incomplete) {
			if lower, upper, ok := w.split(c.today); ok {
				return []window{upper, lower}, nil
			}
		}
		if f.Incomplete || page == 1 && f.Total > searchCap {
			c.cut++
			c.search.Log.Warn("the search did not answer completely", "query", w.query(), "total", f.Total)
		}
		c.take(f)
		if len(f.Items) == 0 || page*searchPage >= min(f.Total, searchCap) {
			return nil, nil
		}
	}
}

func (c *collector) take(f found) {
	for _, r := range f.Items {
		if r.ID == 0 || c.seen[r.ID] {
			continue
		}
		c.seen[r.ID] = true
		if r.Owner.Type == "Organization" && accountName.MatchString(r.Owner.Login) {
			c.stars[r.Owner.Login] += r.Stars
		}
	}
}

// ask reads one page; one that the host gave up on is asked for again.
func (c *collector) ask(ctx context.Context, query string, page int) (found, error) {
	for try := 1; ; try++ {
		var f found
		c.asked++
		q := url.Values{"q": {query}, "sort": {"stars"}, "order": {"desc"}, "per_page": {strconv.Itoa(searchPage)},
			"page": {strconv.Itoa(page)}}
		// The search has a budget of its own a token: each question goes where its hash says.
		pg, err := c.search.GitHub.Fetch(ctx, github.Request{Pin: query + " " + strconv.Itoa(page),
			Path: "search/repositories", Query: q})
		if err != nil {
			return f, err
		}
		if err := json.Unmarshal(pg.Body, &f); err != nil {
			return f, fmt.Errorf("%s: %w", pg.URL, err)
		}
		if !f.Incomplete || try == searchAgain {
			return f, nil
		}
	}
}

// first gives the organizations with the most stars.
func (c *collector) first(n int) []string {
	names := make([]string, 0, len(c.stars))
	for name := range c.stars {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.stars[b], c.stars[a]), strings.Compare(a, b))
	})
	return names[:min(n, len(names))]
}

// gone says whether an answer is final and says that there is nothing to read.
func gone(err error) bool {
	switch github.KindOf(err) {
	case github.Missing, github.Deleted, github.Blocked, github.Forbidden:
		return true
	}
	return false
}
