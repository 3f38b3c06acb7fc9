package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/schema"
)

// bench holds what the items share: each task's trees, laid when its first item
// begins and removed when its last ends.
type bench struct {
	stage   *Stage
	scratch string
	cache   *cache
	live    *live
	// describe tells what stands beside the progress bar.
	describe func(string)
	redo     bool // verdicts of the cache are not used

	mu      sync.Mutex
	stands  map[string]*stand
	left    map[string]int // items of a task that are still to end
	machine *schema.Machine
	down    error // what stopped us, so that the items after it don't try in vain
}

func newBench(s *Stage, scratch string, items []pipeline.Item[unit]) *bench {
	b := &bench{stage: s, scratch: scratch, live: newLive(items, len(s.Release.Tasks)), describe: func(string) {}, cache: newCache(cmp.Or(s.Cache, filepath.Join(s.Out, "cache"))), stands: map[string]*stand{}, left: map[string]int{}}
	for _, it := range items {
		b.left[it.Value.Task]++
	}
	return b
}

// pass counts the items that won't run, since their outcome stands.
func (b *bench) pass(task string) { b.left[task]-- }

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
		b.say("%s · %s: infra: %v · %s", u.Task, u.runKey, err, b.live.add(u.runKey, schema.StatusInfra))
		b.describe(b.live.bar())
		// The text alone: what a person must mend ends this item, not the report.
		return nil, errors.New(err.Error())
	}
	b.say("%s · %s: %s · %s", u.Task, u.runKey, v.line(time.Since(begun)), b.live.add(u.runKey, v.Report.Status))
	b.describe(b.live.bar())
	return v.named(u).write(b.stage, u), nil
}

func (b *bench) attempt(ctx context.Context, u unit) (*verdict, error) {
	var before []error
	for {
		if err := b.stopped(); err != nil {
			return nil, err
		}
		v, err := b.judged(ctx, u)
		err = b.fullDisk(err)
		var need *pipeline.NeedError
		switch {
		case err == nil:
			for _, e := range before {
				v.note(schema.DeviationRetried, "", e.Error())
			}
			return v, nil
		case errors.As(err, &need):
			b.stop(err)
			return nil, err
		case ctx.Err() != nil || !passing(err) || len(before) >= b.stage.Retries:
			return nil, err
		}
		before = append(before, err)
		select {
		case <-ctx.Done():
		case <-time.After(cmp.Or(b.stage.Wait, 2*time.Second)):
		}
	}
}

// imageGoneError is an image that was there and is no more: the next try makes it anew.
type imageGoneError struct{ err error }

func (e *imageGoneError) Error() string { return e.err.Error() }
func (e *imageGoneError) Unwrap() error { return e.err }

// passing knows trouble that may be over at the next try. An image that nobody has
// soon asked again is missing again.
func passing(err error) bool {
	var gone *imageGoneError
	var missing *sandbox.MissingImageError
	if errors.As(err, &missing) && !sandbox.IsInfra(err) {
		return errors.As(err, &gone)
	}
	return sandbox.IsInfra(err)
}

// fullDisk makes a full disk of ours what a person must act on.
func (b *bench) fullDisk(err error) error {
	if err != nil && (errors.Is(err, syscall.ENOSPC) || strings.Contains(strings.ToLower(err.Error()), "no space left on device")) && !isNeed(err) {
		return fmt.Errorf("%w (%w)", pipeline.Need("a disk is full (%s, or the one of %s): free some space and run the same command again", b.scratch, b.stage.Out), err)
	}
	return err
}

func isNeed(err error) bool {
	var need *pipeline.NeedError
	return errors.As(err, &need)
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
