package evaluate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// target is what all runs of a target share, whatever the prediction.
type target struct {
	release.Target
	task     string
	runner   Runner
	images   Images
	limits   sandbox.Limits
	siblings []string
	folders  folders
	atGold   *sharedWorkspace
	emulated bool

	mu        sync.Mutex
	selection *kit.Selection
	image     string
	rebuilt   bool // the image is not the one of validation
	gold      *goldRun
	// ownsHidden says that gold's run does not pass without writing its hidden files.
	ownsHidden bool
	// testFiles are gold's tests and their data beside the hidden ones.
	testFiles func() []string
}

// goldRun is how gold behaves here, alone.
type goldRun struct {
	ends    bool     // in time
	passes  bool     // what it must
	changed []string // the hidden files that its tests change
	unread  []string // those that they are not seen to read
	names   testrun.Names
}

func newTarget(s settings, f folders, atGold *sharedWorkspace, task *release.Task, x release.Target) *target {
	hidden, tree := x.Recipe.Placed(x.HiddenFiles), filepath.Join(f.gold(), filepath.FromSlash(x.Repository))
	return &target{testFiles: sync.OnceValue(func() []string { return testFiles(tree, hidden) }), Target: x,
		task: task.Task, runner: s.runner, images: s.images, limits: s.limitsOf(x),
		siblings: siblings(task, x.Repository), folders: f, atGold: atGold}
}

// siblings are the task's other targets.
func siblings(task *release.Task, repository string) (list []string) {
	for _, x := range task.Hidden {
		if x.Repository != repository {
			list = append(list, x.Repository)
		}
	}
	return list
}

// request is a run in a workspace: what runs is chosen at gold, so that a patch has no
// say in it.
func (t *target) request(ctx context.Context, w *sharedWorkspace) (testrun.Request, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.plainRequest(w)
	if err := t.selectTests(q); err != nil {
		return q, err
	}
	q.Selection = t.selection
	if err := t.findImage(ctx, q); err != nil {
		return q, err
	}
	q.Image = t.image
	q.Laid = w.layer(q)
	return q, nil
}

func (t *target) plainRequest(w *sharedWorkspace) testrun.Request {
	q := testrun.Request{Repository: t.Repository, Recipe: t.Recipe, Workspace: w.dir,
		Reference: t.folders.gold(), Siblings: slices.Clone(t.siblings),
		Context: w.context, HiddenFiles: t.Recipe.Placed(t.HiddenFiles),
		Watched: t.Recipe.Placed(t.HiddenFiles), Foreign: !t.ownsHidden, Data: t.testFiles(),
		Expected: slices.Concat(t.Tests.F2P, t.Tests.P2P),
		Limits:   t.limits, EndAtTimeout: true, Labels: map[string]string{"wideswe.task": t.task}}
	// The release's limit, or the person's, before the recipe's; runners that keep a
	// limit of their own keep this one.
	q.Recipe.Timeout = max(1, int(t.limits.Timeout/time.Second))
	return q
}

func (t *target) selectTests(q testrun.Request) error {
	if t.selection != nil {
		return nil
	}
	q.Workspace, q.Context = t.folders.gold(), nil
	selection, err := t.runner.Select(q)
	if err != nil {
		return err
	}
	t.selection = &selection
	return nil
}

// findImage gives the target the image that validation ran in where the engine has it;
// else one that is made anew from the recipe and the sources.
func (t *target) findImage(ctx context.Context, q testrun.Request) (err error) {
	if t.image == "" {
		t.image, err = t.validatedImage(ctx)
	}
	if err == nil && t.image == "" {
		t.image, err = t.makeImage(ctx, q)
	}
	return err
}

// validatedImage is "" where the engine has it not.
func (t *target) validatedImage(ctx context.Context) (string, error) {
	if t.Image.ID == "" {
		return "", nil
	}
	_, err := t.images.ImageID(ctx, t.Image.ID)
	switch {
	case err == nil:
		return t.Image.ID, nil
	case sandbox.IsInfra(err):
		return "", err
	}
	return "", nil
}

func (t *target) makeImage(ctx context.Context, q testrun.Request) (string, error) {
	t.rebuilt = true
	img, err := t.runner.EnsureImage(ctx, testrun.ImageRequest{Repository: t.Repository, Recipe: t.Recipe,
		BaseWorkspace: t.folders.base(), GoldWorkspace: t.folders.gold(), PlainWorkspace: t.folders.pristine(),
		Siblings: q.Siblings, HiddenFiles: q.HiddenFiles, Selection: q.Selection, Task: t.task, Limits: q.Limits})
	if err != nil {
		return "", fmt.Errorf("the image of %s: %w", t.Repository, err)
	}
	return img.ID, nil
}

// forgetImage is a run's error; where the image was removed while we used it, the next
// request looks for it again.
func (t *target) forgetImage(err error) error {
	var missing *sandbox.MissingImageError
	if !errors.As(err, &missing) {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.image = ""
	return &imageGoneError{err}
}

// atGoldAlone tells how gold behaves here, alone: only where it ends is a hang the
// patch's, and only what it leaves unchanged has to stay. It runs once for all that ask.
func (t *target) atGoldAlone(ctx context.Context) (goldRun, error) {
	q, err := t.request(ctx, t.atGold)
	if err != nil {
		return goldRun{}, err
	}
	q.Alone = true
	gold, err := t.runGold(ctx, q)
	if err != nil {
		return goldRun{}, t.forgetImage(err)
	}
	return gold, nil
}

// leaveHidden gives the hidden files of later runs to the runs' user where gold's run does
// not pass otherwise. It tells whether it did.
func (t *target) leaveHidden(ctx context.Context) (bool, error) {
	gold, err := t.atGoldAlone(ctx)
	if err != nil || gold.passes {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ownsHidden {
		return false, nil
	}
	t.ownsHidden, t.gold = true, nil
	return true, nil
}

func (t *target) runGold(ctx context.Context, q testrun.Request) (goldRun, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gold == nil {
		rep, err := t.runner.Run(ctx, q)
		if err != nil {
			return goldRun{}, err
		}
		report, _ := verdict.Score(rep, t.Target)
		t.gold = &goldRun{passes: report.Resolved, ends: rep.First().Status != testrun.Timeout && !rep.First().Hung,
			changed: rep.Changed(),
			unread:  rep.Unread(), names: rep.Names()}
	}
	return *t.gold, nil
}

// addCircumstances notes what of a target's hidden tests is not upstream's, and what of
// its image and machine is not validation's. The report shows them in the list alone.
func (t *target) addCircumstances(n *verdict.Notes) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.Recipe.Relocate {
		n.List(schema.DeviationRelocated, t.Repository, "of "+m.From, m.To)
	}
	if t.rebuilt && t.Image.ID != "" {
		n.List(schema.DeviationImage, t.Repository,
			"validation's image "+t.Image.ID+" is not here; made anew from the recipe")
	}
	if t.emulated {
		n.List(schema.DeviationEmulated, t.Repository, "validated on "+t.Platform)
	}
}
