package group

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// candidateID makes the id of the members: the same members have the same id,
// whatever joined them and whatever their repositories are called.
func candidateID(members []key) string {
	h := sha256.New()
	h.Write([]byte("v1"))
	for _, k := range members {
		h.Write([]byte("\n" + strconv.FormatInt(k.Repository, 10) + "#" + strconv.Itoa(k.Number)))
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil))[:16])
}

// anchor is the member that was merged first.
func (g *graph) anchor(s *set) key {
	first := s.members[0]
	for _, k := range s.members {
		if g.pulls[k].MergedAt.Before(*g.pulls[first].MergedAt) {
			first = k
		}
	}
	return first
}

// via tells, for each member, the edges that tie it to the anchor.
func (g *graph) via(s *set, anchor key) map[key]string {
	next := map[key][]*edge{}
	edges := append([]*edge{}, s.edges...)
	sort.SliceStable(edges, func(i, j int) bool {
		a, b := edges[i], edges[j]
		if a.score != b.score {
			return a.score > b.score
		}
		if a.a != b.a {
			return a.a.less(b.a)
		}
		return a.b.less(b.b)
	})
	for _, e := range edges {
		next[e.a] = append(next[e.a], e)
		next[e.b] = append(next[e.b], e)
	}
	via := map[key]string{anchor: "merged first"}
	for queue := []key{anchor}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range next[at] {
			other := e.a
			if other == at {
				other = e.b
			}
			if _, ok := via[other]; ok {
				continue
			}
			via[other] = g.describe(e)
			if at != anchor {
				via[other] += "; " + via[at]
			}
			queue = append(queue, other)
		}
	}
	return via
}

// describe writes an edge as text: who names whom, how, and what it is worth.
func (g *graph) describe(e *edge) string {
	from, to := e.a, e.b
	if v, ok := e.best(); ok && !v.bridge && v.from == e.b {
		from, to = e.b, e.a
	}
	s := fmt.Sprintf("%s %s %s (score %d: %s)", g.pulls[from].Name, e.relation, g.pulls[to].Name, e.score,
		strings.Join(e.reasons, ", "))
	if text := e.snippet(); text != "" {
		s += " “" + text + "”"
	}
	return s
}

// best is the evidence that the edge's relation is from.
func (e *edge) best() (evidence, bool) {
	for _, v := range e.evidence {
		if v.relation == e.relation && v.refused == "" {
			return v, true
		}
	}
	for _, v := range e.evidence {
		return v, true
	}
	return evidence{}, false
}

func (e *edge) snippet() string {
	if v, ok := e.best(); ok && v.snippet != "" {
		return v.snippet
	}
	for _, v := range e.evidence {
		if v.snippet != "" {
			return v.snippet
		}
	}
	return ""
}

func (e *edge) reciprocal() bool {
	from := map[key]bool{}
	for _, v := range e.evidence {
		if !v.bridge {
			from[v.from] = true
		}
	}
	return len(from) == 2
}

func (e *edge) reason() string {
	switch {
	case e.refused == "":
		return strings.Join(e.reasons, ", ")
	case len(e.reasons) == 0:
		return e.refused
	}
	return e.refused + " (" + strings.Join(e.reasons, ", ") + ")"
}
