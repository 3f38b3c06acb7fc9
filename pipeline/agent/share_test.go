package agent

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// gauge counts what is under way at once.
type gauge struct {
	mu        sync.Mutex
	now, most int
}

// hold is under way until so many are at once, or for a while.
func (g *gauge) hold(least int, d time.Duration) {
	g.mu.Lock()
	g.now++
	g.most = max(g.most, g.now)
	g.mu.Unlock()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		g.mu.Lock()
		enough := least > 1 && g.most >= least
		g.mu.Unlock()
		if enough {
			break
		}
	}
	g.mu.Lock()
	g.now--
	g.mu.Unlock()
}

// building is a sandbox that makes images, by waiting.
type building struct {
	stub
	gauge *gauge
	have  sync.Map
}

func (b *building) Name() string { return "docker" }

func (b *building) FindImage(_ context.Context, key string) (sandbox.Image, error) {
	if _, ok := b.have.Load(key); ok {
		return sandbox.Image{ID: key}, nil
	}
	return sandbox.Image{}, nil
}

func (b *building) BuildImage(_ context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	b.gauge.hold(0, 20*time.Millisecond)
	b.have.Store(s.Key, true)
	return sandbox.Image{ID: s.Key}, nil
}

// Runs, and the making of their images, take their part of the machine: --workers is
// no leave to use more than there is.
func TestRunsShareTheMachine(t *testing.T) {
	rel := small(t)
	for name, c := range map[string]struct {
		file         string
		least, most  int
		withoutShare bool
	}{
		"each wants more than there is of memory": {file: "memory: 64g\ncpus: 0.5", most: 1},
		"two fit":           {file: "memory: 3g\ncpus: 1", least: 2, most: 2},
		"nothing is shared": {file: "memory: 64g", least: 2, most: 4, withoutShare: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := &gauge{}
			b := &building{gauge: g}
			b.run = func(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
				wait := 60 * time.Millisecond
				if c.least > 1 {
					wait = 10 * time.Second
				}
				g.hold(c.least, wait)
				return sandbox.Result{}, s.After(ctx, sandbox.Result{}, leftAsItWas(s))
			}
			r := &Runner{Backend: b, Release: rel, Out: t.TempDir(), Workers: 4, TargetImage: only("x"),
				Agent: fileAgent(t, "name: a\nsetup: [make]\ncommand: x\n"+c.file+"\n")}
			if !c.withoutShare {
				r.Take = testrun.NewBudget(2, 8<<30).Take
			}
			sum, _, err := r.run(t, schema.Joint, 2, "t1", "t2")
			must(t, err)
			if sum.Done != 4 || g.most > c.most || g.most < c.least {
				t.Errorf("%+v; %d at once", sum, g.most)
			}
		})
	}
}

// A run that waits for its part ends with the context.
func TestWaitingForAPartEnds(t *testing.T) {
	budget := testrun.NewBudget(2, 8<<30)
	release, err := budget.TakeAll(t.Context())
	must(t, err)
	defer release()
	b := &building{gauge: &gauge{}}
	b.run = func(context.Context, sandbox.Spec) (sandbox.Result, error) {
		t.Error("it ran")
		return sandbox.Result{}, nil
	}
	r := &Runner{Backend: b, Release: small(t), Out: t.TempDir(), TargetImage: only("x"),
		Agent: fileAgent(t, "name: a\ncommand: x\n"), Take: budget.Take}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	jobs, err := runs.Jobs(r.Release, []string{"t1"}, schema.Joint, 1)
	must(t, err)
	if _, err := r.Run(ctx, jobs); err != context.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
}
