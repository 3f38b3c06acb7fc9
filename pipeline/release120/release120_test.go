package release120

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	small  = "testdata/small"
	stone  = "cases/mill/mill_stone_wheel_0123456789ab/"
	client = "cases/search/search_client_transport_ba9876543210/"
)

func open(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestCase(t *testing.T) {
	f := open(t, small)
	c, err := f.Case(f.Index[0])
	if err != nil {
		t.Fatal(err)
	}
	if c.Category != "bugfix" || !strings.HasPrefix(c.Prompt, "Make the parts agree") || len(c.Targets) != 2 {
		t.Fatalf("%+v", c)
	}
	x := c.Targets[0]
	if x.Repository != "mill/stone" || x.Role != "source" || x.BaseCommit != strings.Repeat("1", 40) ||
		!strings.Contains(string(x.Gold), "+new") || c.Targets[1].Repository != "Works/wheel" {
		t.Errorf("%+v", x)
	}
	layer := x.Layers[0]
	if d := cmp.Diff([]string{"renamed a helper", "dropped a timing test"}, layer.Changes); d != "" ||
		layer.Name != "stone-hidden-tests.patch" || layer.Profile != "stone-hidden" || len(layer.Relocated) != 0 {
		t.Errorf("%+v %s", layer, d)
	}
	missing := Test{"stone-hidden", "mill.example/stone::TestNew"}
	if d := cmp.Diff([]Test{{"stone-hidden", "mill.example/stone::TestGrind/fine"}, missing}, x.F2P); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]any{[]Test{missing}, []Context{{"mill/notes", strings.Repeat("9", 40)}}},
		[]any{x.MissingOnBase, c.Context}); d != "" {
		t.Error(d)
	}
	want := "repos.gone.historical_snapshot_available: false"
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].Error(), want) {
		t.Errorf("%v", c.Warnings)
	}
	if len(c.Pulls) != 2 || c.Pulls[1].Repository != "Works/wheel" || c.Pulls[1].Number != 11 {
		t.Errorf("%+v", c.Pulls)
	}
}

// TestAWrongChecksumWarns: a case of the release is so, and can be used.
func TestAWrongChecksumWarns(t *testing.T) {
	f := open(t, small)
	c, err := f.Case(f.Index[1])
	if err != nil || len(c.Warnings) != 1 {
		t.Fatalf("%v %v", c.Warnings, err)
	}
	want := "search_client_transport_ba9876543210: oracles/hidden_test_oracle.json: sha256: "
	if got := c.Warnings[0].Error(); !strings.HasPrefix(got, want) || !strings.Contains(got, strings.Repeat("0", 64)) {
		t.Error(got)
	}
	if n := len(c.Targets[0].Layers); n != 2 || c.Targets[0].F2P[1].Profile != "client-esm-hidden" {
		t.Errorf("%d layers of two profiles, %v", n, c.Targets[0].F2P)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	for name, tc := range map[string]struct{ file, old, new, want string }{
		"another id": {"task.yaml", "id: mill", "id: milk",
			`mill_stone_wheel_0123456789ab: task.yaml: id: "milk_stone_wheel_0123456789ab"`},
		"a short commit": {"task.yaml", "base_commit: 1111", "base_commit: 11",
			"task.yaml: repositories[0].base_commit:"},
		"no path": {"task.yaml", "path: repos/mill/stone", "path: repos/../stone", "repositories[0].path"},
		"a gold patch outside": {"task.yaml", "gold/patches/stone.patch", "../x.patch",
			`repositories[0].gold_patch: "../x.patch" is no path below the case`},
		"no gold patch": {"task.yaml", "gold/patches/stone.patch", "gold/x.patch", "gold/x.patch is missing"},
		"another base":  {"repos.yaml", "    base_commit: 1", "    base_commit: 3", "repos.stone.base_commit"},
		"no workspace": {"repos.yaml", "repos/Works/wheel", "repos/works/wheel",
			"Works/wheel of task.yaml is missing"},
		"no snapshot": {"repos.yaml", "snapshot_commit: 999", "snapshot_commit: x99", "repos.notes.snapshot_commit"},
		"a layer of others": {"harness.yaml", "repo: wheel", "repo: well",
			`hidden_test_patches[1].repo: "well" names 0 targets`},
		"changes": {"harness.yaml", "semantic_changes: \n", "semantic_changes:\n    x: 1\n  x:\n",
			"semantic_changes: neither text"},
		"no YAML":   {"harness.yaml", "task_id:", "[", "harness.yaml: "},
		"a profile": {"environment/test_profiles.yaml", "wheel-hidden:", "well-hidden:", `the profile "wheel-hidden"`},
		"a schema":  {"oracles/scoring_manifest.json", "manifest.v2", "manifest.v3", "schema_version"},
		"a count": {"oracles/scoring_manifest.json", `"pass_to_pass": 1`, `"pass_to_pass": 2`,
			"repos[0].pass_to_pass: 2, and test_ids has 1"},
		"an oracle of others": {"oracles/hidden_test_oracle.json", "::TestOld", "::TestElse",
			"mill.example/stone::TestOld of stone-hidden is not pass_to_pass there"},
		"a list": {"oracles/scoring_manifest.json", "stone::TestNew", "stone::TestOld",
			"TestOld is in fail_to_pass, too"},
		"an empty prompt": {"prompt.md", "Make the parts agree.\n\nBoth read the new form.", " ", "prompt.md: is empty"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(small)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, stone, tc.file)
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), tc.old) {
			t.Fatalf("%s: %v: nothing to change", name, err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), tc.old, tc.new)), 0o644); err != nil {
			t.Fatal(err)
		}
		f := open(t, dir)
		var p *Problem
		if _, err := f.Case(f.Index[0]); !errors.As(err, &p) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tc.want)
		}
	}
}

