package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
)

// backends gives each backend that works here; the others' tests say skipped.
func backends(t *testing.T, f func(t *testing.T, b Backend, image string)) {
	t.Run("process", func(t *testing.T) {
		f(t, &Process{TempDir: t.TempDir()}, "")
	})
	t.Run("docker", func(t *testing.T) {
		d, image := dockerAndImage(t)
		f(t, d, image)
	})
}

// dockerAndImage gives an engine and a base image, or skips by name.
func dockerAndImage(t *testing.T) (*Docker, string) {
	t.Helper()
	d, err := OpenDocker(t.Context())
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
	backends(t, func(t *testing.T, b Backend, image string) {
		src := t.TempDir()
		write(t, filepath.Join(src, "sub", "a.txt"), "hello")
		if err := os.Symlink("a.txt", filepath.Join(src, "sub", "link")); err != nil {
			t.Fatal(err)
		}
		r, err := b.Run(t.Context(), Spec{
			Image: image, Dir: "/workspace/o/r",
			Script: `cat sub/link; echo " $WHERE" | sed "s,$PWD,PWD,"
				echo made > new.txt; cat extra/f
				mkdir -p "$OUT/deep"; echo report > "$OUT/deep/r.txt"; ln -s /etc/passwd "$OUT/steal"
				exit 7`,
			Env: map[string]string{"WHERE": Root + "/workspace/o/r", "OUT": Root + "/tmp/wideswe/out-1"},
			In:  []Source{{Path: "/workspace/o/r", Dir: src, Files: map[string][]byte{"extra/f": []byte("small\n")}}},
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
	backends(t, func(t *testing.T, b Backend, image string) {
		begun := time.Now()
		r, err := b.Run(t.Context(), Spec{Image: image, Script: "echo begun; sleep 600 & sleep 600", Limits: Limits{Timeout: 2 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.TimedOut || string(r.Output) != "begun\n" || time.Since(begun) > 30*time.Second {
			t.Errorf("%+v after %s", r, time.Since(begun))
		}
	})
}

func TestRunBoundsOutputAndFiles(t *testing.T) {
	backends(t, func(t *testing.T, b Backend, image string) {
		r, err := b.Run(t.Context(), Spec{Image: image, Out: "/tmp/wideswe/o", Env: map[string]string{"OUT": Root + "/tmp/wideswe/o"},
			Script: `echo first; head -c 3000000 /dev/zero | tr '\0' x; echo; echo last
				cd "$OUT"; echo ok > a; head -c 2000 /dev/zero > b; head -c 20000000 /dev/zero > c || true`,
			Limits: Limits{Output: 10000, OutBytes: 1000, FileSize: 1 << 20}})
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
	backends(t, func(t *testing.T, b Backend, image string) {
		r, err := b.Run(t.Context(), Spec{Image: image, Script: "cat /proc/net/route | wc -l; cat /proc/net/dev | grep -c :"})
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
	backends(t, func(t *testing.T, b Backend, image string) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		_, err := b.Run(ctx, Spec{Image: image, Script: "sleep 600", Labels: map[string]string{"test": t.Name()}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if p, ok := b.(*Process); ok {
			if left, _ := os.ReadDir(p.TempDir); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		}
	})
}

func TestKeeperKeepsHeadAndTail(t *testing.T) {
	for _, size := range []int{1, 7, 100, 5000} {
		k := newKeeper(40)
		var all bytes.Buffer
		for i := 0; all.Len() < 1000; i++ {
			p := []byte(strings.Repeat(string(rune('a'+i%26)), size))
			all.Write(p)
			if n, err := k.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		got, dropped := k.result()
		want := append(append([]byte{}, all.Bytes()[:10]...), all.Bytes()[all.Len()-30:]...)
		note := "\n[" + strconv.Itoa(all.Len()-40) + " bytes left out]\n"
		if d := cmp.Diff(string(want[:10])+note+string(want[10:]), string(got)); d != "" || dropped != int64(all.Len()-40) {
			t.Errorf("size %d: dropped %d %s", size, dropped, d)
		}
	}
	k := newKeeper(40)
	_, _ = k.Write([]byte("short"))
	if got, dropped := k.result(); string(got) != "short" || dropped != 0 {
		t.Errorf("%q %d", got, dropped)
	}
}

func TestReadFilesTakesRegularFilesInBounds(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, body string) {
		h.Size = int64(len(body))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(body))
	}
	add(tar.Header{Name: "out/", Typeflag: tar.TypeDir}, "")
	add(tar.Header{Name: "out/good", Typeflag: tar.TypeReg}, "1234")
	add(tar.Header{Name: "out/link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, "")
	add(tar.Header{Name: "out/../../escape", Typeflag: tar.TypeReg}, "x")
	add(tar.Header{Name: "out/big", Typeflag: tar.TypeReg}, "1234567")
	add(tar.Header{Name: "out/fits", Typeflag: tar.TypeReg}, "12")
	add(tar.Header{Name: "out/more", Typeflag: tar.TypeReg}, "1")
	w.Close()
	files, dropped, err := readFiles(&b, Limits{OutBytes: 6, OutFiles: 5})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string][]byte{"good": []byte("1234"), "fits": []byte("12")}, files); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"link", "escape", "big", "every file after the first 5"}, dropped); d != "" {
		t.Error(d)
	}
}

func TestSourcesNeverLeaveTheirFolder(t *testing.T) {
	err := writeSources(&bytes.Buffer{}, []Source{{Path: "/workspace/a/b", Files: map[string][]byte{"../x": nil}}})
	if err == nil || !strings.Contains(err.Error(), "leaves its folder") {
		t.Errorf("got %v", err)
	}
}

func TestSourcesLeaveSystemFoldersAlone(t *testing.T) {
	var b bytes.Buffer
	if err := writeSources(&b, []Source{{Path: "/tmp/wideswe/out"}, {Path: "/workspace/a/b"}}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for tr := tar.NewReader(&b); ; {
		h, err := tr.Next()
		if err != nil {
			break
		}
		names = append(names, h.Name)
	}
	if d := cmp.Diff([]string{"tmp/wideswe/", "tmp/wideswe/out/", "workspace/", "workspace/a/", "workspace/a/b/"}, names); d != "" {
		t.Error(d)
	}
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
	_, err := OpenDocker(t.Context())
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !IsInfra(err) || !strings.Contains(need.Message, "systemctl start docker") {
		t.Errorf("got %v", err)
	}
}

func TestLastLinesIsOneLine(t *testing.T) {
	e := &BuildError{Step: "setup at base", ExitCode: 1, Tail: "a\nb\n\n  c\nd \n"}
	if got := e.Error(); got != "setup at base: exit 1: b | c | d" {
		t.Errorf("got %q", got)
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
