package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/stats"
	"github.com/wideswe/wideswe/schema"
)

// Series is a configuration in one mode, with its attempts: a column of the tables.
type Series struct {
	Configuration string `json:"configuration"`
	Mode          string `json:"mode"`
	Attempts      []Run  `json:"attempts"`
}

// Title names a series.
func (s Series) Title() string {
	if s.Mode == schema.Independent {
		return s.Configuration + ", independent"
	}
	return s.Configuration
}

// rows are the tasks of all attempts that keep holds of.
func (s Series) rows(keep func(DataTask) bool) (rows []Row) {
	for _, r := range s.Attempts {
		for _, t := range r.Tasks {
			if keep(t.DataTask) {
				rows = append(rows, t)
			}
		}
	}
	return rows
}

// Score counts all attempts together, so that a share is the mean of theirs.
func (s Series) Score() Slice { return summed("all", "", s.rows(all)) }

// Unjudged says what remains to be judged, "" where nothing does.
func (s Series) Unjudged() string {
	var parts []string
	for _, r := range s.Attempts {
		if text := r.Unjudged(); text != "" && len(s.Attempts) > 1 {
			parts = append(parts, fmt.Sprintf("attempt %d: %s", r.Attempt, text))
		} else if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

func all(DataTask) bool { return true }

// ofKind keeps the tasks of one kind, "" every one.
func ofKind(kind string) func(DataTask) bool {
	return func(t DataTask) bool { return kind == "" || t.Kind == kind }
}

// kinds are the parts of the paper's tables.
var kinds = []struct{ kind, title string }{{schema.Bugfix, "Bug fix"}, {schema.Feature, "Feature"}, {"", "All"}}

// gather makes series of the runs of evaluations, in their order; runs of one name
// in one mode are attempts. Names that nobody gave must tell runs apart.
func gather(evaluations []scored) ([]Series, error) {
	var list []Series
	from := map[string]string{} // series and attempt → folder
	for _, e := range evaluations {
		models := map[string]bool{}
		for _, r := range e.runs {
			models[r.Model] = true
		}
		for _, r := range e.runs {
			name := e.label
			if name == "" {
				name = cmp.Or(r.Model, "predictions")
			} else if len(models) > 1 {
				name += ": " + r.Model
			}
			i := slices.IndexFunc(list, func(s Series) bool { return s.Configuration == name && s.Mode == r.Mode })
			if i < 0 {
				list = append(list, Series{Configuration: name, Mode: r.Mode})
				i = len(list) - 1
			}
			key := list[i].Title()
			if other, ok := from[key]; ok && other != e.folder && e.label == "" {
				return nil, pipeline.Usage("%s and %s both hold runs of %s; tell them apart with --label NAME after each "+
					"--evaluation, or give both one label to count them as attempts", other, e.folder, name)
			}
			from[key] = e.folder
			if len(list[i].Attempts) > 0 { // of several folders the numbers may repeat
				r.Attempt = max(r.Attempt, list[i].Attempts[len(list[i].Attempts)-1].Attempt+1)
			}
			list[i].Attempts = append(list[i].Attempts, r)
		}
	}
	first := map[string]int{} // so that a configuration's modes stand together, joint first
	for i, x := range list {
		if _, ok := first[x.Configuration]; !ok {
			first[x.Configuration] = i
		}
	}
	slices.SortStableFunc(list, func(a, b Series) int {
		return cmp.Or(cmp.Compare(first[a.Configuration], first[b.Configuration]), -cmp.Compare(a.Mode, b.Mode))
	})
	return list, nil
}

// spread is a rate over attempts: its mean and its sample variance, in hundredths.
func (s Series) spread(rate func(schema.ReportSummary) schema.Tally) (mean, variance float64) {
	var list []float64
	for _, r := range s.Attempts {
		if t := rate(r.All()); t.Total > 0 {
			list = append(list, 100*float64(t.Passed)/float64(t.Total))
		}
	}
	return stats.Mean(list), stats.Variance(list)
}
