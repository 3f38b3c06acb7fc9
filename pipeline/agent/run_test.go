package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/agenttest"
	"github.com/wideswe/wideswe/pipeline/agent/collect"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// treeAfter is what a repository is with a prediction's patch on.
func treeAfter(t *testing.T, repository string, p schema.Prediction) map[string]string {
	t.Helper()
	dir := writeTree(t, trees[repository])
	_, err := workspace.Apply(t.Context(), dir, []byte(p.Patches[repository]))
	must(t, err)
	return agenttest.TreeContents(t, dir)
}

func (r *Runner) record(t *testing.T, j runs.Job) runs.Record {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.Out, "runs", j.Dir(), "run.json"))
	must(t, err)
	var rec runs.Record
	must(t, json.Unmarshal(b, &rec))
	return rec
}

// everything that a run leaves lies in OUT; this is all its bytes.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var all bytes.Buffer
	must(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		fmt.Fprintf(&all, "== %s\n%s\n", p, b)
		return err
	}))
	return all.String()
}

// work does every kind of work that there is to collect.
const work = `
set -e
[ "$(cat)" = "Make it right." ]
[ "$(cat "$WIDESWE_PROMPT_FILE")" = "Make it right." ]
! grep -q t1 workspace.json
echo out; echo err >&2
cd o/lib
echo right > lib.txt
echo o > junk.o
mkdir -p vendor/new; echo v > vendor/new/v.txt
printf '\000\001' > bin.dat
printf 'caf\351\n' > latin.txt
if command -v git >/dev/null; then
	echo committed > committed.txt; git add committed.txt; git commit -q -m "of the agent"
	echo staged > staged.txt; git add staged.txt
else
	echo committed > committed.txt; echo staged > staged.txt
fi
if [ -d ../tool ]; then cd ../tool; chmod +x tool.sh; fi
`

func TestRunJointAndIndependent(t *testing.T) {
	backends(t, func(t *testing.T, r *Runner) {
		r.Agent = scriptAgent(t, work)
		_, got, err := r.run(t, schema.Joint, 1, "t1")
		must(t, err)
		p := got["t1 joint"]
		want := map[string]string{".gitignore": `false "*.o\nvendor/\n"`, "lib.txt": `false "right\n"`,
			"vendor/dep/dep.txt": `false "dep\n"`, "vendor/new/v.txt": `false "v\n"`,
			"bin.dat": `false "\x00\x01"`, "latin.txt": `false "caf\xe9\n"`, "committed.txt": `false "committed\n"`,
			"staged.txt": `false "staged\n"`}
		if d := cmp.Diff(want, treeAfter(t, "o/lib", p)); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(map[string]string{"tool.sh": `true "echo wrong\n"`}, treeAfter(t, "o/tool", p)); d != "" {
			t.Error(d)
		}
		rec := r.record(t, runs.Job{Task: "t1", Mode: schema.Joint, Target: "", Attempt: 1})
		var left []collect.LeftOut
		for _, x := range rec.Repositories {
			left = append(left, x.LeftOut...)
		}
		if d := cmp.Diff([]collect.LeftOut{{Path: "junk.o", Files: 1, Bytes: 2, Reason: "ignored by *.o"}},
			left); d != "" {
			t.Error(d)
		}
		if rec.Status != runs.Ended || rec.Exit != 0 || p.Run == nil || p.Run.Status != runs.Ended ||
			p.Model != "shell" || len(p.Patches) != 2 || rec.Seconds == 0 {
			t.Errorf("%+v %+v", rec, p.Run)
		}
		out, err := os.ReadFile(filepath.Join(r.Out, "runs/t1/joint-1/stdout.log"))
		errs, err2 := os.ReadFile(filepath.Join(r.Out, "runs/t1/joint-1/stderr.log"))
		must(t, err, err2)
		if string(out) != "out\n" || string(errs) != "err\n" {
			t.Errorf("stdout %q, stderr %q", out, errs)
		}
		_, got, err = r.run(t, schema.Independent, 1, "t1")
		if len(got) != 3 || err != nil {
			t.Fatalf("%d predictions, %v", len(got), err)
		}
		if p := got["t1 independent o/lib"]; len(p.Patches) != 1 || p.Target != "o/lib" ||
			!strings.Contains(p.Patches["o/lib"], "+right") {
			t.Errorf("%+v", p)
		}
		// The script fails where only o/tool is: that is the agent's, and a prediction.
		if p := got["t1 independent o/tool"]; len(p.Patches) != 0 || p.Run.Status != runs.Exit {
			t.Errorf("%+v", p)
		}
	})
}

