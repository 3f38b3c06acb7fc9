package rank_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/rank"
)

func TestRankKeepsWhatCanHoldAWideChange(t *testing.T) {
	db, err := store.Open(t.Context(), "", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
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
	if err := pipeline.Execute(t.Context(), rank.Stage{DB: db, Ecosystems: ecosystems}, &pipeline.Run{Ledger: db, Workers: 2}); err != nil {
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
	if err := pipeline.Execute(t.Context(), rank.Stage{DB: db, Ecosystems: ecosystems[1:2]}, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want[3:], rows()); d != "" {
		t.Error(d)
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
		"twice":          {[]schema.EcosystemConfig{{Name: "x", Organizations: []string{"x"}}, {Name: "X", Organizations: []string{"y"}}}, "ecosystems[1]"},
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
