package testreport

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden reads a folder of reports that real runners left and holds it against its
// golden file.
func golden(t *testing.T, format, dir string) Report {
	t.Helper()
	r, err := Parse(format, corpusFiles(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "want.txt")
	got := saying(r) + "crashed " + strings.Join(r.Crashed, ", ") + "\n"
	if os.Getenv("UPDATE_CORPUS") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want +got\n%s", dir, diff)
	}
	return r
}

// corpus is golden for a run in which tests failed, which has to be consistent.
func corpus(t *testing.T, format, dir string) Report {
	t.Helper()
	r := golden(t, format, dir)
	if ok, why := Consistent(r, 1); !ok {
		t.Errorf("%s: %s", dir, why)
	}
	if ok, _ := Consistent(r, 0); ok && !strings.Contains(dir, "test-unit-exit") && !strings.HasSuffix(dir, "-hang") {
		t.Errorf("%s: an end without an error is believed", dir)
	}
	return r
}

// corpora reads every folder of a pattern. A run that forges is believed in nothing,
// however it ends.
func corpora(t *testing.T, format, pattern string, least int) {
	t.Helper()
	dirs, err := filepath.Glob("testdata/corpus/" + pattern)
	if err != nil || len(dirs) < least {
		t.Fatalf("%d runs, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if !strings.HasSuffix(dir, "-forged") {
				corpus(t, format, dir)
				return
			}
			r := golden(t, format, dir)
			for _, exit := range []int{0, 1, 101} {
				if ok, _ := Consistent(r, exit); ok {
					t.Errorf("an end with %d is believed", exit)
				}
			}
		})
	}
}

// corpusFiles reads the files of one run, kept in a folder.
func corpusFiles(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "want.txt" {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(rel)], err = os.ReadFile(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// saying writes a report out, for a golden file.
func saying(r Report) string {
	var b strings.Builder
	for _, x := range r.Results {
		fmt.Fprintf(&b, "%s %s\n", x.Outcome, x.ID)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "! %s %s\n", p.Kind, p.Unit)
	}
	return b.String()
}