func TestHowRunsEnd(t *testing.T) {
	testscope.NotShort(t, "it runs agents")
	backends(t, func(t *testing.T, r *Runner) {
		const change = "echo right > o/lib/lib.txt\n"
		for name, c := range map[string]struct {
			agent, status string
			docker        bool
		}{
			"by itself":   {agent: change, status: runs.Ended},
			"with a code": {agent: change + "  exit 7", status: runs.Exit},
			"by the time": {agent: change + "  (trap '' TERM; sleep 300) & sleep 300", status: runs.Timeout},
			"by memory": {agent: change + `  perl -e '$x = "a" x (300 << 20); sleep 1; exit 0'; exit $?`,
				status: runs.OOM, docker: true},
			"by the disk": {agent: change + "  while :; do head -c 5000000 /dev/zero >> o/fill; sleep 0.1; done",
				status: runs.DiskFull},
			"over the bounds": {agent: change +
				"  mkdir o/tool/x; for i in $(seq 60); do echo $i > o/tool/x/$i; done", status: runs.OverBounds},
		} {
			if c.docker && r.Backend.Name() != "docker" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				r := r.copy()
				r.Out = filepath.Join(t.TempDir(), "out")
				r.Bounds = collect.DefaultBounds
				r.Bounds.Changes = 50
				timeout := "60"
				if c.status == runs.Timeout {
					timeout = "3"
				}
				r.Agent = fileAgent(t,
					"name: a\ntimeout: "+timeout+"\ndisk: 60m\nmemory: 64m\ncommand: |\n  "+c.agent+"\n")
				if c.status != runs.DiskFull {
					r.Agent.Disk = 0
				}
				if c.status != runs.OOM {
					r.Agent.Memory = 0
				}
				_, got, err := r.run(t, schema.Joint, 1, "t1")
				must(t, err)
				p := got["t1 joint"]
				if p.Run == nil || p.Run.Status != c.status || !strings.Contains(p.Patches["o/lib"], "+right") ||
					p.Patches["o/tool"] != "" {
					rec := r.record(t, runs.Job{Task: "t1", Mode: schema.Joint, Target: "", Attempt: 1})
					t.Errorf("%+v\n%+v", p, rec)
				}
			})
		}
	})
}

func TestBuiltInAgents(t *testing.T) {
	rel := small(t)
	for _, c := range []struct {
		agent, mode string
		want        map[string][]string // job → repositories with a patch
	}{
		{agentfile.Gold, schema.Joint, map[string][]string{"t1 joint": {"o/lib", "o/tool"},
			"t2 joint": {"o/lib", "o/tool"}}},
		{agentfile.Gold, schema.Independent, map[string][]string{"t1 independent o/lib": {"o/lib"},
			"t1 independent o/tool": {"o/tool"}, "t2 independent o/lib": {"o/lib"}, "t2 independent o/tool": {"o/tool"}}},
		{agentfile.Empty, schema.Joint, map[string][]string{"t1 joint": nil, "t2 joint": nil}},
	} {
		f, err := agentfile.Named(c.agent)
		must(t, err)
		r := &Runner{Backend: &process.Sandbox{}, Release: rel, Agent: f, Out: t.TempDir(), Workers: 2}
		_, got, err := r.run(t, c.mode, 1, "t1", "t2")
		must(t, err)
		have := map[string][]string{}
		for j, p := range got {
			have[j] = slices.Sorted(func(yield func(string) bool) {
				for repository := range p.Patches {
					yield(repository)
				}
			})
			for repository := range p.Patches {
				if after := treeAfter(t, repository, p); !strings.Contains(fmt.Sprint(after), "right") {
					t.Errorf("%s: %v", j, after)
				}
			}
		}
		if d := cmp.Diff(c.want, have); d != "" {
			t.Errorf("%s %s: %s", c.agent, c.mode, d)
		}
	}
}

