package dedupe

import (
	"fmt"
	"sort"
)

// proposal is two candidates that may be one change.
type proposal struct{ a, b, shared, reason string }

// proposals pairs the candidates that name one pull or issue. Duplicates drop out
// anyway, and what a person keeps apart is decided. A pair has one proposal, for
// the first name both share.
func proposals(in input, repeats []repeat) []proposal {
	out := map[string]bool{}
	for _, r := range repeats {
		out[r.candidate] = true
	}
	done := map[apart]bool{}
	for _, a := range in.Apart {
		done[a] = true
	}
	var all []proposal
	for _, group := range byName(in.Named) {
		for i, x := range group {
			for _, y := range group[i+1:] {
				pair := apart{min(x.Candidate, y.Candidate), max(x.Candidate, y.Candidate)}
				if x.Candidate == y.Candidate || out[x.Candidate] || out[y.Candidate] || done[pair] {
					continue
				}
				done[pair] = true
				all = append(all, proposal{pair.A, pair.B, x.Name, why(x, y)})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].a < all[j].a || all[i].a == all[j].a && all[i].b < all[j].b })
	return all
}

func why(x, y named) string {
	switch x.Name {
	case x.By:
		return fmt.Sprintf("%s names %s of the other", y.By, x.Name)
	case y.By:
		return fmt.Sprintf("%s names %s of the other", x.By, y.Name)
	}
	return fmt.Sprintf("%s and %s both name it", x.By, y.By)
}

// byName splits the rows, which come sorted, at each new name.
func byName(rows []named) (groups [][]named) {
	for i, r := range rows {
		if i == 0 || rows[i-1].Name != r.Name {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], r)
	}
	return groups
}
