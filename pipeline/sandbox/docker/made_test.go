package docker

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// What the engine was asked to make when the interrupt came is made all the same, and
// nobody would know of it: it is waited for and removed.
func TestAnInterruptLeavesNothingThatWasBeingMade(t *testing.T) {
	for _, c := range []struct {
		name, slow, answer, removed string
		do                          func(ctx context.Context, d *Sandbox) error
	}{
		{"a run", "containers/create", `{"Id":"made"}`, "containers/wideswe-", func(ctx context.Context, d *Sandbox) error {
			_, err := d.Run(ctx, sandbox.Spec{Image: "i", Script: "true"})
			return err
		}},
		{"an image", "containers/create", `{"Id":"made"}`, "containers/wideswe-", func(ctx context.Context,
			d *Sandbox) error {
			_, err := d.BuildImage(ctx, sandbox.ImageSpec{Base: "i", Name: "n", Key: "k"})
			return err
		}},
		{"a service's network", "networks/create", `{"Id":"made"}`, "networks/wideswe-", func(ctx context.Context,
			d *Sandbox) error {
			_, err := d.Run(ctx, sandbox.Spec{Image: "i", Script: "true", Services: []sandbox.Service{{Name: "db", Image: "i"}}})
			return err
		}},
		{"a workspace's container", "containers/create", `{"Id":"made"}`, "containers/wideswe-", func(ctx context.Context,
			d *Sandbox) error {
			_, _, err := d.Prepare(ctx, "i", nil, nil)
			return err
		}},
		{"a workspace's image", "commit", `{"Id":"sha256:made"}`, "images/sha256:made", func(ctx context.Context,
			d *Sandbox) error {
			_, _, err := d.Prepare(ctx, "i", nil, nil)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			removed := slowEngine(t, c.slow, c.answer, interrupt)
			d, err := Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if err := c.do(ctx, d); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the interrupt", err)
			}
			if got := removed(); !strings.Contains(got, c.removed) {
				t.Errorf("removed %q, want %s", got, c.removed)
			}
		})
	}
}

// slowEngine is an engine that is interrupted while it makes something and ends it
// nonetheless. The function tells what was removed since.
func slowEngine(t *testing.T, slow, answer string, interrupt func()) func() string {
	var mu sync.Mutex
	var removed []string
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		w.Header().Set("Content-Type", "application/json")
		_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch {
		case r.Method == http.MethodDelete:
			mu.Lock()
			removed = append(removed, path.Dir(rest)+"/"+path.Base(rest))
			mu.Unlock()
			w.WriteHeader(http.StatusNoContent)
		case rest == slow:
			interrupt()
			time.Sleep(100 * time.Millisecond)
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(answer))
		case rest == "containers/create", rest == "networks/create":
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"Id":"other"}`))
		case rest == "containers/json", rest == "images/json", rest == "networks":
			_, _ = w.Write([]byte("[]"))
		default:
			_, _ = w.Write([]byte("{}"))
		}
	}))
	t.Cleanup(engine.Close)
	t.Setenv("DOCKER_HOST", strings.Replace(engine.URL, "http://", "tcp://", 1))
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(removed, " ")
	}
}
