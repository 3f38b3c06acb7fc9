package validate_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/validate"
)

// stableTest is what a Go package's tests may lean on beside their own code.
const stableTest = `package lib

import (
	"runtime"
	"testing"
	"time"
)

var ran int

func step(t *testing.T, n int) {
	if ran != n {
		t.Fatalf("%d tests ran before, not %d", ran, n)
	}
	ran++
}

func TestA(t *testing.T) { step(t, 0) }
func TestB(t *testing.T) { step(t, 1) }
func TestC(t *testing.T) { step(t, 2) }
func TestD(t *testing.T) { step(t, 3) }
func TestE(t *testing.T) { step(t, 4) }

func TestAdd(t *testing.T) {
	if Add(2, 2) != 4 {
		t.Fatal(Add(2, 2))
	}
}

func TestCPUs(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Fatal("alone")
	}
}

func TestZone(t *testing.T) {
	if _, off := time.Unix(0, 0).Zone(); off != 0 {
		t.Fatal(off)
	}
}
`

const unstableTests = `SELECT concat_ws(' ', test_id, class, nullif(array_to_string(broke_under, ','), ''), 'not checked', array_to_string(not_checked, ','))
	FROM test_transitions JOIN test_stability USING (task_id, repository,
	test_id) WHERE repository = 'o/lib' ORDER BY test_id`

func TestStressFindsWhatGoTestsLeanOn(t *testing.T) {
	tr, changes := fixture()
	changes[1].test = added("lib_test.go", stableTest)
	db := open(t, changes)
	s := stage(t, db, tr)
	run := &pipeline.Run{Ledger: db}
	if err := pipeline.Execute(t.Context(), s, run); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"done "}, query(t, db,
		`SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'`)); d != "" {
		t.Fatal(d, query(t, db, "SELECT concat_ws(' ', repository, state, status, detail) FROM test_runs"),
			query(t, db, transitions))
	}
	if got := query(t, db, "SELECT count(*) FROM stress_runs"); got[0] != "0" {
		t.Error("stress that nobody asked for")
	}
	if d := cmp.Diff([]string{"true true"}, query(t, db, "SELECT runnable || ' ' || eligible FROM tasks")); d != "" {
		t.Error(d)
	}
	s.Stress = true
	if err := pipeline.Execute(t.Context(), s, run); err != nil || run.Counts.Done != 1 {
		t.Fatal(err, run.Counts)
	}
	got := query(t, db, unstableTests)
	const rest = " not checked clock"
	alone := []string{"example.org/lib::TestAdd F2P" + rest, "example.org/lib::TestZone unstable zone" + rest}
	for _, line := range alone {
		if !slices.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, strings.Join(got, "\n"))
		}
	}
	if !slices.ContainsFunc(got, func(l string) bool { return strings.HasSuffix(l, " unstable order"+rest) }) {
		t.Errorf("no test that leans on its order in\n%s", strings.Join(got, "\n"))
	}
	checks(t, db)
	// Who stressed a task once needs not say so again.
	s.Stress = false
	if err := pipeline.Execute(t.Context(), s, run); err != nil || run.Counts.Unchanged != 1 {
		t.Error(err, run.Counts)
	}
}

func TestStressLeavesNoF2P(t *testing.T) {
	tr, changes := fixture()
	changes[1].test = added("lib_test.go", strings.ReplaceAll(libTest, "if Add(2, 2) != 4",
		"if time.Local.String() != \"UTC\" && time.Local.String() != \"\" || Add(2, 2) != 4"))
	changes[1].test = strings.Replace(changes[1].test, `+import "testing"`, `+import ("testing"; "time")`, 1)
	db := open(t, changes)
	s := stage(t, db, tr)
	s.Stress, s.Repeats = true, 1
	run := &pipeline.Run{Ledger: db}
	if err := pipeline.Execute(t.Context(), s, run); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"skipped no F2P in o/lib that stays under stress"},
		query(t, db, `SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'`)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"true false"}, query(t, db, "SELECT runnable || ' ' || eligible FROM tasks")); d != "" {
		t.Error(d)
	}
	if err := pipeline.Execute(t.Context(), s, run); err != nil || run.Counts.Unchanged != 1 {
		t.Error(err, run.Counts)
	}
}

// TestStressTellsBrokenFromWavering counts runs outside of the sandbox.
func TestStressTellsBrokenFromWavering(t *testing.T) {
	counter := filepath.Join(t.TempDir(), "n")
	tr, _ := shellFixture()
	// Runs 0 to 3 are gold, base, gold, base; 4 is gold in another order, 5 the same again.
	const text = `#!/bin/sh
n=$(cat COUNTER 2>/dev/null || echo 0)
echo $((n+1)) > COUNTER
ok() { if [ "$2" "$3" "$4" ]; then echo "ok $1"; else echo "not ok $1"; fi; }
echo 1..4
ok "1 - word" "$(cat word)" = hello
ok "2 - wavers" "$n" -ne 4
ok "3 - unstable" "$n" -ne 2
ok "4 - zone" "$(date +%z)" = +0000
`
	changes := []change{{"o/lib", "word", changed("word", "bye", "hello"), added("tests/word.sh", strings.ReplaceAll(text,
		"COUNTER", counter)), "tests/word.sh"}}
	db := open(t, changes)
	s := stage(t, db, tr)
	s.Stress = true
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"tests/word.sh::unstable unstable   pass,fail",
		"tests/word.sh::wavers unstable  order pass",
		"tests/word.sh::word F2P   pass",
		"tests/word.sh::zone unstable zone  pass",
	}
	got := query(t, db, `SELECT concat_ws(' ', test_id, class, coalesce(array_to_string(broke_under, ','), ''), coalesce(array_to_string(wavered_under, ','), ''), gold)
		FROM test_transitions LEFT JOIN test_stability USING (task_id, repository, test_id) ORDER BY test_id`)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func setHidden(t *testing.T, db *store.DB, names ...string) error {
	return db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "UPDATE task_targets SET hidden_files = string_split(?, ' ')", strings.Join(names, " "))
	})
}

