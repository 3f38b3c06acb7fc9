package validate_test

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/validate"
)

// trees gives the base tree of each repository.
type trees map[string]map[string]string

func (t trees) Snapshot(_ context.Context, repository, _ string, w io.Writer) error {
	files, ok := t[repository]
	if !ok {
		return fmt.Errorf("no repository %s", repository)
	}
	tw := tar.NewWriter(w)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			return err
		}
		if _, err := tw.Write([]byte(files[name])); err != nil {
			return err
		}
	}
	return tw.Close()
}

// added is a patch that adds one file.
func added(name, text string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	return fmt.Sprintf("diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n+%s\n",
		name, name, name, len(lines), strings.Join(lines, "+"))
}

// changed is a patch that replaces the only line of a file.
func changed(name, from, to string) string {
	return fmt.Sprintf("diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-%s\n+%s\n", name, name, name, name, from,
		to)
}

const (
	libBase = `package lib; func Add(a, b int) int { return a - b }`
	libGold = `package lib; func Add(a, b int) int { return a + b }`
	appBase = `package app; import "example.org/lib"; func Sum(a, b int) int { return lib.Add(a, b) }`
	appGold = `package app; import "example.org/lib"; func Sum(a, b int) int { return lib.Add(a, b) }; func Neg(a int) ` +
		`int { return -a }`
	libTest = "package lib\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 2) != 4 " +
		"{\n\t\tt.Fatal(Add(2, 2))\n\t}\n}\n\nfunc TestZero(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Fatal()\n\t}\n}\n"
	appTest = "package app\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 " +
		"{\n\t\tt.Fatal(Sum(1, 2))\n\t}\n}\n"
)

// change is one target of the test's task.
type change struct{ repository, file, gold, test, hidden string }

