package agent

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	engine "github.com/docker/docker/client"
	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// runsBy makes this test's program the one that is to be killed: it names the sandbox,
// an image, the release and OUT.
const runsBy = "WIDESWE_TEST_AGENT_RUNS"

// A process that is killed at any moment is gone on with: the predictions are those of
// one that nobody killed, and nothing of it is left, on the engine or on the disk.
func TestKilledProcessIsGoneOnWith(t *testing.T) {
	testscope.NotShort(t, "it runs agents")
	if names := os.Getenv(runsBy); names != "" {
		runUntilKilled(t, strings.Split(names, "\n"))
		return
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	backends(t, func(t *testing.T, r *Runner) {
		slow(t, r)
		r.Workers = 2
		_, want, err := r.run(t, schema.Joint, 2, "t1", "t2")
		must(t, err)
		for lines, after := range []time.Duration{500 * time.Millisecond, 0, 700 * time.Millisecond} {
			t.Run(fmt.Sprintf("after %d runs", lines), func(t *testing.T) {
				t.Parallel()
				again := r.copy()
				again.Out = filepath.Join(t.TempDir(), "out")
				names := []string{r.Backend.Name(), "", r.Release.Dir, again.Out}
				if r.TargetImage != nil {
					img, _ := r.TargetImage(t.Context(), nil, nil)
					names[1] = img.ID
				}
				pid := killAfter(t, names, lines, after)
				if d, ok := r.Backend.(*docker.Sandbox); ok {
					sweptIn(t, d, pid, time.Minute)
				}
				sum, got, err := again.run(t, schema.Joint, 2, "t1", "t2")
				must(t, err)
				if sum.Passed < lines || sum.Done+sum.Passed != 4 {
					t.Errorf("%+v", sum)
				}
				for _, list := range []map[string]schema.Prediction{want, got} {
					for _, p := range list {
						p.Run.Seconds = 0
					}
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("(-undisturbed +killed):\n%s", d)
				}
				if left, _ := filepath.Glob(filepath.Join(again.Out, "runs",
					runs.UnfinishedPrefix+"*")); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
			})
		}
	})
	nothingLeftIn(t, temporary)
}

// slow makes an agent that takes a while, and has a gate to nowhere.
func slow(t *testing.T, r *Runner) {
	r.Agent = fileAgent(t, "name: slow\nnetwork: {private: ['127.0.0.1:1'], base_urls: {API_URL: "+
		"'http://127.0.0.1:1'}}\ncommand: |\n  echo right > o/lib/lib.txt\n  sleep 2\n  chmod +x o/tool/tool.sh\n")
}

func runUntilKilled(t *testing.T, names []string) {
	rel, err := release.Open(names[2])
	must(t, err)
	r := &Runner{Release: rel, Out: names[3], Workers: 2, Trust: true,
		Say: func(line string) { fmt.Println("said " + line) }}
	slow(t, r)
	if names[0] == "docker" {
		d, err := docker.Open(t.Context())
		must(t, err)
		r.Backend, r.TargetImage, r.BaseImage = d, only(names[1]), d.ImageID
	} else {
		r.Backend = &process.Sandbox{}
	}
	r.run(t, schema.Joint, 2, "t1", "t2")
}

// killAfter kills a process that long after so many of its runs ended, and gives its
// number.
func killAfter(t *testing.T, names []string, lines int, after time.Duration) int {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcessIsGoneOnWith$")
	child.Env = append(os.Environ(), runsBy+"="+strings.Join(names, "\n"))
	pipe, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	said := bufio.NewScanner(pipe)
	for range lines {
		if !said.Scan() || !strings.HasPrefix(said.Text(), "said ") {
			t.Fatalf("the process said %q", said.Text())
		}
	}
	if lines == 0 {
		for begun := time.Now(); names[0] == "docker" && onTheEngine(t,
			child.Process.Pid) < 3; time.Sleep(50 * time.Millisecond) {
			if time.Since(begun) > 2*time.Minute {
				t.Fatal("no run began")
			}
		}
	}
	time.Sleep(after)
	_ = child.Process.Kill()
	_ = child.Wait() // killed
	if child.ProcessState.Exited() {
		t.Fatalf("the process ended before it was killed: %v", child.ProcessState)
	}
	return child.Process.Pid
}

// sweptIn waits until nothing of a killed process is on the engine: an engine with much
// to do may need more than one sweep, which every process begins with.
func sweptIn(t *testing.T, d *docker.Sandbox, pid int, limit time.Duration) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Second) {
		must(t, d.Sweep(t.Context()))
		n := onTheEngine(t, pid)
		if n == 0 {
			return
		}
		if time.Since(begun) > limit {
			t.Errorf("%d containers and networks of the killed process are left", n)
			return
		}
	}
}

// onTheEngine counts the containers and networks of a process.
func onTheEngine(t *testing.T, pid int) int {
	t.Helper()
	api, err := engine.NewClientWithOpts(engine.FromEnv, engine.WithAPIVersionNegotiation())
	must(t, err)
	defer api.Close()
	by := filters.NewArgs(filters.Arg("label", "wideswe.pid="+strconv.Itoa(pid)))
	list, err := api.ContainerList(context.WithoutCancel(t.Context()), container.ListOptions{All: true, Filters: by})
	must(t, err)
	nets, err := api.NetworkList(context.WithoutCancel(t.Context()), network.ListOptions{Filters: by})
	must(t, err)
	return len(list) + len(nets)
}

// nothingLeftIn: what killed processes left is gone when the next one begins. A script
// that outlived its process may write a little longer.
func nothingLeftIn(t *testing.T, dir string) {
	t.Helper()
	var left []string
	for range 50 {
		_, remove, err := pipeline.Scratch("", "test")
		must(t, err)
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