// The tests of a repository that lean on everything there is.
const leaningTest = `#!/bin/sh
ok() { if [ "$2" "$3" "$4" ]; then echo "ok $1"; else echo "not ok $1"; fi; }
echo 1..6
ok "1 - word" "$(cat word)" = hello
ok "2 - date" "$(date +%s)" -lt LIMIT
ok "3 - cpus" "$(nproc)" -ge 2
ok "4 - zone" "$(date +%z)" = +0000
ok "5 - network" "$(ls /sys/class/net | wc -l)" -ge 2
ok "6 - root" "$(id -u)" -eq 0
: > left
`

const orderTest = "#!/bin/sh\necho 1..1\nif [ -e left ]; then echo 'ok 1 - after'; else echo 'not ok 1 - after'; fi\n"

func TestStressInDocker(t *testing.T) {
	d, image := dockertest.Open(t)
	tr, _ := shellFixture()
	begun := time.Now()
	test := strings.Replace(leaningTest, "LIMIT", fmt.Sprint(begun.AddDate(0, 0, 300).Unix()), 1)
	db := open(t, []change{{"o/lib", "word", changed("word", "bye", "hello"), added("tests/a.sh", test) +
		added("tests/b.sh", orderTest), "tests/a.sh"}})
	if err := setHidden(t, db, "tests/a.sh", "tests/b.sh"); err != nil {
		t.Fatal(err)
	}
	s := validate.Stage{DB: db, Trees: tr, Options: validate.Options{Repeats: 2, Stress: true}, Logs: t.TempDir(),
		TempDir: t.TempDir(),
		Runner: &testrun.Runner{Backend: d, Images: map[string]string{"base": image},
			Limits: sandbox.Limits{Timeout: 2 * time.Minute, CPUs: 2}},
		Recipe: func(string, time.Time) ([]schema.RecipePart, error) {
			return []schema.RecipePart{{Recipe: schema.Recipe{Image: "base", Packages: []string{}}}}, nil
		}}
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	images := query(t, db, "SELECT image_id FROM task_images")
	t.Cleanup(func() {
		made, err := d.Images(context.Background())
		if err != nil {
			t.Error(err)
		}
		for _, i := range made {
			if i.Stage == "stress" && i.Task == "t1" && i.Repository == "o/lib" {
				_ = d.RemoveImage(context.Background(), i.ID)
			}
		}
		for _, id := range images {
			_ = d.RemoveImage(context.Background(), id)
		}
		_ = d.Close()
	})
	clock := query(t, db, "SELECT status || ' ' || detail FROM stress_runs WHERE variant = 'clock' AND try = 1")
	if len(clock) != 1 {
		t.Fatalf("runs under a shifted clock: %q", clock)
	}
	shifted := clock[0] == "ok "
	if !shifted && !strings.HasPrefix(clock[0], "not_checked libfaketime can't be installed") {
		t.Errorf("the clock: %q", clock)
	}
	date := "tests/a.sh::date P2P"
	if shifted {
		date += " clock"
		until := query(t, db, "SELECT valid_until FROM tasks")
		if want := begun.UTC().AddDate(0, 0, 400).Format("2006-01-02"); len(until) != 1 || !strings.HasPrefix(until[0],
			want) {
			t.Errorf("valid until %q, want %s", until, want)
		}
	} else {
		t.Log("the clock was not checked: " + clock[0])
	}
	want := []string{
		"tests/a.sh::cpus unstable one_cpu", date, "tests/a.sh::network F2F needs network", "tests/a.sh::root F2F needs root",
		"tests/a.sh::word F2P", "tests/a.sh::zone unstable zone", "tests/b.sh::after unstable order",
	}
	got := query(t, db, `SELECT concat_ws(' ', test_id, class, nullif(array_to_string(broke_under, ','), ''),
			CASE WHEN needs_network THEN 'needs network' END, CASE WHEN needs_root THEN 'needs root' END)
		FROM test_transitions LEFT JOIN test_stability USING (task_id, repository, test_id) ORDER BY test_id`)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s\n%s", d, strings.Join(query(t, db,
			"SELECT concat_ws(' ', test_id, variant, outcome, detail) FROM stress_outcomes ORDER BY ALL"), "\n"))
	}
	if open := query(t, db, "SELECT detail FROM stress_runs WHERE status = 'not_checked' AND variant <> 'clock'"); len(
		open) > 0 {
		t.Errorf("not checked: %q", open)
	}
}
