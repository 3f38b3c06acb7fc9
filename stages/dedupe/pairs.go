package dedupe

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline/reference"
)

// pair is two pulls that no link ties, and what suggests that they are one change.
type pair struct {
	A, B     pullKey
	Kind     string // title, similar_title, branch
	Evidence string
	GapDays  float64
}

type pullKey struct {
	Repository int64
	Number     int
}

// titled is a person's merged pull by its title and branch.
type titled struct {
	key           pullKey
	title, author string
	authorType    string
	branch        string
	at            time.Time
	words         []string // of the title, sorted, each once; see wordsOf
}

// Limits of what titles and branches suggest.
const (
	pairDays         = 7 // between merges
	pairRepositories = 6 // a title or branch of more repositories is a campaign's
	equalWords       = 3 // an equal title of fewer words says nothing
	similarWords     = 5 // that two similar titles share at the least
	similarPart      = 0.75
	longBranch       = 15  // a branch name that two people do not choose by chance
	openPulls        = 200 // that one is compared with: who merges more in some days is a script
)

// titledQuery reads the window's pulls, each author's together and in order of their merges.
const titledQuery = `SELECT ecosystem, repository_id, number, title, author, author_type, head_ref, merged_at
	FROM pulls WHERE in_window AND author <> '' AND author_type <> 'Bot'
	ORDER BY ecosystem, lower(author), merged_at, repository_id, number`

// branchesQuery reads those whose branch has the name of another repository's.
const branchesQuery = `SELECT ecosystem, repository_id, number, title, author, author_type, head_ref, merged_at
	FROM pulls WHERE in_window AND author <> '' AND author_type <> 'Bot' AND length(head_ref) >= 4
	QUALIFY count(DISTINCT repository_id) OVER (PARTITION BY ecosystem, head_ref) BETWEEN 2 AND 6
	ORDER BY ecosystem, head_ref, merged_at, repository_id, number`

// readPairs gives the pairs of every ecosystem. The pulls come as a stream, of which those
// of the last days are kept.
func (s Stage) readPairs(ctx context.Context, byName map[string]*input) error {
	for _, q := range []struct {
		query string
		group func(titled) string
		judge func(a, b titled) (kind, evidence string)
	}{
		{titledQuery, func(p titled) string { return strings.ToLower(p.author) }, sameTitle},
		{branchesQuery, func(p titled) string { return p.branch }, sameBranch},
	} {
		if err := s.window(ctx, q.query, q.group, q.judge, byName); err != nil {
			return fmt.Errorf("comparing titles and branches: %w", err)
		}
	}
	for _, in := range byName {
		in.Pairs = withoutCampaigns(in.Pairs)
	}
	return nil
}

func (s Stage) window(ctx context.Context, query string, group func(titled) string,
	judge func(a, b titled) (string, string), byName map[string]*input) error {
	rows, err := s.DB.Query(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	var open []titled // of the present group, merged in the last days
	last := ""
	for rows.Next() {
		var p titled
		var ecosystem string
		if err := rows.Scan(&ecosystem, &p.key.Repository, &p.key.Number, &p.title, &p.author, &p.authorType,
			&p.branch, &p.at); err != nil {
			return err
		}
		if !p.personal() {
			continue
		}
		if g := ecosystem + " " + group(p); g != last {
			open, last = open[:0], g
		}
		open = slices.DeleteFunc(open, func(o titled) bool { return p.at.Sub(o.at) > pairDays*24*time.Hour })
		p.words = wordsOf(p.title)
		if in := byName[ecosystem]; in != nil {
			in.pairUp(p, open, judge)
		}
		if open = append(open, p); len(open) > openPulls {
			open = slices.Delete(open, 0, 1)
		}
	}
	return rows.Err()
}

func (in *input) pairUp(p titled, open []titled, judge func(a, b titled) (string, string)) {
	for _, o := range open {
		if o.key.Repository == p.key.Repository {
			continue
		}
		a, b := o, p
		if b.key.Repository < a.key.Repository {
			a, b = b, a
		}
		if kind, evidence := judge(a, b); kind != "" {
			days := math.Round(p.at.Sub(o.at).Hours()/24*1000) / 1000
			in.Pairs = append(in.Pairs, pair{a.key, b.key, kind, evidence, days})
		}
	}
}

// personal says whether a pull is a person's own change, by its author, branch and title.
func (p titled) personal() bool {
	return !reference.BotAuthor(p.author, p.authorType) && !reference.BotBranch(p.branch) &&
		!reference.ReleaseTitle(p.title) && !reference.RollupTitle(p.title) && !reference.BackportTitle(p.title, p.branch)
}

// sameTitle compares two titles of one author.
func sameTitle(a, b titled) (kind, evidence string) {
	shared := 0
	for _, w := range a.words {
		if _, ok := slices.BinarySearch(b.words, w); ok {
			shared++
		}
	}
	all := len(a.words) + len(b.words) - shared
	switch {
	case shared == all && shared >= equalWords:
		return "title", a.title
	case shared >= similarWords && float64(shared) >= similarPart*float64(all):
		return "similar_title", a.title + " | " + b.title
	}
	return "", ""
}

// commonBranch matches names of branches that tell nothing.
var commonBranch = regexp.MustCompile(`(?i)^(?:main|master|develop|dev|trunk|next|staging|patch-?\d*|fix(?:es)?|` +
	`update[-_]?(?:deps|dependencies|readme|docs|go)?|feature|tests?|docs?|ci|lint|typos?|` +
	`fix[-_]?(?:ci|lint|tests?|typos?|docs?)|readme|release.*|v?[\d.]+)$`)

// sameBranch compares two pulls whose branches have one name.
func sameBranch(a, b titled) (kind, evidence string) {
	if commonBranch.MatchString(a.branch) || !strings.EqualFold(a.author, b.author) && len(a.branch) < longBranch {
		return "", ""
	}
	return "branch", a.branch
}

// conventional is the head of a title by a convention of commits: "feat(api)!: ".
var conventional = regexp.MustCompile(`^(?:\[[^\]]{1,30}\]\s*|\w+(?:\([^)]*\))?!?:\s+)+`)

// wordsOf are the words of a title without its conventional head and the pull's number.
func wordsOf(title string) []string {
	t := strings.ToLower(strings.TrimSpace(title))
	if rest := conventional.ReplaceAllString(t, ""); rest != "" {
		t = rest
	}
	words := strings.Fields(notWord.ReplaceAllString(titleTag.ReplaceAllString(t, " "), " "))
	slices.Sort(words)
	return slices.Compact(words)
}

// withoutCampaigns leaves out what more repositories share than one change would have.
func withoutCampaigns(pairs []pair) []pair {
	repositories := map[pullKey]map[int64]bool{}
	for _, p := range pairs {
		for _, ends := range [][2]pullKey{{p.A, p.B}, {p.B, p.A}} {
			if repositories[ends[0]] == nil {
				repositories[ends[0]] = map[int64]bool{ends[0].Repository: true}
			}
			repositories[ends[0]][ends[1].Repository] = true
		}
	}
	var kept []pair
	for _, p := range pairs {
		if len(repositories[p.A]) <= pairRepositories && len(repositories[p.B]) <= pairRepositories {
			kept = append(kept, p)
		}
	}
	return kept
}

// pairRows are the rows of an ecosystem's pairs.
func pairRows(in input) (rows [][]any) {
	for _, p := range in.Pairs {
		rows = append(rows, []any{in.Ecosystem, p.A.Repository, p.A.Number, p.B.Repository, p.B.Number,
			p.Kind, p.Evidence, p.GapDays})
	}
	return rows
}
