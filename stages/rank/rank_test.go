package rank_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/rank"
)

func TestRankKeepsWhatCanHoldAWideChange(t *testing.T) {
	db := storetest.Open(t)
	ecosystems := []schema.EcosystemConfig{
		{Name: "ipfs", Organizations: []string{"ipfs", "IPFS"}, Repositories: []string{"libp2p/go-libp2p"}},
		{Name: "two", Repositories: []string{"a/x", "b/y"}},
		{Name: "same", Repositories: []string{"a/x", "A/X"}},
		{Name: "none"},
	}
	rows := func() (got []string) {
		t.Helper()
		rows, err := db.Query(t.Context(), `SELECT concat_ws(' ', e.ecosystem, organizations, repositories, kept, e.reason, status)
			FROM ecosystems e JOIN outcomes_latest o ON item = ecosystem ORDER BY 1`)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = pipeline.Scan[string](rows, nil); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if err := pipeline.Execute(t.Context(), rank.Stage{DB: db, Ecosystems: ecosystems}, &pipeline.Run{Ledger: db,
		Workers: 2}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ipfs [ipfs] [libp2p/go-libp2p] true configured done",
		"none [] [] false no organization and no repository skipped",
		"same [] [a/x] false fewer than two repositories and no organization skipped",
		"two [] [a/x, b/y] true configured done",
	}
	if d := cmp.Diff(want, rows()); d != "" {
		t.Error(d)
	}
	// What leaves the configuration leaves the table.
	if err := pipeline.Execute(t.Context(), rank.Stage{DB: db, Ecosystems: ecosystems[1:2]},
		&pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want[3:], rows()); d != "" {
		t.Error(d)
	}
}

// top is a repository of a top group.
func top(name, state, pushed string) schema.RankedRepository {
	return schema.RankedRepository{Name: name, State: state, Pushed: pushed}
}

func screening(ranking schema.Ranking, listed ...schema.ListedEcosystem) rank.Stage {
	return rank.Stage{Options: rank.Options{Organizations: 9, TopRepositories: 3, MinRepositories: 2, ActiveMonths: 24},
		Ranking: func(context.Context) (schema.Ranking, bool, error) { return ranking, true, nil },
		Listed:  func(context.Context) ([]schema.ListedEcosystem, error) { return listed, nil }}
}

// TestScreening has an organization for every way of appendix A.1 to drop out, and
// a person's verdict of each kind.
func TestScreening(t *testing.T) {
	db := storetest.Open(t)
	live := []schema.RankedRepository{top("a", "live", "2026-06-01"), top("b", "live", "2020-01-01")}
	ranking := schema.Ranking{Source: "search", Date: "2026-06-05", Organizations: []schema.RankedOrganization{
		{Name: "Whole", Stars: 900, Top: live},
		{Name: "tools", Stars: 800, Top: live},
		{Name: "undecided", Stars: 700, Top: live},
		{Name: "onerepo", Stars: 600, Top: []schema.RankedRepository{top("a", "live", "2026-06-01"), top("b", "archived",
			"2026-06-01"), top("c", "missing", ""), top("beyond", "live", "2026-06-01")}},
		{Name: "asleep", Stars: 500, Top: []schema.RankedRepository{top("a", "live", "2024-06-04"), top("b", "live", ""),
			top("c", "archived", "2026-06-01")}},
		{Name: "justawake", Stars: 400, Top: []schema.RankedRepository{top("a", "live", "2024-06-05"), top("b", "live",
			"2019-01-01")}},
		{Name: "half", Stars: 300, Top: live[:1]},
		{Name: "otherhalf", Stars: 200, Top: live[:1]},
		{Name: "mine", Stars: 100},
		{Name: "tenth", Stars: 50, Top: live},
	}}
	s := screening(ranking,
		schema.ListedEcosystem{Name: "whole", Organizations: []string{"whole"}, Verdict: "keep", Reason: "one product"},
		schema.ListedEcosystem{Name: "tools", Organizations: []string{"tools"}, Verdict: "drop",
			Reason: "unrelated (mostly)"},
		schema.ListedEcosystem{Name: "spanning", Organizations: []string{"half", "OtherHalf"},
			Repositories: []string{"else/where"}, Verdict: "keep", Reason: "one protocol"},
		schema.ListedEcosystem{Name: "sleepy", Organizations: []string{"asleep"}, Verdict: "keep", Reason: "one product"},
		schema.ListedEcosystem{Name: "undecided", Organizations: []string{"notranked"}, Verdict: "keep",
			Reason: "known to me"},
		schema.ListedEcosystem{Name: "plain", Organizations: []string{"plain"}},
		schema.ListedEcosystem{Name: "mine", Verdict: "drop", Reason: "the configuration wins"},
	)
	s.DB, s.Ecosystems = db, []schema.EcosystemConfig{{Name: "Mine", Organizations: []string{"mine"}}}
	run := &pipeline.Run{Ledger: db, Workers: 2}
	if err := pipeline.Execute(t.Context(), s, run); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(t.Context(), "SELECT concat_ws(' | ', ecosystem, source, stars, kept, reason) FROM ecosystems "+
		"ORDER BY stars DESC, ecosystem")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	const wait = "no verdict yet: list it in ecosystems.yaml with verdict keep or drop, and the reason"
	want := []string{
		"whole | search 2026-06-05 | 900 | true | kept by a person (one product)",
		"tools | search 2026-06-05 | 800 | false | dropped by a person (unrelated (mostly))",
		"undecided (organization) | search 2026-06-05 | 700 | false | " + wait,
		"onerepo | search 2026-06-05 | 600 | false | fewer than 2 non-archived repositories in the top group (1 of the " +
			"first 3)",
		"sleepy | search 2026-06-05 | 500 | false | no activity in the 24 months before the ranking's date (newest push " +
			"2024-06-04, 2026-06-05)",
		"spanning | search 2026-06-05 | 500 | true | kept by a person (one protocol)",
		"justawake | search 2026-06-05 | 400 | false | " + wait,
		"Mine | config | 100 | true | configured",
		"plain | ecosystems.yaml | 0 | true | listed",
		"undecided | ecosystems.yaml | 0 | true | kept by a person (known to me)",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	rows, err = db.Query(t.Context(), "SELECT concat_ws(' | ', status, reason, items) FROM funnel WHERE stage = 'rank' "+
		"ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err = pipeline.Scan[string](rows, nil); err != nil {
		t.Fatal(err)
	}
	want = []string{
		"done |  | 5",
		"skipped | dropped by a person | 1",
		"skipped | fewer than 2 non-archived repositories in the top group | 1",
		"skipped | no activity in the 24 months before the ranking's date | 1",
		"skipped | " + wait + " | 2",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if c := run.Counts; c.Done != 5 || c.Skipped != 5 {
		t.Errorf("counts: %+v", c)
	}
	again := &pipeline.Run{Ledger: db, Workers: 2}
	if err := pipeline.Execute(t.Context(), s, again); err != nil || again.Counts.Unchanged != 10 ||
		again.Counts.Done != 0 {
		t.Errorf("a second run: %+v, %v", again.Counts, err)
	}
}

// TestRankingChangesNoConfiguredEcosystem keeps the outcome of folders without a ranking.
func TestRankingChangesNoConfiguredEcosystem(t *testing.T) {
	e := []schema.EcosystemConfig{{Name: "ipfs", Organizations: []string{"ipfs"}}}
	plain, err := rank.Stage{Ecosystems: e}.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []pipeline.Ref{{ID: "ipfs", Hash: pipeline.Hash(schema.EcosystemConfig{Name: "ipfs",
		Organizations: []string{"ipfs"}, Repositories: []string{}})}}
	if d := cmp.Diff(want, plain); d != "" {
		t.Error(d)
	}
	s := screening(schema.Ranking{Source: "search", Date: "2026-06-05",
		Organizations: []schema.RankedOrganization{{Name: "other", Stars: 1}}})
	s.Ecosystems = e
	with, err := s.Plan(t.Context())
	if err != nil || len(with) != 2 {
		t.Fatalf("%+v, %v", with, err)
	}
	if d := cmp.Diff(plain[0], with[0]); d != "" {
		t.Error(d)
	}
}

func TestListedMistakesNameTheFile(t *testing.T) {
	for name, l := range map[string][]schema.ListedEcosystem{
		"name":  {{Name: "a b"}},
		"owner": {{Name: "a", Organizations: []string{"x/y"}}},
		"twice": {{Name: "a", Organizations: []string{"a"}}, {Name: "A", Organizations: []string{"b"}}},
	} {
		_, err := screening(schema.Ranking{}, l...).Plan(t.Context())
		var usage *pipeline.UsageError
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "ecosystems.yaml: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRankNamesTheLineToCorrect(t *testing.T) {
	for name, c := range map[string]struct {
		ecosystems []schema.EcosystemConfig
		word       string
	}{
		"nothing":        {nil, "no ecosystem"},
		"empty name":     {[]schema.EcosystemConfig{{Organizations: []string{"x"}}}, "ecosystems[0]"},
		"path as a name": {[]schema.EcosystemConfig{{Name: "../x"}}, "ecosystems[0]"},
		"organization":   {[]schema.EcosystemConfig{{Name: "x", Organizations: []string{"a/b"}}}, `"a/b"`},
		"repository":     {[]schema.EcosystemConfig{{Name: "x", Repositories: []string{"kubo"}}}, `"kubo"`},
		"twice": {[]schema.EcosystemConfig{{Name: "x", Organizations: []string{"x"}},
			{Name: "X", Organizations: []string{"y"}}}, "ecosystems[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			err := pipeline.Execute(t.Context(), rank.Stage{Ecosystems: c.ecosystems}, &pipeline.Run{})
			var usage *pipeline.UsageError
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.word) {
				t.Errorf("got %v, want it to name %s", err, c.word)
			}
		})
	}
}
