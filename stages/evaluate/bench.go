package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain"
	"github.com/wideswe/wideswe/pipeline/workspace"
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
	return v.write(b.stage, u), nil
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
		return nil, fmt.Errorf("laying the trees of %s: %w", task, errors.Join(err, os.RemoveAll(st.dir)))
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
		_ = os.RemoveAll(st.dir)
	}
}

// stand is one task's trees: pristine ones to copy from and to restore from, and
// the workspaces at base and at gold, hidden tests laid over, as in validation.
type stand struct {
	bench *bench
	dir   string

	mu      sync.Mutex
	task    *release.Task
	targets map[string]*targetStand
}

// targetStand is what a target's runs share.
type targetStand struct {
	mu        sync.Mutex
	selection *toolchain.Selection
	image     string
	goldEnds  *bool
}

func (st *stand) pristine() string { return filepath.Join(st.dir, "pristine") }
func (st *stand) base() string     { return filepath.Join(st.dir, "base") }
func (st *stand) gold() string     { return filepath.Join(st.dir, "gold") }

func (st *stand) lay(ctx context.Context, t *release.Task) error {
	for _, x := range t.Hidden {
		st.targets[x.Repository] = &targetStand{}
		clean := workspace.TreePath(st.pristine(), x.Repository)
		if err := st.bench.stage.Release.Lay(ctx, x.Repository, x.BaseCommit, clean); err != nil {
			return err
		}
		for ws, patch := range map[string][]byte{st.base(): nil, st.gold(): x.Gold} {
			dir := workspace.TreePath(ws, x.Repository)
			if err := workspace.CopyTree(ctx, clean, dir); err != nil {
				return err
			}
			if _, err := workspace.Apply(ctx, dir, patch); err != nil {
				return fmt.Errorf("gold patch of %s: %w", x.Repository, err)
			}
			var inj *workspace.InjectionError
			if _, err := workspace.Overlay(ctx, clean, dir, x.Layers); err != nil && !errors.As(err, &inj) {
				return err
			}
			// Layers that don't go on are each run's verdict: injection_failed.
		}
	}
	return nil
}

// context lays a context repository that a prediction patches.
func (st *stand) context(ctx context.Context, repository string) (string, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	dir := workspace.TreePath(st.pristine(), repository)
	if _, err := os.Lstat(dir); err == nil {
		return dir, nil
	}
	for _, w := range st.task.Workspace.Repositories {
		if w.Repository == repository {
			return dir, st.bench.stage.Release.Lay(ctx, repository, w.Commit, dir)
		}
	}
	return "", fmt.Errorf("%s is not in the workspace of %s", repository, st.task.Task)
}

// siblings are the other targets.
func (st *stand) siblings(repository string) []string {
	var out []string
	for _, x := range st.task.Hidden {
		if x.Repository != repository {
			out = append(out, x.Repository)
		}
	}
	return out
}

// request is a target's run in a workspace: what runs is chosen at gold, so that a
// patch has no say in it.
func (st *stand) request(ctx context.Context, t release.Target, ws string, context []string) (testrun.Request, error) {
	ts := st.targets[t.Repository]
	ts.mu.Lock()
	defer ts.mu.Unlock()
	q := testrun.Request{Repository: t.Repository, Recipe: t.Recipe, Workspace: ws, Siblings: st.siblings(t.Repository), Context: context,
		HiddenFiles: t.HiddenFiles, Expected: append(append([]string{}, t.Tests.F2P...), t.Tests.P2P...)}
	if limit := st.bench.stage.Limits.Timeout; limit > 0 { // the person's word before the recipe's
		q.Recipe.Timeout = max(1, int(limit/time.Second))
	}
	runner := st.bench.stage.Runner(st.bench.stage.limitsOf(t))
	if ts.selection == nil {
		atGold := q
		atGold.Workspace, atGold.Context = st.gold(), nil
		selection, err := runner.Select(atGold)
		if err != nil {
			return q, err
		}
		ts.selection = &selection
	}
	q.Selection = ts.selection
	if ts.image == "" {
		id, err := st.image(ctx, runner, t, q)
		if err != nil {
			return q, err
		}
		ts.image = id
	}
	q.Image = ts.image
	return q, nil
}

// image is the one validation ran in where the engine has it; else it is made anew
// from the recipe and the sources.
func (st *stand) image(ctx context.Context, runner Runner, t release.Target, q testrun.Request) (string, error) {
	if t.Image.ID != "" {
		_, err := st.bench.stage.Images.ImageID(ctx, t.Image.ID)
		if err == nil {
			return t.Image.ID, nil
		}
		if sandbox.IsInfra(err) {
			return "", err
		}
	}
	img, err := runner.EnsureImage(ctx, testrun.ImageRequest{Repository: t.Repository, Recipe: t.Recipe, BaseWorkspace: st.base(), GoldWorkspace: st.gold(),
		Siblings: q.Siblings, HiddenFiles: q.HiddenFiles, Selection: q.Selection})
	if err != nil {
		return "", fmt.Errorf("the image of %s: %w", t.Repository, err)
	}
	return img.ID, nil
}

// goldEnds says whether gold ends in time here: only then is a hang the patch's.
func (st *stand) goldEnds(ctx context.Context, t release.Target) (bool, error) {
	q, err := st.request(ctx, t, st.gold(), nil)
	if err != nil {
		return false, err
	}
	ts := st.targets[t.Repository]
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.goldEnds == nil {
		rep, err := st.bench.stage.Runner(st.bench.stage.limitsOf(t)).Run(ctx, q)
		if err != nil {
			return false, err
		}
		ends := rep.First().Status != testrun.Timeout && !rep.First().Hung
		ts.goldEnds = &ends
	}
	return *ts.goldEnds, nil
}