// stub is a sandbox whose runs are a function.
type stub struct {
	process.Sandbox
	run func(ctx context.Context, s sandbox.Spec) (sandbox.Result, error)
}

func (s *stub) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	if s.run != nil {
		return s.run(ctx, spec)
	}
	return s.Sandbox.Run(ctx, spec)
}

func TestFinishedRunsAreNotRepeated(t *testing.T) {
	rel, out := small(t), filepath.Join(t.TempDir(), "out")
	starts := 0
	b := &stub{}
	r := &Runner{Backend: b, Release: rel, Agent: scriptAgent(t, "echo right > o/lib/lib.txt\n"), Out: out, Trust: true}
	b.run = func(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
		if starts++; starts == 2 {
			return sandbox.Result{}, &sandbox.InfraError{Op: "starting", Err: errors.New("the engine is tired")}
		}
		return b.Sandbox.Run(ctx, s)
	}
	sum, got, err := r.run(t, schema.Joint, 1, "t1", "t2")
	if err != nil || sum != (Summary{Done: 1, Failed: 1}) || len(got) != 1 {
		t.Fatalf("%+v %d %v", sum, len(got), err)
	}
	sum, got, err = r.run(t, schema.Joint, 2, "t1", "t2")
	if err != nil || sum != (Summary{Done: 3, Passed: 1}) || len(got) != 4 || starts != 5 {
		t.Fatalf("%+v %d predictions after %d runs, %v", sum, len(got), starts, err)
	}
	want := everything(t, out)
	sum, _, err = r.run(t, schema.Joint, 2, "t1", "t2")
	if err != nil || sum != (Summary{Passed: 4}) || starts != 5 || everything(t, out) != want {
		t.Errorf("%+v after %d runs, %v", sum, starts, err)
	}
}

