package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// bench holds what the items share: each task's trees, laid when its first item
// begins and removed when its last ends.
type bench struct {
	stage   *Stage
	scratch string

	mu     sync.Mutex
	stands map[string]*stand
	left   map[string]int // items of a task that are still to end
	down   error          // what stopped us, so that the items after it don't try in vain
}

func newBench(s *Stage, scratch string, items []pipeline.Item[unit]) *bench {
	b := &bench{stage: s, scratch: scratch, stands: map[string]*stand{}, left: map[string]int{}}
	for _, it := range items {
		b.left[it.Value.Task]++
	}
	return b
}

// pass counts the items that won't run, since their outcome stands.
func (b *bench) pass(task string) { b.left[task]-- }

// tries bounds how often trouble of ours is tried again within one run.
const tries = 2

// work is one item. Trouble of ours is tried again, then it fails the item: the
// report says infra, and a further run completes it.
func (b *bench) work(ctx context.Context, u unit) (pipeline.Write, error) {
	defer b.leave(u.Task)
	begun := time.Now()
	v, err := b.attempt(ctx, u)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		b.say("%s · %s: infra: %v", u.Task, u.runKey, err)
		// The text alone: what a person must mend ends this item, not the report.
		return nil, errors.New(err.Error())
	}
	b.say("%s · %s: %s", u.Task, u.runKey, v.line(time.Since(begun)))
	return v.named(u).write(b.stage, u), nil
}

func (b *bench) attempt(ctx context.Context, u unit) (*verdict, error) {
	for try := 1; ; try++ {
		if err := b.stopped(); err != nil {
			return nil, err
		}
		v, err := b.evaluate(ctx, u)
		var need *pipeline.NeedError
		if errors.As(err, &need) {
			b.stop(err)
			return nil, err
		}
		var missing *sandbox.MissingImageError // soon asked again, it is missing again
		if err == nil || ctx.Err() != nil || try == tries || errors.As(err, &missing) {
			return v, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(cmp.Or(b.stage.Wait, 2*time.Second)):
		}
	}
}

func (b *bench) stop(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = err
}

func (b *bench) stopped() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.down
}

func (b *bench) say(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stage.Say != nil {
		b.stage.Say(fmt.Sprintf(format, args...))
	}
}

// stand gives a task's stand, made by the first who asks.
func (b *bench) stand(ctx context.Context, task string) (*stand, error) {
	b.mu.Lock()
	st := b.stands[task]
	if st == nil {
		st = &stand{bench: b, dir: filepath.Join(b.scratch, fmt.Sprint(len(b.stands))), targets: map[string]*targetStand{}}
		b.stands[task] = st
	}
	b.mu.Unlock()
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.task != nil {
		return st, nil
	}
	t, err := b.stage.Release.Task(task)
	if err != nil {
		return nil, err
	}
	if err := st.lay(ctx, t); err != nil {
		st.remove()
		return nil, fmt.Errorf("laying the trees of %s: %w", task, err)
	}
	st.task = t
	return st, nil
}

func (b *bench) leave(task string) {
	b.mu.Lock()
	b.left[task]--
	st, last := b.stands[task], b.left[task] <= 0
	b.mu.Unlock()
	if last && st != nil {
		st.remove()
	}
}