func fixture() (trees, []change) {
	return trees{
			"o/lib": {"go.mod": "module example.org/lib\n\ngo 1.21\n", "lib.go": libBase + "\n"},
			"o/app": {"go.mod": "module example.org/app\n\ngo 1.21\n\nrequire example.org/lib v0.0.0\n", "app.go": appBase +
				"\n"},
		}, []change{
			{"o/app", "app.go", changed("app.go", appBase, appGold), added("app_test.go", appTest), "app_test.go"},
			{"o/lib", "lib.go", changed("lib.go", libBase, libGold), added("lib_test.go", libTest), "lib_test.go"},
		}
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// baseTime is the date of the base commits of the test's tasks.
var baseTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func open(t *testing.T, changes []change) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	now := baseTime
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Append(ctx, "task_list", [][]any{{"t1", "c1", "o", "bugfix", "", "", "", "draft", []string{"Go"},
			"other", now}}); err != nil {
			return err
		}
		for i, c := range changes {
			if err := tx.Append(ctx, "task_targets", [][]any{{"t1", int64(i), c.repository, []int32{1}, "base", "gold", "", "",
				"", "", false, now, "", []string{c.hidden}, []string{c.file}}}); err != nil {
				return err
			}
			for kind, patch := range map[string]string{"gold": c.gold, "tests": c.test} {
				if err := tx.Append(ctx, "task_patches", [][]any{{"t1", c.repository, kind, 1, "01", []byte(patch),
					digest(patch)}}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func stage(t *testing.T, db *store.DB, tr trees) validate.Stage {
	t.Helper()
	testscope.Programs(t, "go")
	p := process.Open(registry.HostCaches(t.Context()))
	p.TempDir = t.TempDir()
	return validate.Stage{DB: db, Trees: tr, Options: validate.Options{Repeats: 2}, Logs: t.TempDir(),
		TempDir: t.TempDir(),
		Runner:  &testrun.Runner{Backend: p, Limits: sandbox.Limits{Timeout: 2 * time.Minute}}}
}

func query(t *testing.T, db *store.DB, q string) (out []string) {
	t.Helper()
	rows, err := db.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	out, err = pipeline.Scan[string](rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const transitions = `SELECT concat_ws(' ', repository, test_id, base, gold, class, missing_on_base) FROM ` +
	`test_transitions ORDER BY ALL`

func TestValidateProvesATaskWhoseTargetsNeedEachOther(t *testing.T) {
	tr, changes := fixture()
	db := open(t, changes)
	s := stage(t, db, tr)
	run := &pipeline.Run{Ledger: db}
	if err := pipeline.Execute(t.Context(), s, run); err != nil {
		t.Fatal(err)
	}
	outcome := `SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'`
	if d := cmp.Diff([]string{"done "}, query(t, db, outcome)); d != "" {
		t.Fatal(d)
	}
	want := []string{
		// app's own code is right on base already: it takes lib's change, wired in, to pass.
		"o/app example.org/app::TestSum fail pass F2P false",
		"o/lib example.org/lib::TestAdd fail pass F2P false",
		"o/lib example.org/lib::TestZero pass pass P2P false",
	}
	if d := cmp.Diff(want, query(t, db, transitions)); d != "" {
		t.Error(d)
	}
	checks(t, db)
	runs := query(t, db, `SELECT concat_ws(' ', run_id, status) FROM test_runs ORDER BY ALL`)
	if len(runs) != 8 || runs[0] != "t1/o/app/base-1-1 ok" {
		t.Errorf("runs: %q", runs)
	}
	for _, name := range query(t, db, "SELECT log FROM test_runs") {
		if b, err := os.ReadFile(filepath.Join(s.Logs, name)); err != nil || !strings.HasPrefix(string(b), "status ok") {
			t.Errorf("log %s: %v %.60q", name, err, b)
		}
	}
	if left, _ := os.ReadDir(s.TempDir); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
	// A second run does nothing; a person's recipe makes the task run again.
	if err := pipeline.Execute(t.Context(), s, run); err != nil || run.Counts.Unchanged != 1 || run.Counts.Done != 0 {
		t.Errorf("second run: %+v %v", run.Counts, err)
	}
	s.Recipe = func(repository string, base time.Time) ([]schema.RecipePart, error) {
		if !base.Equal(baseTime) {
			t.Errorf("the recipe is asked for %v, not %v", base, baseTime)
		}
		return []schema.RecipePart{{Recipe: schema.Recipe{Build: []string{"true"}}},
			{Add: schema.RecipeLists{Build: []string{"exit 3"}}}}, nil
	}
	if err := pipeline.Execute(t.Context(), s, run); err != nil {
		t.Fatal(err)
	}
	if got := query(t, db, outcome); len(got) != 1 || !strings.HasPrefix(got[0],
		"skipped no test report on gold in o/app: build_failed: build ended with 3") {
		t.Errorf("%q", got)
	}
	if n := query(t, db, "SELECT run_id FROM test_runs"); len(n) != 1 {
		t.Errorf("old rows stay: %q", n)
	}
}

const pointer = "version https://git-lfs.github.com/spec/v1\noid " +
	"sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

// A pointer that no test reads keeps no task out.
func TestValidateGoesOnBesideAPointer(t *testing.T) {
	tr, changes := fixture()
	tr["o/app"]["docs/big.png"] = pointer
	db := open(t, changes)
	s := stage(t, db, tr)
	s.Repeats = 1
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"done "}, query(t, db,
		`SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'`)); d != "" {
		t.Error(d)
	}
}

func TestValidateSkipsWithTheFact(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(trees, []change)
		want   string
	}{
		{"no F2P", func(_ trees, cs []change) {
			cs[0].test = added("app_test.go", "package app\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif "+
				"Sum(0, 0) != 0 {\n\t\tt.Fatal()\n\t}\n}\n")
		}, "skipped no F2P in o/app"},
		{"gold that fails most", func(_ trees, cs []change) {
			cs[1].gold = changed("lib.go", libBase, libBase+" // nothing")
		}, "skipped gold_unhealthy in o/app: 1 of 1 tests fail, first example.org/app::TestSum: app_test.go:7: -1 " +
			"(accept_gold "},
		{"gold that crashes", func(_ trees, cs []change) {
			cs[1].test = added("lib_test.go", libTest+"\nfunc TestLast(t *testing.T) {\n\tvar m map[int]int\n\tm[1] = 1\n}\n")
		}, "skipped gold_unhealthy in o/lib: it crashed in example.org/lib: panic: assignment to entry in nil map"},
		{"no toolchain", func(tr trees, _ []change) {
			tr["o/app"] = map[string]string{"app.go": appBase + "\n", "README": "x"}
			delete(tr["o/app"], "go.mod")
		}, "skipped no toolchain recognised in o/app"},
		{"a pointer that may matter", func(tr trees, cs []change) {
			tr["o/app"]["data/big.bin"] = pointer
			cs[0].gold = changed("app.go", appBase, appBase+" // nothing")
			cs[1].gold = changed("lib.go", libBase, libBase+" // nothing")
		}, "skipped gold_unhealthy in o/app: 1 of 1 tests fail, first example.org/app::TestSum: app_test.go:7: -1 " +
			"(accept_gold in its recipe takes it all the same) (data/big.bin is a Git LFS pointer"},
		{"a hidden test's file that is a pointer", func(_ trees, cs []change) {
			cs[1].test = added("lib_test.go", libTest) + added("testdata/big.bin", pointer)
			cs[1].hidden = "testdata/big.bin"
		}, "skipped testdata/big.bin of o/lib, which the change touches, is a Git LFS pointer"},
		{"gold patch for another tree", func(tr trees, _ []change) {
			tr["o/lib"]["lib.go"] = "package lib // other\n"
		}, "skipped o/lib: gold patch: "},
		{"tree that can't be had", func(tr trees, _ []change) { delete(tr, "o/lib") },
			"failed laying o/lib: no repository o/lib"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, changes := fixture()
			c.change(tr, changes)
			db := open(t, changes)
			err := pipeline.Execute(t.Context(), stage(t, db, tr), &pipeline.Run{Ledger: db})
			if strings.HasPrefix(c.want, "failed") != (err != nil) {
				t.Fatal(err)
			}
			got := query(t, db, `SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'`)
			if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
				t.Errorf("got %q, want %q…", got, c.want)
			}
		})
	}
}

// TestValidateTakesAnUnhealthyGoldThatAPersonAccepts: what does not pass there is in no list.
func TestValidateTakesAnUnhealthyGoldThatAPersonAccepts(t *testing.T) {
	tr, changes := fixture()
	changes[1].test = added("lib_test.go", libTest+"\nfunc TestLast(t *testing.T) {\n\tvar m map[int]int\n\tm[1] = 1\n}\n")
	db := open(t, changes)
	s := stage(t, db, tr)
	s.Repeats = 1
	s.Recipe = func(string, time.Time) ([]schema.RecipePart, error) {
		return []schema.RecipePart{{Recipe: schema.Recipe{AcceptGold: "TestLast is broken upstream"}}}, nil
	}
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"done "}, query(t, db,
		`SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'`)); d != "" {
		t.Error(d)
	}
	want := []string{"TestAdd F2P", "TestLast F2F", "TestZero P2P"}
	if d := cmp.Diff(want, query(t, db, `SELECT split_part(test_id, '::', 2) || ' ' || class FROM test_transitions `+
		`WHERE repository = 'o/lib' ORDER BY 1`)); d != "" {
		t.Error(d)
	}
}

