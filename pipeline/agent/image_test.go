package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/schema"
)

// maker is a sandbox whose making of images is a function.
type maker struct {
	stub
	make func(s sandbox.ImageSpec) error
}

func (m *maker) Name() string { return "docker" }

func (m *maker) FindImage(context.Context, string) (sandbox.Image, error) {
	return sandbox.Image{}, nil
}

func (m *maker) BuildImage(_ context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	return sandbox.Image{ID: s.Key}, m.make(s)
}

// setups runs an agent with a setup on both tasks, one after the other.
func setups(t *testing.T, file string, make func(s sandbox.ImageSpec) error) (*Runner, Summary, string) {
	t.Helper()
	m := &maker{make: make}
	m.run = func(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
		return sandbox.Result{}, s.After(ctx, sandbox.Result{}, leftAsItWas(s))
	}
	var said []string
	r := &Runner{Backend: m, Release: small(t), Out: filepath.Join(t.TempDir(), "out"), TargetImage: only("x"),
		Agent: fileAgent(t, file), retryWait: time.Millisecond,
		Say: func(s string) { said = append(said, s) }}
	sum, _, err := r.run(t, schema.Joint, 1, "t1", "t2")
	must(t, err)
	return r, sum, strings.Join(said, "\n")
}

// A setup that can't be done is tried once, not once a run, and its log is kept.
func TestASetupThatFailsIsTriedOnce(t *testing.T) {
	n := 0
	r, sum, said := setups(t, "name: a\nsetup: [make]\ncommand: x\n", func(s sandbox.ImageSpec) error {
		if s.Steps[0].Name != "setup" {
			return nil
		}
		n++
		_, err := s.Log.Write([]byte("no rule to make\n"))
		must(t, err)
		return &sandbox.BuildError{Step: "setup", ExitCode: 2, Tail: "no rule to make"}
	})
	if n != 1 || sum != (Summary{Failed: 2}) || strings.Count(said, "correct setup in the agent's file") != 2 {
		t.Errorf("tried %d times; %+v\n%s", n, sum, said)
	}
	logs, err := filepath.Glob(filepath.Join(r.Out, "logs/images/agent-setup-*.log"))
	must(t, err)
	if len(logs) != 1 || !strings.Contains(said, logs[0]) {
		t.Fatalf("logs %v; said %s", logs, said)
	}
	if b, err := os.ReadFile(logs[0]); err != nil || !strings.Contains(string(b), "no rule to make") {
		t.Errorf("%q %v", b, err)
	}
}

// A network that did not answer is tried again.
func TestASetupIsTriedAgainWhereTheNetworkFailed(t *testing.T) {
	n := 0
	_, sum, said := setups(t, "name: a\nsetup: [make]\ncommand: x\n", func(s sandbox.ImageSpec) error {
		if n++; s.Steps[0].Name == "setup" && n < 4 {
			return &sandbox.BuildError{Step: "setup", ExitCode: 2, Tail: "Temporary failure in name resolution"}
		}
		return nil
	})
	if sum != (Summary{Done: 2}) {
		t.Errorf("%+v after %d builds\n%s", sum, n, said)
	}
}

// The bounds of a run are none of its image's: a run of a minute may need a setup of ten.
func TestASetupIsNotBoundedAsARunIs(t *testing.T) {
	var errs []error
	_, sum, _ := setups(t, "name: a\nsetup: [make]\ncommand: x\ntimeout: 1m\nmemory: 64m\ncpus: 0.1\npids: "+
		"20\ndisk: 50m\n", func(s sandbox.ImageSpec) error {
		if l := s.Limits; l.Timeout < 30*time.Minute || l.Memory < 4<<30 || l.CPUs < 2 || l.Pids < 4096 ||
			l.Disk < 20<<30 {
			errs = append(errs, errors.New(s.Steps[0].Name))
		}
		return nil
	})
	if len(errs) > 0 || sum.Done != 2 {
		t.Errorf("%v %+v", errs, sum)
	}
}
