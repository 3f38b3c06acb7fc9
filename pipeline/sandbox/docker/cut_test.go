package docker

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// line is a connection to the engine that can be cut.
type line struct {
	mu    sync.Mutex
	l     net.Listener
	conns []net.Conn
}

func tap(t *testing.T, engine string) (*line, string) {
	t.Helper()
	network, address, _ := strings.Cut(engine, "://")
	socket := filepath.Join(t.TempDir(), "engine.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	w := &line{l: l}
	t.Cleanup(w.cut)
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial(network, address)
			if err != nil {
				near.Close()
				continue
			}
			w.mu.Lock()
			w.conns = append(w.conns, near, far)
			w.mu.Unlock()
			go func() { _, _ = io.Copy(far, near) }()
			go func() { _, _ = io.Copy(near, far); near.Close() }()
		}
	}()
	return w, "unix://" + socket
}

func (w *line) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.l.Close()
	for _, c := range w.conns {
		c.Close()
	}
}

func TestDockerGoneInTheMiddleIsOurTrouble(t *testing.T) {
	d, image := dockerAndImage(t)
	line, host := tap(t, d.api.DaemonHost())
	t.Setenv("DOCKER_HOST", host)
	tapped, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ours := filters.NewArgs(filters.Arg("label", labelRun+"="+tapped.owner.run))
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		left, _ := d.api.ContainerList(ctx, container.ListOptions{All: true, Filters: ours})
		for _, c := range left {
			d.remove(ctx, c.ID)
		}
	})
	go func() {
		for range 200 { // until it runs
			time.Sleep(50 * time.Millisecond)
			if list, err := d.api.ContainerList(t.Context(), container.ListOptions{Filters: ours}); err != nil || len(list) > 0 {
				break
			}
		}
		line.cut()
	}()
	_, err = tapped.Run(t.Context(), sandbox.Spec{Image: image, Script: "sleep 600",
		Limits: sandbox.Limits{Timeout: time.Minute}})
	if !sandbox.IsInfra(err) {
		t.Fatalf("got %v", err)
	}
	// The next question says what to do.
	_, err = tapped.Run(t.Context(), sandbox.Spec{Image: image, Script: "true"})
	var need *pipeline.NeedError
	if !sandbox.IsInfra(err) || !errors.As(err, &need) || !strings.Contains(need.Message, "systemctl start docker") {
		t.Errorf("got %v", err)
	}
}
