package folder

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

func TestVerdictsHaveReasons(t *testing.T) {
	f := newFolder(t)
	put(t, f, "ecosystems.yaml", `dated: 2026-06-05
ecosystems:
  - {name: ipfs, organizations: [ipfs], repositories: [o/r], verdict: keep, reason: one protocol}
  - {name: acme, organizations: [acme], verdict: drop, reason: unrelated}
  - {name: plain, organizations: [plain]}
`)
	got, err := f.Ecosystems()
	want := []schema.ListedEcosystem{
		{Name: "ipfs", Organizations: []string{"ipfs"}, Repositories: []string{"o/r"}, Verdict: schema.VerdictKeep,
			Reason: "one protocol"},
		{Name: "acme", Organizations: []string{"acme"}, Verdict: schema.VerdictDrop, Reason: "unrelated"},
		{Name: "plain", Organizations: []string{"plain"}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	for name, c := range map[string][2]string{
		"no reason":     {"ecosystems: [{name: a, verdict: drop}]", "has no reason"},
		"blank reason":  {"ecosystems: [{name: a, verdict: keep, reason: ' '}]", "has no reason"},
		"another word":  {"ecosystems: [{name: a, verdict: maybe, reason: x}]", "write keep or drop"},
		"key":           {"ecosystems: [{name: a, verdikt: keep}]", "verdikt"},
		"twice by case": {"ecosystems: [{name: a}, {name: A}]", "twice"},
		"repository":    {"ecosystems: [{name: a, repositories: [b]}]", "ecosystem a"},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, f, "ecosystems.yaml", c[0])
			_, err := f.Ecosystems()
			usage(t, err, "ecosystems.yaml", c[1])
		})
	}
}

func TestWriteEcosystemsLeavesPeoplesEntries(t *testing.T) {
	f := newFolder(t)
	text := []byte("# a comment stays\necosystems:\n  - {name: a, organizations: [a], verdict: keep, reason: one}\n")
	if err := f.WriteEcosystems([]byte("ecosystems: [{name: a, verdict: drop}]")); err == nil {
		t.Error("a list with a mistake was written")
	}
	if err := f.WriteEcosystems(text); err != nil {
		t.Fatal(err)
	}
	got, _, err := f.read("ecosystems.yaml")
	if err != nil || string(got) != string(text) {
		t.Errorf("%q, %v", got, err)
	}
	usage(t, f.WriteEcosystems(text), "1 entries")
}

func TestRankingComesBackAndStays(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"ranking.yaml", ""} {
		if _, ok, err := f.Ranking(name); ok || err != nil {
			t.Errorf("no file %q: %t, %v", name, ok, err)
		}
	}
	want := schema.Ranking{Source: "search", Date: "2026-06-05", Note: "by: hand, #1",
		Organizations: []schema.RankedOrganization{
			{Name: "true", Stars: 20, Repositories: 3, Top: []schema.RankedRepository{
				{Name: "1.0", Stars: 15, State: schema.RankedLive, Pushed: "2026-06-01"}, {Name: "..%2f",
					State: schema.RankedMissing}}},
			{Name: "quiet", Stars: 20},
		}}
	if err := f.WriteRanking("ranking.yaml", want); err != nil {
		t.Fatal(err)
	}
	got, ok, err := f.Ranking("ranking.yaml")
	if d := cmp.Diff(want, got); d != "" || !ok || err != nil {
		t.Error(d, ok, err)
	}
	usage(t, f.WriteRanking("ranking.yaml", want), "rank.ranking")
	for name, c := range map[string][2]string{
		"day":    {"source: s\ndate: June\norganizations: []\n", "date"},
		"source": {"date: 2026-06-05\norganizations: []\n", "source"},
		"order": {"source: s\ndate: 2026-06-05\norganizations: [{name: a, stars: 1}, {name: b, stars: 2}]\n",
			"most starred first"},
		"twice": {"source: s\ndate: 2026-06-05\norganizations: [{name: a, stars: 1}, {name: A, stars: 1}]\n", "there twice"},
		"state": {"source: s\ndate: 2026-06-05\norganizations: [{name: a, stars: 1, top: [{name: r, stars: 1, state: " +
			"dead}]}]\n", "live"},
		"pushed": {"source: s\ndate: 2026-06-05\norganizations: [{name: a, stars: 1, top: [{name: r, stars: 1, state: " +
			"live, pushed: '5'}]}]\n", "pushed"},
		"key": {"source: s\ndated: 2026-06-05\n", "dated"},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, f, "other.yaml", c[0])
			_, _, err := f.Ranking("other.yaml")
			usage(t, err, "other.yaml", c[1])
		})
	}
}
