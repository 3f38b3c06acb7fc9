package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/wideswe/wideswe/stages/evaluate/evaluatetest"
)

// inspect writes the trees of an archive and inspects the files that the prediction
// changes: base/ is the tree, gold/, hidden/ and tree/ hold what gold, the hidden tests
// and the prediction make anew, and "deleted" what the prediction deletes.
func inspect(t *testing.T, text string) (Repository, []Decision) {
	t.Helper()
	sides := map[string]map[string]string{"base": {}, "gold": {}, "hidden": {}, "tree": {}}
	var deleted []string
	for _, f := range txtar.Parse([]byte(text)).Files {
		side, name, _ := strings.Cut(f.Name, "/")
		if f.Name == "deleted" {
			deleted = strings.Fields(string(f.Data))
			continue
		}
		sides[side][name] = string(f.Data)
	}
	files := slices.Clone(deleted)
	for name := range sides["tree"] {
		files = append(files, name)
	}
	slices.Sort(files)
	r := Repository{Base: evaluatetest.WriteTree(t, sides["base"]),
		Gold:    evaluatetest.WriteTree(t, merged(sides["base"], sides["gold"], sides["hidden"])),
		Changed: evaluatetest.WriteTree(t, merged(sides["base"], sides["tree"]))}
	for name := range sides["hidden"] {
		r.Hidden = append(r.Hidden, name)
	}
	for _, name := range deleted {
		if err := os.Remove(filepath.Join(r.Changed, name)); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(r.Hidden)
	return r, Inspect(r, files)
}

func merged(maps ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range maps {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// TestDecisions: what a file is decides what becomes of it. A line says the decision and
// the file; what goes back to gold's version is marked so.
func TestDecisions(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, file := range archives {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			_, want, _ := strings.Cut(string(a.Comment), "\n\n")
			a.Comment = nil
			r, list := inspect(t, string(txtar.Format(a)))
			var got []string
			for _, d := range list {
				line := d.Decision + ": " + d.Path
				if d.Decision != Kept && d.from == r.Gold {
					line += " (gold)"
				}
				got = append(got, line)
			}
			wanted := strings.Split(strings.TrimSpace(want), "\n")
			slices.Sort(wanted)
			slices.Sort(got)
			if d := cmp.Diff(wanted, got); d != "" {
				t.Errorf("%s\n%+v", d, list)
			}
		})
	}
}

// TestWhatLiesWhereItMustNot: files that are told by where they lie or what they are.
func TestWhatLiesWhereItMustNot(t *testing.T) {
	r := Repository{Base: t.TempDir(), Gold: "nowhere", Changed: t.TempDir(), CommandFolders: []string{"cmd/tool/"}}
	write := func(name string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(r.Changed, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(r.Changed, name)); err != nil {
			t.Fatal(err)
		}
	}
	write("cmd/tool/go", 0o755)
	write("cmd/tool/main.go", 0o644)
	write("cmd/other/run", 0o755)
	write("lib/real.py", 0o644)
	write("tests/real.py", 0o644)
	link("lib/real.py", "same.py")
	link("lib", "node_modules")
	link("tests/real.py", "support.py")
	link("/etc/passwd", "outside.py")
	var got []string
	for _, d := range Inspect(r, []string{"cmd/other/run", "cmd/tool/go", "cmd/tool/main.go", "lib/real.py",
		"node_modules", "outside.py", "same.py", "support.py"}) {
		if d.Decision != Kept {
			got = append(got, d.Path)
		}
	}
	if d := cmp.Diff([]string{"cmd/tool/go", "node_modules", "outside.py", "support.py"}, got); d != "" {
		t.Error(d)
	}
}

// TestRestore puts files back to where each comes from.
func TestRestore(t *testing.T) {
	r, list := inspect(t, `
-- base/conftest.py --
base
-- base/tests/base.py --
base
-- gold/tests/base.py --
gold
-- tree/tests/base.py --
mine
-- tree/tests/new.py --
mine
-- tree/calc.py --
mine
-- tree/conftest.py --
mine
`)
	p := Plan{}
	p.Add("o/r", list)
	if err := p.Restore("o/r", r.Changed); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"conftest.py": "base\n", "tests/base.py": "gold\n", "calc.py": "mine\n"} {
		if got := readFile(r.Changed, name); string(got) != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if readFile(r.Changed, "tests/new.py") != nil {
		t.Error("tests/new.py is still there")
	}
	if p.Names() != "o/r/conftest.py, o/r/tests/base.py, o/r/tests/new.py" || p.ConfigNames() != "o/r/conftest.py" {
		t.Error(p.Names(), "|", p.ConfigNames())
	}
}

// TestListedExamples: a page of documentation whose examples count goes back.
func TestListedExamples(t *testing.T) {
	r, _ := inspect(t, "-- base/docs/use.rst --\n1\n-- base/docs/more.rst --\n1\n-- tree/docs/use.rst --\n2\n-- "+
		"tree/docs/more.rst --\n2\n")
	r.Listed = []string{"docs/use.rst::use.rst"}
	var got []string
	for _, d := range Inspect(r, []string{"docs/more.rst", "docs/use.rst"}) {
		got = append(got, d.Decision)
	}
	if d := cmp.Diff([]string{Kept, PutBack}, got); d != "" {
		t.Error(d)
	}
}
