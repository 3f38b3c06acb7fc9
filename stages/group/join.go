package group

import (
	"fmt"
	"math"
	"sort"
)

// set is a group while it grows.
type set struct {
	members []key // sorted
	edges   []*edge
	weakest int
	person  bool
}

// join forms the groups: people's decisions first, then the strong edges, then the
// weak ones, each where the result keeps the limits. An edge that would break one
// is refused and says which.
func (g *graph) join() []*set {
	sets := map[key]*set{}
	of := func(k key) *set {
		if sets[k] == nil {
			sets[k] = &set{members: []key{k}, weakest: math.MaxInt}
		}
		return sets[k]
	}
	for _, e := range g.inOrder() {
		if e.refused != "" {
			continue
		}
		a, b := of(e.a), of(e.b)
		if a == b {
			a.edges = append(a.edges, e)
			continue
		}
		both := merged(a, b, e)
		if e.refused = g.breaks(both, a, b, e); e.refused != "" {
			continue
		}
		for _, k := range both.members {
			sets[k] = both
		}
	}
	return g.groups(sets)
}

// inOrder lists the edges as they are tried.
func (g *graph) inOrder() []*edge {
	all := g.sorted()
	rank := func(e *edge) int {
		switch {
		case e.person != "":
			return 0
		case e.strong:
			return 1
		}
		return 2
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if rank(a) != rank(b) {
			return rank(a) < rank(b)
		}
		if a.score != b.score {
			return a.score > b.score
		}
		return a.gapDays < b.gapDays
	})
	return all
}

func merged(a, b *set, e *edge) *set {
	s := &set{edges: append(append(append([]*edge{}, a.edges...), b.edges...), e), weakest: min(a.weakest, b.weakest,
		e.score),
		person: a.person || b.person || e.person != ""}
	s.members = append(append(s.members, a.members...), b.members...)
	sort.Slice(s.members, func(i, j int) bool { return s.members[i].less(s.members[j]) })
	return s
}

// breaks says which limit a group would break, "" none.
func (g *graph) breaks(s, a, b *set, e *edge) string {
	for _, x := range a.members {
		for _, y := range b.members {
			if why, ok := g.decided.apart[pairOf(x, y)]; ok {
				return fmt.Sprintf("%s and %s are %s", g.pulls[x].Name, g.pulls[y].Name, why)
			}
		}
	}
	if e.person != "" {
		return ""
	}
	if n := len(s.members); n > g.options.MaxPulls {
		return fmt.Sprintf("the candidate would have %d pulls, more than %d", n, g.options.MaxPulls)
	}
	if n := s.repositories(); n > g.options.MaxRepositories {
		return fmt.Sprintf("the candidate would have %d repositories, more than %d", n, g.options.MaxRepositories)
	}
	// Two candidates that stand without it are not one for a word in passing: such an
	// edge between them stays as a neighbour.
	if !e.strong && a.repositories() > 1 && b.repositories() > 1 && e.score < min(a.weakest, b.weakest) {
		return "a weak edge between two candidates that stand without it"
	}
	// Nor does a pull join one for a mention alone, where all that hold it together have more in common.
	if e.score <= bareScore && (a.stands(e) || b.stands(e)) {
		return "too weak to add to a candidate that stands without it"
	}
	// A weak edge may join what strong ones have spread, but not spread it further.
	if days := g.span(s.members); !e.strong && days > max(float64(g.options.MaxSpanDays), g.span(a.members),
		g.span(b.members)) {
		return fmt.Sprintf("the candidate would span %.0f days, more than %d", days, g.options.MaxSpanDays)
	}
	return ""
}

// stands says whether a candidate is there already, held together by more than the edge.
func (s *set) stands(e *edge) bool { return s.repositories() > 1 && s.weakest > e.score }

func (s *set) repositories() int {
	ids := map[int64]bool{}
	for _, k := range s.members {
		ids[k.Repository] = true
	}
	return len(ids)
}

// span is the days between the first and the last merge.
func (g *graph) span(members []key) float64 {
	first, last := members[0], members[0]
	for _, k := range members {
		t := g.pulls[k].MergedAt
		if t.Before(*g.pulls[first].MergedAt) {
			first = k
		}
		if t.After(*g.pulls[last].MergedAt) {
			last = k
		}
	}
	return g.gap(first, last)
}

// groups lists the sets of two or more repositories, in the order of their least
// member.
func (g *graph) groups(sets map[key]*set) []*set {
	seen := map[*set]bool{}
	var out []*set
	for _, s := range sets {
		if !seen[s] && s.repositories() > 1 {
			seen[s] = true
			out = append(out, s)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].members[0].less(out[j].members[0]) })
	return out
}