// TestValidateTellsNewBehaviourFromWhatPassedBefore: base can't compile the hidden tests, of
// which it has some with its own files.
func TestValidateTellsNewBehaviourFromWhatPassedBefore(t *testing.T) {
	tr, changes := fixture()
	head := "package app\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif Sum(0, 0) != 0 " +
		"{\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestOld(t *testing.T) {\n\tif Sum(1, 2) == 3 {\n\t\tt.Fatal()\n\t}\n}\n"
	tr["o/app"]["app_test.go"] = head
	changes[0].test = "diff --git a/app_test.go b/app_test.go\n--- a/app_test.go\n+++ b/app_test.go\n@@ -11,7 +11,13 " +
		"@@\n \n func TestOld(t *testing.T) {\n-\tif Sum(1, 2) == 3 {\n+\tif Sum(1, 2) != 3 {\n \t\tt.Fatal()\n \t}\n " +
		"}\n+\n+func TestNeg(t *testing.T) {\n+\tif Neg(1) != -1 {\n+\t\tt.Fatal()\n+\t}\n+}\n"
	changes[0].test = strings.Replace(changes[0].test, "@@ -11,7 +11,13 @@", "@@ -10,6 +10,12 @@", 1)
	db := open(t, changes)
	s := stage(t, db, tr)
	s.Repeats = 1
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	want := []string{"TestAdd F2P false", "TestNeg F2P false", "TestOld F2P true", "TestZero F2P true",
		"TestZero P2P false"}
	if d := cmp.Diff(want, query(t, db, `SELECT split_part(test_id, '::', 2) || ' ' || class || ' ' || passed_before `+
		`FROM test_transitions ORDER BY 1`)); d != "" {
		t.Errorf("%s\n%q", d, query(t, db, `SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'`))
	}
	if d := cmp.Diff([]string{"o/app ok 2"}, query(t, db, `SELECT repository || ' ' || status || ' ' || tests FROM `+
		`own_test_runs`)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"o/app 3 2", "o/lib 1 0"},
		query(t, db, `SELECT repository || ' ' || f2p || ' ' || f2p_passed_before FROM targets ORDER BY 1`)); d != "" {
		t.Error(d)
	}
}

// full is a disk without room.
type full struct{}

func (full) Snapshot(_ context.Context, _, _ string, w io.Writer) error {
	return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
}

func TestValidateStopsOnAFullDisk(t *testing.T) {
	_, changes := fixture()
	db := open(t, changes)
	s := stage(t, db, nil)
	s.Trees = full{}
	err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db})
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !strings.Contains(need.Message, "free some space") {
		t.Errorf("got %v", err)
	}
	if n := query(t, db, "SELECT item FROM outcomes"); len(n) > 0 {
		t.Errorf("a full disk is no fact about a task: %q", n)
	}
}

// checks fails for every row that a check of the schema returns.
func checks(t *testing.T, db *store.DB) {
	t.Helper()
	for _, name := range []string{"test_outcomes_words", "validated_has_f2p"} {
		q, err := schema.Files.ReadFile("checks/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query(t.Context(), string(q))
		if err != nil {
			t.Fatal(err)
		}
		if rows.Next() {
			t.Errorf("check %s returns rows", name)
		}
		rows.Close()
	}
}
