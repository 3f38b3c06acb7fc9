package group

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/reference"
)

// graph is one ecosystem's pulls and the edges between them.
type graph struct {
	in        input
	options   Options
	pulls     map[key]pull
	byName    map[string]key // lower case
	edges     map[pair]*edge
	campaigns []campaign
	decided   decided
}

// pair is two pulls, the lesser first.
type pair struct{ a, b key }

func pairOf(a, b key) pair {
	if b.less(a) {
		a, b = b, a
	}
	return pair{a, b}
}

// edge is what proposes that two pulls are one change.
type edge struct {
	pair
	evidence []evidence
	issue    string // the shared issue, owner/name#N
	person   string // the decision that joins the two

	score    int
	strong   bool
	alone    bool // all that speaks for it is a name without an owner
	relation string
	reasons  []string
	refused  string // '' admitted
	gapDays  float64
}

// evidence is one link, or one side of a shared issue.
type evidence struct {
	from     key
	relation string
	list     bool
	refused  string // why the link may not group
	snippet  string
	bridge   bool
}

// campaign is a hub pull or a tracker issue.
type campaign struct {
	hub                 string
	kind                string
	repositories, pulls int
	reason              string
}

func newGraph(in input) *graph {
	g := &graph{in: in, options: in.Options, pulls: map[key]pull{}, byName: map[string]key{}, edges: map[pair]*edge{}}
	for _, p := range in.Pulls {
		g.pulls[p.Key] = p
		g.byName[fold(p.Name)] = p.Key
	}
	g.decided = g.readDecisions()
	return g
}

func fold(name string) string { return strings.ToLower(name) }

// propose makes the edges: of links between pulls, of issues that pulls of several
// repositories close or are part of, and of people's decisions.
func (g *graph) propose() {
	for _, l := range g.in.Links {
		if l.Issue || l.From.Repository == l.To.Repository || !g.known(l.From) || !g.known(l.To) {
			continue
		}
		e := g.edge(l.From, l.To)
		e.evidence = append(e.evidence, evidence{from: l.From, relation: l.Relation, list: l.List, refused: refusal(l),
			snippet: l.Snippet})
	}
	g.bridge()
	for p, why := range g.decided.together {
		g.edge(p.a, p.b).person = why
	}
	for _, e := range g.edges {
		e.gapDays = g.gap(e.a, e.b)
	}
}

func refusal(l link) string {
	if l.May {
		return ""
	}
	return l.Reason
}

func (g *graph) known(k key) bool { _, ok := g.pulls[k]; return ok }

func (g *graph) edge(a, b key) *edge {
	p := pairOf(a, b)
	if g.edges[p] == nil {
		g.edges[p] = &edge{pair: p}
	}
	return g.edges[p]
}

// side is a pull's word on an issue.
type side struct {
	pull     key
	relation string
	snippet  string
}

// bridge joins pulls through an issue that each closes or is part of. An issue of
// many pulls is a tracker and bridges nothing.
func (g *graph) bridge() {
	sides, names, pulls := g.sides()
	issues := make([]key, 0, len(sides))
	for k := range sides {
		issues = append(issues, k)
	}
	sort.Slice(issues, func(i, j int) bool { return issues[i].less(issues[j]) })
	for _, k := range issues {
		if n := len(pulls[k]); n > g.options.TrackerPulls {
			g.campaigns = append(g.campaigns, campaign{hub: names[k], kind: "issue", repositories: repositoriesOf(pulls[k]),
				pulls:  n,
				reason: fmt.Sprintf("a tracker: %d pulls name it, more than %d", n, g.options.TrackerPulls)})
			continue
		}
		for i, a := range sides[k] {
			for _, b := range sides[k][i+1:] {
				g.bridgePair(names[k], a, b)
			}
		}
	}
}

func (g *graph) bridgePair(issue string, a, b side) {
	if a.pull.Repository == b.pull.Repository {
		return
	}
	e := g.edge(a.pull, b.pull)
	if e.issue == "" || issue < e.issue {
		e.issue = issue
	}
	e.evidence = append(e.evidence, evidence{from: a.pull, relation: a.relation, snippet: a.snippet, bridge: true},
		evidence{from: b.pull, relation: b.relation, snippet: b.snippet, bridge: true})
}

// sides lists, for each issue, the pulls that close it or are part of it, and all
// the pulls that name it, which tell a tracker.
func (g *graph) sides() (sides map[key][]side, names map[key]string, pulls map[key]map[key]bool) {
	sides, names, pulls = map[key][]side{}, map[key]string{}, map[key]map[key]bool{}
	add := func(issue key, name string, s side, joins bool) {
		if p, ok := g.pulls[s.pull]; !ok || p.MergedAt == nil {
			return
		}
		if pulls[issue] == nil {
			pulls[issue] = map[key]bool{}
		}
		names[issue] = name
		pulls[issue][s.pull] = true
		if !joins {
			return
		}
		for _, other := range sides[issue] {
			if other.pull == s.pull {
				return
			}
		}
		sides[issue] = append(sides[issue], s)
	}
	for _, l := range g.in.Links {
		if l.Issue {
			add(l.To, l.ToName, side{l.From, l.Relation, l.Snippet}, l.May && bridging(l.Relation))
		}
	}
	for _, o := range g.in.Own {
		add(key{o.Pull.Repository, o.Issue}, o.Name, side{o.Pull, o.Relation, ""}, true)
	}
	for _, list := range sides {
		sort.Slice(list, func(i, j int) bool { return list[i].pull.less(list[j].pull) })
	}
	return sides, names, pulls
}

func bridging(relation string) bool {
	return relation == string(reference.Closes) || relation == string(reference.PartOf)
}

func repositoriesOf(pulls map[key]bool) int {
	ids := map[int64]bool{}
	for k := range pulls {
		ids[k.Repository] = true
	}
	return len(ids)
}

// gap is the days between two merges.
func (g *graph) gap(a, b key) float64 {
	x, y := g.pulls[a].MergedAt, g.pulls[b].MergedAt
	if x == nil || y == nil {
		return 0
	}
	return math.Abs(x.Sub(*y).Hours()) / 24
}

// sorted lists the edges in the order of their pulls.
func (g *graph) sorted() []*edge {
	all := make([]*edge, 0, len(g.edges))
	for _, e := range g.edges {
		all = append(all, e)
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].a != all[j].a {
			return all[i].a.less(all[j].a)
		}
		return all[i].b.less(all[j].b)
	})
	return all
}
