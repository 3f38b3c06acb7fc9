package evaluate

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// evaluatedBy makes this test's program the one that is to be killed: it names the
// release and OUT.
const evaluatedBy = "WIDESWE_TEST_EVALUATED"

// A process that is killed, with its database and its cache in any state, is gone on
// with: the verdicts are those of a process that nobody killed.
func TestKilledAnywhere(t *testing.T) {
	testscope.NotShort(t, "it kills processes")
	if names := os.Getenv(evaluatedBy); names != "" {
		dir, out, _ := strings.Cut(names, "\n")
		rel, err := release.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer rel.Close()
		evaluateIn(t, rel, out, func(line string) { fmt.Println("said " + line) })
		return
	}
	rel := makeRelease(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	undisturbed := t.TempDir()
	want := evaluateIn(t, rel, undisturbed, nil)
	if len(want) != 6 || !strings.HasPrefix(want["t1/m1"]["o/tool"], schema.StatusResolved) ||
		!strings.HasPrefix(want["t2/m2"]["o/tool"], schema.StatusUnresolved) {
		t.Fatalf("undisturbed: %v", want)
	}
	t.Run("killed", func(t *testing.T) {
		for lines, after := range []time.Duration{200 * time.Millisecond, 0, 3 * time.Millisecond,
			10 * time.Millisecond} {
			t.Run(fmt.Sprintf("after %d verdicts", lines), func(t *testing.T) {
				t.Parallel()
				out := t.TempDir()
				evaluateUntilKilled(t, rel.Dir, out, lines, after)
				if d := cmp.Diff(want, evaluateIn(t, rel, out, nil)); d != "" {
					t.Errorf("(-undisturbed +killed):\n%s", d)
				}
			})
		}
	})
	nothingLeftIn(t, temporary)
}

// nothingLeftIn: what killed processes left is gone when the next one begins. A script
// that outlived its process may write a little longer.
func nothingLeftIn(t *testing.T, dir string) {
	t.Helper()
	var left []string
	for range 50 {
		_, remove, err := pipeline.Scratch("", "test")
		if err != nil {
			t.Fatal(err)
		}
		remove()
		if left, err = filepath.Glob(filepath.Join(dir, "wideswe-*")); err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("left: %v", left)
}

// evaluateUntilKilled kills a process that long after it gave so many verdicts.
func evaluateUntilKilled(t *testing.T, rel, out string, lines int, after time.Duration) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledAnywhere$")
	child.Env = append(os.Environ(), evaluatedBy+"="+rel+"\n"+out)
	pipe, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(pipe)
	for range lines {
		if !said.Scan() || !strings.HasPrefix(said.Text(), "said ") {
			t.Fatalf("the process said %q", said.Text())
		}
	}
	time.Sleep(after)
	_ = child.Process.Kill()
	_ = child.Wait() // killed
	if child.ProcessState.Exited() {
		t.Fatalf("the process ended before it was killed: %v", child.ProcessState)
	}
}

// evaluateIn evaluates to the end, with a store in OUT, and gives the verdicts by
// task and model: state, targets and counts, and how often it is stored.
func evaluateIn(t *testing.T, rel *release.Release, out string, say func(string)) map[string]map[string]string {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(out, "evaluation.duckdb"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var list []schema.Prediction
	for _, task := range []string{"t1", "t2"} {
		for _, p := range []map[string]string{patches("o/tool", goldTool),
			patches("o/tool", diff("tool.sh", tool, "exit 1\n")), patches()} {
			// The target of the two that needs no compiler.
			list = append(list, schema.Prediction{Task: task, Mode: schema.Independent, Target: "o/tool", Patches: p})
		}
	}
	r := newRig(t, rel, list...)
	r.DB, r.db, r.Out, r.Say = db, db, out, say
	for i := range r.Predictions {
		r.Predictions[i].Model = fmt.Sprint("m", i%3+1)
	}
	if err := pipeline.Execute(t.Context(), r.Stage, &pipeline.Run{Ledger: db, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	return r.verdicts(t)
}

func (r rig) verdicts(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for _, run := range r.report(t).Runs {
		for task, x := range run.Tasks {
			v := map[string]string{"status": x.Status}
			for target, y := range x.Targets {
				v[target] = fmt.Sprint(y.Status, y.F2P, y.P2P, y.Failing)
			}
			all[task+"/"+run.Model] = v
		}
	}
	for _, row := range storetest.Strings(t, r.db,
		"SELECT task_id || '/' || model || ' ' || count(*) FROM evaluation_verdicts GROUP BY task_id, model") {
		id, n, _ := strings.Cut(row, " ")
		all[id]["stored"] = n
	}
	return all
}
