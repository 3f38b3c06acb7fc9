package dedupe

import (
	"sort"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// record is what the authors' script makes of one source pull.
type record struct {
	source   paperLink
	targets  map[int64]paperLink // of several in one repository the last
	unmerged map[string]bool     // all that are pulls and not merged: the script asks each
}

// records makes the paper's records: a source pull and its direct targets. Two
// with the key of appendix A.1 (ecosystem, source repository, source pull, set of
// repositories) are one; pulls that name each other stay two.
func records(in input) [][]any {
	var rows [][]any
	seen := map[string]bool{}
	for _, r := range in.records() {
		repositories, targets := []string{r.source.Repository}, []string{}
		for _, t := range r.targets {
			repositories = append(repositories, t.Target)
			targets = append(targets, schema.PullName(t.Target, t.TargetNumber))
		}
		sort.Strings(repositories)
		sort.Strings(targets)
		key := r.key(repositories)
		rows = append(rows, []any{in.Ecosystem, r.source.RepositoryID, r.source.Number, repositories, targets, seen[key],
			r.rejection()})
		seen[key] = true
	}
	return rows
}

func (r record) key(repositories []string) string {
	folded := make([]string, len(repositories))
	for i, n := range repositories {
		folded[i] = strings.ToLower(n)
	}
	sort.Strings(folded)
	return strings.ToLower(schema.PullName(r.source.Repository, r.source.Number)) + " " + strings.Join(folded, " ")
}

// records gathers the links, which come sorted by source and position.
func (in input) records() (all []record) {
	for _, l := range in.Paper {
		if n := len(all); n == 0 || all[n-1].source.RepositoryID != l.RepositoryID || all[n-1].source.Number != l.Number {
			all = append(all, record{source: l, targets: map[int64]paperLink{}, unmerged: map[string]bool{}})
		}
		r := &all[len(all)-1]
		r.targets[l.TargetID] = l
		if l.State == "pull" {
			r.unmerged[schema.PullName(l.Target, l.TargetNumber)] = true
		}
	}
	return all
}

// rejection says why the script's checks of the targets reject the record: any
// target that is no merged pull does, an issue too. A pull that is not merged does
// also where a later link to its repository takes its place.
func (r record) rejection() string {
	var reasons []string
	for name := range r.unmerged {
		reasons = append(reasons, "target "+name+" is not merged")
	}
	for _, t := range r.targets {
		name := schema.PullName(t.Target, t.TargetNumber)
		switch t.State {
		case "merged", "pull":
		case "issue":
			reasons = append(reasons, "target "+name+" is an issue")
		default:
			reasons = append(reasons, "target "+name+" is not known")
		}
	}
	sort.Strings(reasons)
	return strings.Join(reasons, "; ")
}
