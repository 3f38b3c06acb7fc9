package group

import (
	"github.com/wideswe/wideswe/schema"
)

// decided is what people decided on pairs of pulls, with the reason in words.
type decided struct {
	together map[pair]string
	apart    map[pair]string
}

// readDecisions turns decisions into pairs. They come oldest first, and a later
// one takes back what an earlier one said of the same pair.
func (g *graph) readDecisions() decided {
	d := decided{together: map[pair]string{}, apart: map[pair]string{}}
	for _, decision := range g.in.Decisions {
		switch decision.Action {
		case schema.KeepTogether:
			d.keepTogether(g.keys(decision.Pulls), "kept together by "+words(decision))
		case schema.KeepApart:
			for i, a := range decision.Apart {
				for _, b := range decision.Apart[i+1:] {
					d.keepApart(g.keys(a), g.keys(b), "kept apart by "+words(decision))
				}
			}
		}
	}
	return d
}

// keepTogether ties the pulls to the first of them. Pairs among them that were
// kept apart are so no more.
func (d decided) keepTogether(pulls []key, why string) {
	for i, a := range pulls {
		for _, b := range pulls[i+1:] {
			delete(d.apart, pairOf(a, b))
			if i == 0 && a != b {
				d.together[pairOf(a, b)] = why
			}
		}
	}
}

func (d decided) keepApart(as, bs []key, why string) {
	for _, a := range as {
		for _, b := range bs {
			if a != b {
				delete(d.together, pairOf(a, b))
				d.apart[pairOf(a, b)] = why
			}
		}
	}
}

// keys finds the pulls that names mean; a pull that is not there or not merged
// can't be grouped.
func (g *graph) keys(names []string) (keys []key) {
	for _, n := range names {
		if k, ok := g.byName[fold(n)]; ok && g.pulls[k].MergedAt != nil {
			keys = append(keys, k)
		}
	}
	return keys
}

func words(d schema.Decision) string {
	s := d.Reviewer
	if d.Reason != "" {
		s += ": " + d.Reason
	}
	return s
}
