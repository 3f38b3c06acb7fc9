package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// stand is one task's trees: pristine ones to copy from and to restore from, and
// the workspaces at base and at gold, hidden tests laid over, as in validation.
type stand struct {
	bench *bench
	dir   string

	mu      sync.Mutex
	task    *release.Task
	targets map[string]*targetStand
	atGold  *laid
}

// targetStand is what a target's runs share.
type targetStand struct {
	mu        sync.Mutex
	selection *kit.Selection
	image     string
	emulated  bool
	anew      bool // the image is not the one of validation
	goldEnds  *bool
}

func (st *stand) pristine() string { return filepath.Join(st.dir, "pristine") }
func (st *stand) base() string     { return filepath.Join(st.dir, "base") }
func (st *stand) gold() string     { return filepath.Join(st.dir, "gold") }

func (st *stand) lay(ctx context.Context, t *release.Task) error {
	st.atGold = st.bench.laid(st.gold(), nil)
	for _, x := range t.Hidden {
		emulated, err := st.bench.ours(ctx, t.Task, x.Platform)
		if err != nil {
			return err
		}
		st.targets[x.Repository] = &targetStand{emulated: emulated}
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
			if _, err := workspace.Overlay(ctx, clean, dir, x.Layers, x.Recipe.Relocate...); err != nil && !errors.As(err, &inj) {
				return err
			}
			// Layers that don't go on are each run's verdict: injection_failed.
		}
	}
	return nil
}

func (st *stand) remove() {
	if st.atGold != nil {
		st.atGold.close()
	}
	_ = os.RemoveAll(st.dir)
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
func (st *stand) request(ctx context.Context, t release.Target, w *laid) (testrun.Request, error) {
	stage, ts := st.bench.stage, st.targets[t.Repository]
	ts.mu.Lock()
	defer ts.mu.Unlock()
	limits := stage.limitsOf(t)
	q := testrun.Request{Repository: t.Repository, Recipe: t.Recipe, Workspace: w.dir, Siblings: st.siblings(t.Repository), Context: w.context,
		HiddenFiles: t.Recipe.Placed(t.HiddenFiles), Expected: append(append([]string{}, t.Tests.F2P...), t.Tests.P2P...), Limits: limits, EndAtTimeout: true,
		Labels: map[string]string{"wideswe.task": st.task.Task}}
	// The release's limit, or the person's, before the recipe's; runners that keep a
	// limit of their own keep this one.
	q.Recipe.Timeout = max(1, int(limits.Timeout/time.Second))
	if ts.selection == nil {
		atGold := q
		atGold.Workspace, atGold.Context = st.gold(), nil
		selection, err := stage.Runner.Select(atGold)
		if err != nil {
			return q, err
		}
		ts.selection = &selection
	}
	q.Selection = ts.selection
	if ts.image == "" {
		id, err := st.image(ctx, t, q)
		if err != nil {
			return q, err
		}
		ts.image = id
	}
	q.Image = ts.image
	q.Laid = w.on(q)
	return q, nil
}

// image is the one validation ran in where the engine has it; else it is made anew
// from the recipe and the sources.
func (st *stand) image(ctx context.Context, t release.Target, q testrun.Request) (string, error) {
	if t.Image.ID != "" {
		_, err := st.bench.stage.Images.ImageID(ctx, t.Image.ID)
		if err == nil {
			return t.Image.ID, nil
		}
		if sandbox.IsInfra(err) {
			return "", err
		}
	}
	st.targets[t.Repository].anew = true
	img, err := st.bench.stage.Runner.EnsureImage(ctx, testrun.ImageRequest{Repository: t.Repository, Recipe: t.Recipe, BaseWorkspace: st.base(), GoldWorkspace: st.gold(), PlainWorkspace: st.pristine(),
		Siblings: q.Siblings, HiddenFiles: q.HiddenFiles, Selection: q.Selection, Task: st.task.Task, Limits: q.Limits})
	if err != nil {
		return "", fmt.Errorf("the image of %s: %w", t.Repository, err)
	}
	return img.ID, nil
}

// made says what of a target's hidden tests is not upstream's, and what of its image
// and machine not validation's.
func (st *stand) made(t release.Target) (list []schema.Deviation) {
	ts := st.targets[t.Repository]
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, m := range t.Recipe.Relocate {
		list = append(list, schema.Deviation{Kind: schema.DeviationRelocated, Repository: t.Repository, Files: []string{m.To}, Detail: "of " + m.From})
	}
	if ts.anew && t.Image.ID != "" {
		list = append(list, schema.Deviation{Kind: schema.DeviationImage, Repository: t.Repository, Detail: "validation's image " + t.Image.ID + " is not here; made anew from the recipe"})
	}
	if ts.emulated {
		list = append(list, schema.Deviation{Kind: schema.DeviationEmulated, Repository: t.Repository, Detail: "validated on " + t.Platform})
	}
	return list
}

// gone is a run's error; where the image was removed while we used it, the next
// request looks for it again.
func (st *stand) gone(repository string, err error) error {
	var missing *sandbox.MissingImageError
	if !errors.As(err, &missing) {
		return err
	}
	ts := st.targets[repository]
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.image = ""
	return &imageGoneError{err}
}

// goldEnds says whether gold ends in time here, alone: only then is a hang the patch's.
func (st *stand) goldEnds(ctx context.Context, t release.Target) (bool, error) {
	q, err := st.request(ctx, t, st.atGold)
	if err != nil {
		return false, err
	}
	ends, err := st.targets[t.Repository].endsAtGold(ctx, st.bench.stage.Runner, q)
	if err != nil {
		return false, st.gone(t.Repository, err)
	}
	return ends, nil
}

// endsAtGold runs gold once for all that ask.
func (ts *targetStand) endsAtGold(ctx context.Context, r Runner, q testrun.Request) (bool, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.goldEnds == nil {
		q.Alone = true
		rep, err := r.Run(ctx, q)
		if err != nil {
			return false, err
		}
		ends := rep.First().Status != testrun.Timeout && !rep.First().Hung
		ts.goldEnds = &ends
	}
	return *ts.goldEnds, nil
}

// laid is a workspace on disk, laid over the image of each target that needs it
// more than once. Targets of one image share it.
type laid struct {
	runner  Runner
	dir     string
	context []string // context repositories that lie in it

	mu     sync.Mutex
	layers map[string]*testrun.Workspace // by image
}

func (b *bench) laid(dir string, context []string) *laid {
	return &laid{runner: b.stage.Runner, dir: dir, context: context, layers: map[string]*testrun.Workspace{}}
}

func (l *laid) on(q testrun.Request) *testrun.Workspace {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.layers[q.Image] == nil {
		l.layers[q.Image] = l.runner.Workspace(q)
		l.layers[q.Image].Lazy = true
	}
	return l.layers[q.Image]
}

func (l *laid) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.layers {
		w.Close()
	}
}