// The program may be killed between any two steps of keeping a run.
func TestKilledAnywhere(t *testing.T) {
	testscope.NotShort(t, "it kills processes")
	rel := small(t)
	for name, damage := range map[string]func(t *testing.T, out string){
		"while a run was under way": func(t *testing.T, out string) {
			must(t, os.RemoveAll(filepath.Join(out, "runs/t2")), cut(filepath.Join(out, runs.PredictionsFile), 1, 0),
				os.MkdirAll(filepath.Join(out, "runs", runs.UnfinishedPrefix+"123/trajectory"), 0o755))
		},
		"in the middle of a line": func(t *testing.T, out string) {
			must(t,
				cut(filepath.Join(out, runs.PredictionsFile), 1, 40))
		},
		"before the line": func(t *testing.T, out string) {
			must(t,
				cut(filepath.Join(out, runs.PredictionsFile), 1, 0))
		},
		"before the first line": func(t *testing.T, out string) {
			must(t,
				os.Remove(filepath.Join(out, runs.PredictionsFile)))
		},
		"before the folder of the agent knew": func(t *testing.T, out string) {
			must(t, os.Rename(filepath.Join(out, "agent.json"), filepath.Join(out, "agent.json.tmp")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			starts := 0
			b := &stub{}
			b.run = func(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
				starts++
				return b.Sandbox.Run(ctx, s)
			}
			r := &Runner{Backend: b, Release: rel, Agent: scriptAgent(t, "echo right > o/lib/lib.txt\n"),
				Out: filepath.Join(t.TempDir(), "out"), Trust: true}
			_, want, err := r.run(t, schema.Joint, 1, "t1", "t2")
			must(t, err)
			damage(t, r.Out)
			_, got, err := r.run(t, schema.Joint, 1, "t1", "t2")
			must(t, err)
			for _, list := range []map[string]schema.Prediction{want, got} {
				for _, p := range list {
					p.Run.Seconds = 0
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			again := 2
			if name == "while a run was under way" {
				again = 3
			}
			if left, _ := filepath.Glob(filepath.Join(r.Out, "runs", runs.UnfinishedPrefix+"*")); starts != again ||
				len(left) > 0 {
				t.Errorf("%d runs, left: %v", starts, left)
			}
		})
	}
}

// cut keeps the first lines of a file and some bytes of the next.
func cut(name string, lines, more int) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	at := 0
	for range lines {
		at += bytes.IndexByte(b[at:], '\n') + 1
	}
	return os.WriteFile(name, b[:at+more], 0o644)
}

func TestAnOutFolderIsOneAgentsOnOneRelease(t *testing.T) {
	rel := small(t)
	r := &Runner{Backend: &process.Sandbox{}, Release: rel, Agent: scriptAgent(t, "echo 1\n"),
		Out: filepath.Join(t.TempDir(), "out"), Trust: true}
	_, _, err := r.run(t, schema.Joint, 1, "t1")
	must(t, err)
	for name, change := range map[string]func(r *Runner){
		"another script":  func(r *Runner) { r.Agent = scriptAgent(t, "echo 2\n") },
		"another release": func(r *Runner) { other := *rel; other.SHA256 = "x"; r.Release = &other },
	} {
		other := r.copy()
		change(other)
		var usage *pipeline.UsageError
		if _, _, err := other.run(t, schema.Joint, 1, "t2"); !errors.As(err, &usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := runs.Open(r.Out, runs.About{Format: 1, Agent: r.Agent.Name, Digest: r.Agent.Digest(),
		Release: rel.SHA256, Sandbox: "process"})
	must(t, err)
	defer b.Close()
	if _, _, err := r.run(t, schema.Joint, 1, "t2"); err == nil || !strings.Contains(err.Error(), "another agent run") {
		t.Errorf("two at once: %v", err)
	}
}

func TestTroubleOfOursIsNoPrediction(t *testing.T) {
	rel := small(t)
	r := &Runner{Backend: &process.Sandbox{TempDir: t.TempDir()}, Release: rel,
		Out: filepath.Join(t.TempDir(), "out"), Agent: fileAgent(t, "name: a\ncommand: [no-such-tool, x]\n")}
	var usage *pipeline.UsageError
	if _, _, err := r.run(t, schema.Joint, 1, "t1"); !errors.As(err, &usage) ||
		!strings.Contains(err.Error(), "--trust") {
		t.Errorf("untrusted: %v", err)
	}
	r.Trust = true
	var need *pipeline.NeedError
	if _, got, err := r.run(t, schema.Joint, 1, "t1", "t2"); !errors.As(err, &need) || len(got) > 0 ||
		!strings.Contains(err.Error(), "no-such-tool") {
		t.Errorf("a command that is not there: %v %v", got, err)
	}
	r.Agent = fileAgent(t, "name: a\nenv: [WIDESWE_TEST_ABSENT]\ncommand: x\n")
	r.Getenv = os.LookupEnv
	if _, _, err := r.run(t, schema.Joint, 1, "t1"); !errors.As(err, &usage) ||
		!strings.Contains(err.Error(), "WIDESWE_TEST_ABSENT") {
		t.Errorf("a variable that is not set: %v", err)
	}
	for _, bad := range []string{"../x", "t9", "", "a/b"} {
		if _, err := runs.Jobs(rel, []string{bad}, schema.Joint, 1); err == nil {
			t.Errorf("the task %q is run", bad)
		}
	}
	if _, err := runs.Jobs(rel, []string{"t1"}, "both", 1); err == nil {
		t.Error("a mode that there is not is run")
	}
}

func TestInterruptKeepsNothingHalf(t *testing.T) {
	testscope.NotShort(t, "it runs agents")
	backends(t, func(t *testing.T, r *Runner) {
		r.Agent = scriptAgent(t, "echo right > o/lib/lib.txt; sleep 60\n")
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		jobs, err := runs.Jobs(r.Release, []string{"t1", "t2"}, schema.Joint, 1)
		must(t, err)
		if _, err := r.Run(ctx, jobs); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if left, _ := os.ReadDir(filepath.Join(r.Out, "runs")); len(left) > 0 || len(r.predictions(t)) > 0 {
			t.Errorf("%v", left)
		}
	})
}