func TestAnIndexThatIsWrong(t *testing.T) {
	line := "1\tc_a_0\tbugfix\te\t2\ta, b\n"
	for want, text := range map[string]string{
		"line 1: the columns are not":      "case\n",
		"line 2: 1 columns":                indexColumns + "\nx\n",
		"line 2: category":                 indexColumns + "\n" + strings.Replace(line, "bugfix", "docs", 1),
		"line 2: repo_count: 3":            indexColumns + "\n" + strings.Replace(line, "2", "3", 1),
		"line 3: case_id: c_a_0 is there":  indexColumns + "\n" + line + line,
		`case_id or ecosystem: "../x"`:     indexColumns + "\n" + strings.Replace(line, "c_a_0", "../x", 1),
		"release_order: \"x\" is no numbe": indexColumns + "\n" + "x" + line[1:],
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, indexName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "release120.tsv: is missing") {
		t.Error(err)
	}
}

func TestOurID(t *testing.T) {
	files := []string{"tests/test_turn.py", "tests/__init__.py"}
	for _, tc := range []struct {
		runner           Runner
		theirs, ours, no string
	}{
		{Go, "m/p::TestA/sub_b", "m/p::TestA/sub_b", ""},
		{Go, "m/p::<package-build>", "", "does not load"},
		{Pytest, "tests.test_turn.TestTurn::test_fast[2]", "tests/test_turn.py::TestTurn::test_fast[2]", ""},
		{Pytest, "tests.test_turn::test_slow", "tests/test_turn.py::test_slow", ""},
		{Pytest, "tests.test_other.TestX::t", "tests.test_other.TestX::t", ""},
		{Jest, "/workspace/repos/search/client/test/a.test.js::sends it", "test/a.test.js::sends it", ""},
		{Jest, "/workspace/repos/search/client/test/a.test.js::sends it::#1", "test/a.test.js::sends it", ""},
		{Jest, "/workspace/repos/search/client/test/a.test.js::sends it::#3", "test/a.test.js::sends it #3", ""},
		{Jest, "profile::client-esm-hidden", "", "whole script"},
		{Jest, "/workspace/repos/o/n/a.test.js::<collection>", "", "does not load"},
		{PHPUnit, "/workspace/repos/o/n/tests/FooTest.php::Own.Tests.FooTest::testX",
			`tests/FooTest.php::Own\Tests\FooTest::testX`, ""},
		{PHPUnit, "tests/F/StreamTest.php::it reads a::b::Tests.F.StreamTest::it reads a::b",
			`tests/F/StreamTest.php::Tests\F\StreamTest::it reads a::b`, ""},
		{Surefire, "own.four.MixTest::fails", "own.four.MixTest::fails", ""},
		{RSpec, "./spec/a_spec.rb::spec.a_spec::A does it", "spec/a_spec.rb::A does it", ""},
		{"redis", "unit/type::x", "", "no rule"},
	} {
		ours, why := OurID(tc.runner, tc.theirs, files)
		if ours != tc.ours || !strings.Contains(why, tc.no) || (why == "") != (tc.no == "") {
			t.Errorf("%s %s: got %q (%s)", tc.runner, tc.theirs, ours, why)
		}
	}
}

// TestAliases: the authors name a list once and use it twice; an alias within what an
// alias stands for would unfold.
func TestAliases(t *testing.T) {
	for text, ok := range map[string]bool{
		"a: &x\n- 1\nb: *x\nc: &y [2]\nd: *y\n":           true,
		"- a: &x\n  - 1\n  b: *x\n- a: &x [1]\n  b: *x\n": true,
		"a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]\n":        false,
		"a: &a\n- 1\nb: &b\n- *a\n- *a\nc: *b\n":          false,
		"- &a [1]\n- - &b\n    x: *a\n- *b\n":             false,
		"&a\nx: 1\ny: *a\n":                               false,
		"a: &a {x: 1}\nb:\n  <<: *a\n":                    false,
		strings.Repeat("[", 200):                          false,
	} {
		var v any
		if err := decodeYAML([]byte(text), &v); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzDecodeYAML: no text unfolds into much more than it is, and none makes us panic.
func FuzzDecodeYAML(f *testing.F) {
	f.Add("a: &x [1, 2]\nb: *x\n")
	f.Add("a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]\n")
	f.Add("a: &a\n- 1\nb: &b\n- *a\n- *a\n")
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if len(text) < 10_000 && decodeYAML([]byte(text), &v) == nil {
			if n := size(v); n > 4*(len(text)+1)*(maxAliases+1) {
				t.Errorf("%d bytes became %d", len(text), n)
			}
		}
	})
}

// size counts the scalars of a value.
func size(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			n += 1 + size(x)
		}
	case []any:
		for _, x := range v {
			n += 1 + size(x)
		}
	}
	return n + 1
}
