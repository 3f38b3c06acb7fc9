package reporttest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testreport"
)

// folder is where the corpora of a package lie: a folder for each run, with what the
// runner left and want.txt, the golden file.
const (
	folder = "testdata/corpus"
	golden = "want.txt"
)

// Check checks what else must hold of a report.
type Check func(t *testing.T, r testreport.Report)

// Corpus reads the runs of a pattern and compares each with its golden file; there
// must be at least so many. UPDATE_CORPUS=1 writes the golden files. Tests failed in
// every run, so it is consistent with an end with 1, and not with 0. A run whose name
// ends with -forged is not believed, however it ends; the checks are for the others.
func Corpus(t *testing.T, f testreport.Format, pattern string, least int, more ...Check) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(dirs) < max(least, 1) {
		t.Fatalf("%d runs of %s, %v", len(dirs), pattern, err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			r := f.Parse(Files(t, dir))
			compare(t, dir, r)
			if strings.HasSuffix(dir, "-forged") {
				checkForged(t, f, r)
				return
			}
			checkEnds(t, f, dir, r)
			for _, check := range more {
				check(t, r)
			}
		})
	}
}

func compare(t *testing.T, dir string, r testreport.Report) {
	t.Helper()
	file := filepath.Join(dir, golden)
	got := Text(r) + "crashed " + strings.Join(r.Crashed, ", ") + "\n"
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
		t.Errorf("-want +got\n%s", diff)
	}
}

func checkEnds(t *testing.T, f testreport.Format, dir string, r testreport.Report) {
	t.Helper()
	if ok, why := f.Judge(r, 1); !ok {
		t.Error(why)
	}
	if ok, _ := f.Judge(r, 0); ok && !strings.HasSuffix(dir, "-hang") {
		t.Error("an end without an error is believed")
	}
}

func checkForged(t *testing.T, f testreport.Format, r testreport.Report) {
	t.Helper()
	for _, exit := range []int{0, 1, 101} {
		if ok, _ := f.Judge(r, exit); ok {
			t.Errorf("an end with %d is believed", exit)
		}
	}
}

// Files reads the files of one run, kept in a folder.
func Files(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == golden {
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

// Runs gives the files of every run of a pattern.
func Runs(t testing.TB, pattern string) (runs []map[string][]byte) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no run of %s, %v", pattern, err)
	}
	for _, dir := range dirs {
		runs = append(runs, Files(t, dir))
	}
	return runs
}

// Seed adds the files of corpora, such as "pytest-*/*.xml", to a fuzz target.
func Seed(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
}

// CleanIDs checks that no id holds what the runs of Node's corpora print to be told
// from tests, or what differs from run to run.
func CleanIDs(t *testing.T, r testreport.Report) {
	t.Helper()
	for _, x := range r.Results {
		for _, word := range []string{"ghost", "\x1b", "/srv/", "/tmp", "43211"} {
			if strings.Contains(x.ID, word) {
				t.Errorf("%s: %s", x.Outcome, x.ID)
			}
		}
	}
}
