package sandbox_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
)

// backends gives each backend that works here; the others' tests say skipped.
func backends(t *testing.T, f func(t *testing.T, b sandbox.Backend, image string)) {
	t.Run("process", func(t *testing.T) {
		f(t, &process.Sandbox{TempDir: t.TempDir()}, "")
	})
	t.Run("docker", func(t *testing.T) {
		d, image := dockertest.Open(t)
		f(t, d, image)
	})
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
		r, err := b.Run(t.Context(), sandbox.Spec{Image: image, Script: "echo begun; sleep 600 & sleep 600",
			Limits: sandbox.Limits{Timeout: 2 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.TimedOut || string(r.Output) != "begun\n" {
			t.Errorf("%+v after %s", r, time.Since(begun))
		}
	})
}

func TestRunBoundsOutputAndFiles(t *testing.T) {
	backends(t, func(t *testing.T, b sandbox.Backend, image string) {
		r, err := b.Run(t.Context(), sandbox.Spec{Image: image, Out: "/tmp/wideswe/o",
			Env: map[string]string{"OUT": sandbox.Root + "/tmp/wideswe/o"},
			Script: `echo first; head -c 3000000 /dev/zero | tr '\0' x; echo; echo last
				cd "$OUT"; echo ok > a; head -c 2000 /dev/zero > b; head -c 20000000 /dev/zero > c || true`,
			Limits: sandbox.Limits{Output: 10000, OutBytes: 1000, FileSize: 1 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		out := string(r.Output)
		if len(out) > 10100 || !strings.HasPrefix(out, "first\n") || !strings.Contains(out, "\nlast\n") ||
			r.Truncated < 2_900_000 {
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
		r, err := b.Run(t.Context(), sandbox.Spec{Image: image,
			Script: "cat /proc/net/route | wc -l; cat /proc/net/dev | grep -c :"})
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

func write(t *testing.T, p, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// echo answers each connection with what it gets, doubled.
func echo(n *atomic.Int64) func(net.Listener) {
	return func(l net.Listener) {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n.Add(1)
			go func() {
				defer c.Close()
				buf := make([]byte, 1<<16)
				for {
					k, err := c.Read(buf)
					if _, err2 := c.Write(append(bytes.Clone(buf[:k]), buf[:k]...)); err != nil || err2 != nil {
						return
					}
				}
			}()
		}
	}
}

// pour sends $ARGV[1] bytes over each of $ARGV[2] connections at once and counts what comes back.
const pour = `perl -MIO::Socket::INET -e '
my ($to, $n, $k) = @ARGV; my @kids;
for my $i (1..$k) { my $pid = fork; if (!$pid) {
	my $s = IO::Socket::INET->new(PeerAddr=>$to, Timeout=>5) or die "no gate $!";
	if (!fork) { my $left = $n; while ($left > 0) { my $x = "a" x ($left < 65536 ? $left : 65536); my $w = syswrite $s, $x; exit 1 unless $w; $left -= $w } exit 0 }
	my $got = 0; while ($got < 2*$n) { my $r = sysread $s, my $b, 65536; last unless $r; $got += $r }
	wait; exit($got == 2*$n ? 0 : 1) } push @kids, $pid }
my $bad = 0; for (@kids) { waitpid $_, 0; $bad++ if $? } print "bad $bad\n"' `

func TestGateCarriesEveryByteOfManyConnections(t *testing.T) {
	backends(t, func(t *testing.T, b sandbox.Backend, image string) {
		var n atomic.Int64
		r, err := b.Run(t.Context(), sandbox.Spec{Image: image, Gate: &sandbox.Gate{Image: image, Serve: echo(&n)},
			Env:    map[string]string{"GATE": sandbox.GateAddress},
			Script: pour + `"$GATE" 3000000 6` + "\n" + pour + `"$GATE" 1 100`, Limits: sandbox.Limits{Timeout: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Output) != "bad 0\nbad 0\n" || n.Load() != 106 {
			t.Errorf("%d connections, %q, exit %d", n.Load(), r.Output, r.ExitCode)
		}
	})
}

func TestAfterSeesWhatARunLeft(t *testing.T) {
	backends(t, func(t *testing.T, b sandbox.Backend, image string) {
		names := map[string]string{}
		var timedOut bool
		r, err := b.Run(t.Context(), sandbox.Spec{Image: image, Dir: "/workspace/o/r",
			In: []sandbox.Source{{Path: "/workspace/o/r"}}, Split: true, Limits: sandbox.Limits{Timeout: 2 * time.Second},
			Script: "echo out; echo err >&2; printf hidden > a; ln -s /etc/passwd l; ln -s loop loop; mkdir locked; echo x > " +
				"locked/f; chmod 000 locked; mkfifo pipe; exec sleep 60",
			After: func(ctx context.Context, r sandbox.Result, left sandbox.Left) error {
				timedOut = r.TimedOut
				for _, name := range []string{"/workspace/nothing", "/workspace/o/r/a/below", "/workspace/o/r/loop/below"} {
					if _, err := left(ctx, name); !errors.Is(err, fs.ErrNotExist) {
						return fmt.Errorf("%s, which is not there, gives %v", name, err)
					}
				}
				s, err := left(ctx, "/workspace/o")
				if err != nil {
					return err
				}
				defer s.Close()
				for tr := tar.NewReader(s); ; {
					h, err := tr.Next()
					if errors.Is(err, io.EOF) {
						return nil
					}
					if err != nil {
						return err
					}
					b, _ := io.ReadAll(tr)
					names[strings.TrimSuffix(h.Name, "/")] = string(h.Typeflag) + h.Linkname + string(b)
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if !timedOut || string(r.Output) != "out\n" || string(r.Errors) != "err\n" {
			t.Errorf("timed out %v, output %q, errors %q", timedOut, r.Output, r.Errors)
		}
		for name, want := range map[string]string{"o": "5", "o/r/a": "0hidden", "o/r/l": "2/etc/passwd",
			"o/r/locked/f": "0x\n"} {
			if names[name] != want {
				t.Errorf("%s is %q, not %q", name, names[name], want)
			}
		}
	})
}
