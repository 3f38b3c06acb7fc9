package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// TestPytestRunsInAnotherOrder runs the real pytest: tests note when they ran, and
// what their class sets up is set up once.
func TestPytestRunsInAnotherOrder(t *testing.T) {
	testscope.Programs(t, "python3")
	if err := exec.CommandContext(t.Context(), "python3", "-c", "import pytest").Run(); err != nil {
		t.Skip("no pytest")
	}
	const notes = `import os
def note(name):
    assert "order" not in os.environ.get("PYTHONPATH", "")
    with open(os.environ["NOTES"], "a") as f: f.write(name + " ")
`
	const tests = `import unittest, pytest
from notes import note
def test_a(): note("a")
def test_b(): note("b")
def test_c(): note("c")
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_p(n): note("p%d" % n)
class TestK(unittest.TestCase):
    @classmethod
    def setUpClass(cls): note("up")
    def test_d(self): note("d")
    def test_e(self): note("e")
    def test_f(self): note("f")
`
	w := kittest.Layout(t, map[string]kit.Map{"o/r": {"notes.py": notes, "test_x.py": tests,
		"test_y.py": "from notes import note\ndef test_z(): note('z')\n"}})
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "python"), []byte("#!/bin/sh\nexec python3 \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	order := func(seed int64) []string {
		t.Helper()
		j := kit.Job{Recipe: schema.Recipe{Toolchain: "python"}, Repository: "o/r", Tree: kit.Map{}, Shuffle: seed,
			Selection: kit.Selection{Files: []string{"test_x.py", "test_y.py"}}}
		p, err := Toolchain{}.Plan(j)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "notes")
		r, exit := w.Run(t, j, p, "NOTES="+file, "PATH="+bin+":"+os.Getenv("PATH"))
		if exit != 0 || len(r.Results) != 11 {
			t.Fatalf("exit %d, %d results: %+v", exit, len(r.Results), r)
		}
		said, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(said))
	}
	plain, other, same := order(0), order(7), order(7)
	if want := strings.Fields("a b c p1 p2 p3 p4 up d e f z"); !slices.Equal(plain, want) {
		t.Errorf("plain order %q", plain)
	}
	if slices.Equal(plain, other) || !slices.Equal(other, same) {
		t.Errorf("plain %q, shuffled %q and %q", plain, other, same)
	}
	if other[0] != "z" {
		t.Errorf("the files keep their order: %q", other)
	}
	i := slices.Index(other, "up")
	if class := slices.Sorted(slices.Values(other[i+1 : i+4])); !slices.Equal(class, []string{"d", "e", "f"}) ||
		len(other) != len(plain) {
		t.Errorf("the class is torn apart: %q", other)
	}
}
