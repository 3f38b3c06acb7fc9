package bench

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

func TestBenchMineWalksTheStages(t *testing.T) {
	testscope.NotShort(t, "it runs the whole program")
	var out bytes.Buffer
	a := &env.Env{In: strings.NewReader(""), Out: &out, Err: &bytes.Buffer{}}
	defer a.Close()
	c := newMineCommand(a)
	c.SetArgs([]string{"--pulls", "3000", "--sample", "100", "--dir", t.TempDir()})
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	phases := map[string]map[string]any{}
	for dec := json.NewDecoder(&out); dec.More(); {
		var figure map[string]any
		if err := dec.Decode(&figure); err != nil {
			t.Fatal(err)
		}
		if name, ok := figure["phase"].(string); ok {
			phases[name] = figure
		}
	}
	for _, name := range []string{"load", "link", "link again", "group", "group again", "dedupe", "dedupe again"} {
		if phases[name]["seconds"] == nil || phases[name]["file_mb"] == nil {
			t.Errorf("phase %s: %v", name, phases[name])
		}
	}
	for _, table := range []string{"link_occurrences", "own_issues", "paper_links", "edges", "candidate_groups",
		"records"} {
		if n, _ := phases["result"][table].(string); n == "" || strings.HasPrefix(n, "0 ") {
			t.Errorf("%s: %q", table, n)
		}
	}
}
