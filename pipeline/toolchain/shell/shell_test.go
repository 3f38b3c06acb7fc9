package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

func shellTree() kit.Map {
	return kit.Map{
		"bin/tool":          "#!/bin/sh\necho hi\n",
		"tests/lib/tap.sh":  "ok() { n=$((n+1)); echo \"ok $n - $1\"; }\ndone_() { echo \"1..$n\"; }\n",
		"tests/a.sh":        "#!/usr/bin/env bash\n. \"$(dirname \"$0\")/lib/tap.sh\"\nok first\ndone_\n",
		"tests/b c.sh":      "echo 1..1\necho ok 1 - plain\n",
		"tests/setup.sh":    "echo preparing\n",
		"tests/data/in.txt": "x",
		"t/one.t":           "#!/usr/bin/perl\nprint \"1..1\\nok 1\\n\";\n",
		"scripts/ok.sh":     "echo ok 1\n",
		"test/c.bats":       "@test \"x\" { true; }\n",
	}
}

func TestShellDetect(t *testing.T) {
	r, ok := (Toolchain{}).Detect(shellTree())
	if !ok {
		t.Fatalf("not detected: %+v", r)
	}
	if diff := cmp.Diff([]string{"ca-certificates", "git", "bash", "bats", "perl"}, r.Packages); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if _, ok := (Toolchain{}).Detect(kit.Map{"tests/run.sh": "echo done\n", "README.md": ""}); ok {
		t.Error("a script that prints no TAP is taken for one that does")
	}
}

func TestShellSelect(t *testing.T) {
	for _, c := range []struct {
		name   string
		hidden []string
		want   kit.Selection
	}{
		{"a script", []string{"tests/a.sh"}, kit.Selection{Files: []string{"tests/a.sh"}}},
		{"a library selects the scripts beside", []string{"tests/lib/tap.sh"}, kit.Selection{Files: []string{"tests/a.sh",
			"tests/b c.sh"}}},
		{"neither", []string{"README.md"}, kit.Selection{Left: []kit.Left{{Path: "README.md",
			Reason: "the tree does not have it"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Toolchain{}.Select(shellTree(), schema.Recipe{}, c.hidden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestShellPlan(t *testing.T) {
	j := kit.Job{Repository: "acme/tool", Tree: shellTree(), Recipe: schema.Recipe{Path: []string{"bin"}, Timeout: 60},
		Selection: kit.Selection{Files: []string{"t/one.t", "test/c.bats", "tests/a.sh", "tests/b c.sh"}}}
	p, err := Toolchain{}.Plan(j)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(p.Test, "\n")
	want := []string{
		"run t/one.t.tap timeout -k 5 60 perl ./t/one.t",
		"run test/c.bats.tap timeout -k 5 60 bats --tap ./test/c.bats",
		"run tests/a.sh.tap timeout -k 5 60 bash ./tests/a.sh",
		"run 'tests/b c.sh.tap' timeout -k 5 60 sh './tests/b c.sh'",
		`exit "$worst"`,
	}
	if diff := cmp.Diff(want, lines[len(lines)-5:]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{`export PATH="$WIDESWE_REPO"/bin:"$PATH"`}, p.Wire); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	j.Only = []string{"tests/a.sh::first"}
	if p, _ = (Toolchain{}).Plan(j); len(p.Files) != 1 || p.Files[0] != "tests/a.sh.tap" {
		t.Errorf("only one script: %q", p.Files)
	}
}

func TestOwnTestCommand(t *testing.T) {
	j := kit.Job{Repository: "acme/tool", Tree: shellTree(), Recipe: schema.Recipe{Test: "make check", Report: "junit"},
		Selection: kit.Selection{Files: []string{"tests/a.sh"}}}
	p, err := Toolchain{}.Plan(j)
	if err != nil || p.Report != "junit" || p.Test != "export WIDESWE_TESTS=tests/a.sh\nmake check" || p.Files != nil {
		t.Errorf("%v: %+v", err, p)
	}
	j.Skip = []string{"x::y"}
	if p, err := (Toolchain{}).Plan(j); err != nil || !p.Whole || len(p.Notes) == 0 {
		t.Error("a command of the recipe's own can't leave tests out, and nothing says so")
	}
}
