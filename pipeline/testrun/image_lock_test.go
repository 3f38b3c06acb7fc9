package testrun

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// renamedImages is an engine whose names move; content stays under its digest.
type renamedImages struct {
	sandbox.Backend
	names, ids map[string]string // name → digest, digest → id
}

func (e renamedImages) ImageID(_ context.Context, name string) (string, error) {
	if d, ok := e.names[name]; ok {
		name = d
	}
	if id, ok := e.ids[name]; ok {
		return id, nil
	}
	return "", &sandbox.MissingImageError{Name: name}
}

func (e renamedImages) Pin(_ context.Context, name string, _ bool) (string, error) {
	return e.names[name], nil
}

func TestImageLockKeepsABaseThatChangedUnderItsName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "images.lock")
	const first, second = "debian@sha256:1", "debian@sha256:2"
	e := renamedImages{names: map[string]string{"debian:trixie": first}, ids: map[string]string{first: "id1",
		second: "id2"}}
	var log bytes.Buffer
	runner := func() *Runner {
		return &Runner{Backend: e, Lock: OpenImageLock(path), Log: slog.New(slog.NewTextHandler(&log, nil))}
	}
	want := func(r *Runner, id, pin string) {
		t.Helper()
		got, err := r.Base(t.Context(), "debian:trixie")
		if err != nil || got.ID != id || got.Pin != pin {
			t.Errorf("got %+v, %v, want %s", got, err, id)
		}
	}
	want(runner(), "id1", first)
	e.names["debian:trixie"] = second
	r := runner()
	want(r, "id1", first)
	want(r, "id1", first)
	if n := strings.Count(log.String(), "changed under its name"); n != 1 {
		t.Errorf("said %d times: %s", n, log.String())
	}
	if pin, err := r.LockedPin("debian:trixie"); pin != first || err != nil {
		t.Error(pin, err)
	}
	r = runner()
	r.Lock.Renew = true
	want(r, "id2", second)
	want(runner(), "id2", second)
	// What the lock names is gone.
	delete(e.ids, second)
	var missing *sandbox.MissingImageError
	if _, err := runner().Base(t.Context(), "debian:trixie"); !errors.As(err, &missing) || !strings.Contains(err.Error(),
		"images.lock") {
		t.Errorf("got %v", err)
	}
	// Another image of the person's is another line.
	e.names["mine"], e.ids["mine@sha256:3"] = "mine@sha256:3", "id3"
	r = runner()
	r.Images = map[string]string{"debian:trixie": "mine"}
	want(r, "id3", "mine@sha256:3")
	text, _ := os.ReadFile(path)
	if !strings.HasSuffix(string(text), "\ndebian:trixie mine mine@sha256:3\n") {
		t.Errorf("the file says %s", text)
	}
	if err := os.WriteFile(path, []byte("debian:trixie\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var usage *pipeline.UsageError
	if _, err := runner().Base(t.Context(), "debian:trixie"); !errors.As(err, &usage) || !strings.Contains(err.Error(),
		"line 1") {
		t.Errorf("got %v", err)
	}
}
