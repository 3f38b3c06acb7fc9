package rank

import (
	"fmt"
	"strings"
	"time"

	"github.com/wideswe/wideswe/schema"
)

// ranked is the part of a ranking that is looked at.
type ranked struct {
	source        string
	date          time.Time
	organizations []schema.RankedOrganization
	byName        map[string]schema.RankedOrganization
}

func newRanked(r schema.Ranking, o Options) ranked {
	out := ranked{source: r.Source + " " + r.Date, byName: map[string]schema.RankedOrganization{}}
	out.date, _ = time.Parse(time.DateOnly, r.Date) // checked where the file is read
	out.organizations = r.Organizations[:min(len(r.Organizations), max(o.Organizations, 0))]
	for _, o := range out.organizations {
		out.byName[strings.ToLower(o.Name)] = o
	}
	return out
}

// find gives the ranking's facts on those of the organizations that it has.
func (r ranked) find(names []string) (found []schema.RankedOrganization) {
	for _, n := range names {
		if o, ok := r.byName[strings.ToLower(n)]; ok {
			found = append(found, o)
		}
	}
	return found
}

func (r ranked) stars(names []string) (sum int64) {
	for _, o := range r.find(names) {
		sum += o.Stars
	}
	return sum
}

// screen says why organizations drop out, "" where they pass. Repositories of
// other owners that a person lists count as well; what is not known to be live
// does not. Only live repositories show activity, as in the authors' script.
func (o Options) screen(date time.Time, organizations []schema.RankedOrganization, repositories []string) string {
	live, newest := 0, ""
	for _, ranked := range organizations {
		for _, t := range ranked.Top[:min(len(ranked.Top), max(o.TopRepositories, 0))] {
			if t.State == schema.RankedLive {
				live++
				newest = max(newest, t.Pushed) // days sort as text
			}
		}
	}
	live += others(organizations, repositories)
	if live < o.MinRepositories {
		return fmt.Sprintf("fewer than %d non-archived repositories in the top group (%d of the first %d)", o.MinRepositories,
			live, o.TopRepositories)
	}
	if from := date.AddDate(0, -o.ActiveMonths, 0).Format(time.DateOnly); newest < from {
		if newest == "" {
			newest = "unknown"
		}
		return fmt.Sprintf("no activity in the %d months before the ranking's date (newest push %s, %s)", o.ActiveMonths,
			newest, date.Format(time.DateOnly))
	}
	return ""
}

// others counts the repositories whose owner is none of the organizations.
func others(organizations []schema.RankedOrganization, repositories []string) (n int) {
	for _, r := range repositories {
		owner, _, _ := schema.SplitRepository(r)
		mine := false
		for _, o := range organizations {
			mine = mine || strings.EqualFold(o.Name, owner)
		}
		if !mine {
			n++
		}
	}
	return n
}
