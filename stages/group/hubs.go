package group

import (
	"fmt"
	"sort"
)

// takeOutHubs refuses every edge of a pull that is tied to too many repositories:
// a release, a migration, an incident. A person's decision stands.
func (g *graph) takeOutHubs() {
	neighbours := map[key]map[key]bool{}
	for _, e := range g.edges {
		if e.refused != "" {
			continue
		}
		for _, ends := range [][2]key{{e.a, e.b}, {e.b, e.a}} {
			if neighbours[ends[0]] == nil {
				neighbours[ends[0]] = map[key]bool{}
			}
			neighbours[ends[0]][ends[1]] = true
		}
	}
	hubs := map[key]int{}
	for k, others := range neighbours {
		if n := repositoriesOf(others); n > g.options.HubRepositories {
			hubs[k] = n
			g.campaigns = append(g.campaigns, campaign{hub: g.pulls[k].Name, kind: "pull", repositories: n, pulls: len(others),
				reason: fmt.Sprintf("a hub: tied to %d repositories, more than %d", n, g.options.HubRepositories)})
		}
	}
	sort.Slice(g.campaigns, func(i, j int) bool {
		a, b := g.campaigns[i], g.campaigns[j]
		return a.kind < b.kind || a.kind == b.kind && a.hub < b.hub
	})
	for _, e := range g.edges {
		for _, k := range []key{e.a, e.b} {
			if n, ok := hubs[k]; ok && e.refused == "" && e.person == "" {
				e.refused = fmt.Sprintf("%s is a hub of %d repositories", g.pulls[k].Name, n)
			}
		}
	}
}
