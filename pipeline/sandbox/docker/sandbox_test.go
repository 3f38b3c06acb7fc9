package docker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
)

// backends gives each backend that works here; the others' tests say skipped.
func backends(t *testing.T, f func(t *testing.T, b sandbox.Backend, image string)) {
	t.Run("process", func(t *testing.T) {
		f(t, &process.Sandbox{TempDir: t.TempDir()}, "")
	})
	t.Run("docker", func(t *testing.T) {
		d, image := dockerAndImage(t)
		f(t, d, image)
	})
}

// dockerAndImage gives an engine and a base image, or skips by name.
func dockerAndImage(t *testing.T) (*Sandbox, string) {
	t.Helper()
	d, err := Open(t.Context())
	if err != nil {
		t.Skipf("no Docker engine: %v", err)
	}
	t.Cleanup(func() { d.Close() })
	image := os.Getenv("WIDESWE_TEST_IMAGE")
	if image == "" {
		image = "wideswe/base:trixie"
	}
	if _, err := d.ImageID(t.Context(), image); err != nil {
		t.Skipf("no base image %s (scripts/base-image makes it)", image)
	}
	return d, image
}

func TestRunGivesExitOutputAndFiles(t *testing.T) {
	backends(t, func(t *testing.T, b sandbox.Backend, image string) {
		src := t.TempDir()
		write(t, filepath.Join(src, "sub", "a.txt"), "hello")
		if err := os.Symlink("a.txt", filepath.Join(src, "sub", "link")); err != nil {
			t.Fatal(err)
		}
		r, err := b.Run(t.Context(), sandbox.Spec{
			Image: image, Dir: "/workspace/o/r",
			Script: `cat sub/link; echo " $WHERE" | sed "s,$PWD,PWD,"
				echo made > new.txt; cat extra/f
				mkdir -p "$OUT/deep"; echo report > "$OUT/deep/r.txt"; ln -s /etc/passwd "$OUT/steal"
				exit 7`,
			Env: map[string]string{"WHERE": sandbox.Root + "/workspace/o/r", "OUT": sandbox.Root + "/tmp/wideswe/out-1"},
			In:  []sandbox.Source{{Path: "/workspace/o/r", Dir: src, Files: map[string][]byte{"extra/f": []byte("small\n")}}},
			Out: "/tmp/wideswe/out-1",
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff("hello PWD\nsmall\n", string(r.Output)); d != "" || r.ExitCode != 7 || r.TimedOut || r.OOM {
			t.Errorf("%+v\n%s", r, d)
		}
		if d := cmp.Diff(map[string][]byte{"deep/r.txt": []byte("report\n")}, r.Files); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"steal"}, r.Dropped); d != "" {
			t.Error(d)
		}
	})
}

func TestRunEndsWhatHangsWithAllItsChildren(t *testing.T) {
	backends(t, func(t *testing.T, b sandbox.Backend, image string) {
		begun := time.Now()
		r, err := b.Run(t.Context(), sandbox.Spec{Image: image, Script: "echo begun; sleep 600 & sleep 600", Limits: sandbox.Limits{Timeout: 2 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.TimedOut || string(r.Output) != "begun\n" || time.Since(begun) > 30*time.Second {
			t.Errorf("%+v after %s", r, time.Since(begun))
		}
	})
}

func TestRunBoundsOutputAndFiles(t *testing.T) {
	backends(t, func(t *testing.T, b sandbox.Backend, image string) {
		r, err := b.Run(t.Context(), sandbox.Spec{Image: image, Out: "/tmp/wideswe/o", Env: map[string]string{"OUT": sandbox.Root + "/tmp/wideswe/o"},
			Script: `echo first; head -c 3000000 /dev/zero | tr '\0' x; echo; echo last
				cd "$OUT"; echo ok > a; head -c 2000 /dev/zero > b; head -c 20000000 /dev/zero > c || true`,
			Limits: sandbox.Limits{Output: 10000, OutBytes: 1000, FileSize: 1 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		out := string(r.Output)
		if len(out) > 10100 || !strings.HasPrefix(out, "first\n") || !strings.Contains(out, "\nlast\n") || r.Truncated < 2_900_000 {
			t.Errorf("%d bytes kept, %d left out: %.60q", len(out), r.Truncated, out)
		}
		if d := cmp.Diff(map[string][]byte{"a": []byte("ok\n")}, r.Files); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"b", "c"}, r.Dropped); d != "" {
			t.Error(d)
		}
	})
}

func TestRunHasNoNetworkButLoopback(t *testing.T) {
	backends(t, func(t *testing.T, b sandbox.Backend, image string) {
		r, err := b.Run(t.Context(), sandbox.Spec{Image: image, Script: "cat /proc/net/route | wc -l; cat /proc/net/dev | grep -c :"})
		if err != nil {
			t.Fatal(err)
		}
		if !r.NetworkOff {
			t.Skip("the process backend can't take the network away here")
		}
		if f := strings.Fields(string(r.Output)); len(f) != 2 || f[0] != "1" {
			t.Errorf("routes and devices: %q", r.Output)
		}
	})
}

func TestRunInterruptedLeavesNothing(t *testing.T) {
	backends(t, func(t *testing.T, b sandbox.Backend, image string) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		_, err := b.Run(ctx, sandbox.Spec{Image: image, Script: "sleep 600", Labels: map[string]string{"test": t.Name()}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if p, ok := b.(*process.Sandbox); ok {
			if left, _ := os.ReadDir(p.TempDir); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		}
	})
}

func TestAbandonedIsWhatADeadProcessLeft(t *testing.T) {
	me := thisProcess()
	now := time.Now()
	with := func(change func(o *owner)) map[string]string {
		o := me
		o.run = "another"
		change(&o)
		return o.labels(nil, time.Minute)
	}
	for _, c := range []struct {
		name   string
		labels map[string]string
		now    time.Time
		want   bool
	}{
		{"mine", me.labels(nil, time.Minute), now, false},
		{"a living process's", with(func(*owner) {}), now, false},
		{"a living process's, after the machine's clock was moved", with(func(*owner) {}), now.Add(400 * 24 * time.Hour), false},
		{"a dead process's", with(func(o *owner) { o.pid = "999999999" }), now, true},
		{"a process number that came back", with(func(o *owner) { o.start = "1" }), now, me.start != ""},
		{"another machine's", with(func(o *owner) { o.host, o.pid = "elsewhere", "999999999" }), now, false},
		{"another machine's, long over", with(func(o *owner) { o.host = "elsewhere" }), now.Add(48 * time.Hour), true},
		{"started by a person from an image of ours", map[string]string{labelRun: "", labelPID: "", labelDeadline: ""}, now, false},
	} {
		if got := me.abandoned(c.labels, c.now); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

func TestNoEngineIsANeedWithTheNextStep(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
	_, err := Open(t.Context())
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !sandbox.IsInfra(err) || !strings.Contains(need.Message, "systemctl start docker") {
		t.Errorf("got %v", err)
	}
}

func write(t *testing.T, p, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
