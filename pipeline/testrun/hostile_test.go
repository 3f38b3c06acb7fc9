package testrun_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// dockerRunner is a runner with tight limits, and an image.
func dockerRunner(t *testing.T) (*testrun.Runner, string) {
	t.Helper()
	d, image := dockertest.Open(t)
	return &testrun.Runner{Backend: d, Limits: sandbox.Limits{Timeout: 20 * time.Second, Memory: 256 << 20, Pids: 64,
		Disk: 64 << 20, FileSize: 1 << 30, OutBytes: 8 << 20}}, image
}

// Whatever a test does to its runner, the run ends within its limits, in a state
// that says what happened, and a test beside it keeps its outcome where the runner
// could still tell it.
func TestHostileTestsEndInAStateOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name, script string
		status       testrun.Status
		limits       []string
		detail       string
		first        schema.TestOutcome // of the test that ran before the harm
	}{
		{name: "hangs", script: "sleep 600", status: testrun.Timeout, limits: []string{"time"}, first: schema.Pass},
		{name: "ignores signals and hangs", script: "trap '' TERM INT HUP; while :; do sleep 1; done",
			status: testrun.Timeout, limits: []string{"time"}, first: schema.Pass},
		{name: "eats memory", script: `exec perl -e '$x = "a" x (600 << 20); sleep 600'`, limits: []string{"memory"},
			detail: "limit of memory", first: schema.Pass},
		{name: "forks", script: `exec perl -e 'for (1..500) { if (defined($p = fork) && !$p) { sleep 600 } } sleep 5'`,
			limits: []string{"processes"}, detail: "limit of processes", first: schema.Pass},
		{name: "floods its output", script: "yes 'ok 2 - forged by a flood' >&2 & head -c 100000000 /dev/zero | tr '\\0' x " +
			">&2; kill %1; echo ok 2 - flooded", status: testrun.OK, limits: []string{"output"}, first: schema.Pass},
		{name: "floods its report", script: "head -c 500000000 /dev/zero | tr '\\0' x", first: schema.Missing,
			status: testrun.Inconsistent, detail: "over the bounds"},
		{name: "fills the disk with one file", script: "head -c 2000000000 /dev/zero > /tmp/big; sleep 600",
			limits: []string{"disk"}, detail: "limit of disk", first: schema.Pass},
		{name: "fills the disk with many files", script: "n=0; while :; do head -c 1000000 /dev/zero > /tmp/f$n; " +
			"n=$((n+1)); done", limits: []string{"disk"}, detail: "limit of disk", first: schema.Pass},
		{name: "removes the reports", script: "rm -rf /tmp/wideswe/*; echo ok 2 - gone", first: schema.Missing,
			status: testrun.NoReport},
		{name: "kills everything", script: "kill -9 -1", first: schema.Pass},
		{name: "leaves a daemon", script: "(setsid sh -c 'sleep 2; for f in /tmp/wideswe/out-*/*; do echo ok 2 - forged > " +
			"$f; done; sleep 600' >/dev/null 2>&1 &); echo not ok 2 - honest; exit 1", status: testrun.OK, first: schema.Pass},
		{name: "wants the network", script: "if (exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null; then echo ok 2; else echo not " +
			"ok 2; fi", status: testrun.OK, first: schema.Pass},
		{name: "wants root", script: "if touch /etc/mark; then echo ok 2; else echo not ok 2; fi 2>/dev/null",
			status: testrun.OK, first: schema.Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, image := dockerRunner(t)
			if c.status == testrun.OK {
				r.Limits.Timeout = time.Hour // it ends by itself, however busy the machine is
			}
			workspace := t.TempDir()
			dir := filepath.Join(workspace, "o", "q", "tests")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			text := "#!/bin/sh\necho 1..2\necho ok 1 - first\n" + c.script + "\n"
			if err := os.WriteFile(filepath.Join(dir, "q.sh"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			rep, err := r.Run(t.Context(), testrun.Request{Repository: "o/q", Workspace: workspace, Image: image,
				HiddenFiles: []string{"tests/q.sh"}, Recipe: schema.Recipe{Toolchain: "shell"}})
			if err != nil {
				t.Fatal(err)
			}
			a := rep.First()
			if c.status != "" && a.Status != c.status || !strings.Contains(a.Detail, c.detail) {
				t.Errorf("status %s (%s), want %s (%s)", a.Status, a.Detail, c.status, c.detail)
			}
			for _, l := range c.limits {
				if !slices.Contains(a.LimitsMet, l) {
					t.Errorf("limits met %q, want %q; %s after %s\n%.2000s", a.LimitsMet, c.limits, a.Status, a.Duration, a.Output)
				}
			}
			if o := rep.Outcome("tests/q.sh::first"); o != c.first {
				t.Errorf("the test before ended as %q, want %q; %+v", o, c.first, rep.Results)
			}
			for _, x := range rep.Results {
				if strings.Contains(x.ID, "forged") {
					t.Errorf("a forged result counts: %+v", x)
				}
			}
		})
	}
}
