package agentimage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// targetImages finds or makes the images in which targets' tests run, for agents that
// are to run them, too.
type Maker struct {
	Release *release.Release
	Images  sandbox.Backend
	Runner  *testrun.Runner
}

// base gives the id of an image that an agent's file names.
func (x *Maker) Base(ctx context.Context, name string) (string, error) {
	b, err := x.Runner.Base(ctx, name)
	return b.ID, err
}

// target gives an image that has what the tests of these targets need: the one of
// validation for one target that is here, else one that is made of the release; for
// several each one's dependencies are laid on those of the one before.
func (x *Maker) Target(ctx context.Context, t *release.Task, targets []string) (agent.Image, error) {
	img := agent.Image{Env: map[string]string{}}
	var chosen []release.Target
	for _, h := range t.Hidden {
		if slices.Contains(targets, h.Repository) {
			chosen = append(chosen, h)
			for k, v := range h.Recipe.Env {
				if _, there := img.Env[k]; !there {
					img.Env[k] = v
				}
			}
		}
	}
	if len(chosen) == 0 {
		return img, fmt.Errorf("%s has none of the targets %s", t.Task, strings.Join(targets, ", "))
	}
	if id, err := x.ready(ctx, t, chosen); id != "" || err != nil {
		img.ID = id
		return img, err
	}
	made, err := x.Join(ctx, t, chosen)
	var missing *sandbox.MissingImageError
	if errors.As(err, &missing) && len(chosen) == len(t.Hidden) {
		err = fmt.Errorf("%w; the image for all targets at once can come with the release, too: wideswe release images save --agents, where the network is", err)
	}
	img.ID = made.ID
	return img, err
}

// ready is an image that is here and need not be made: the one that validation ran
// in, or the one that came with the release for all the task's targets at once.
func (x *Maker) ready(ctx context.Context, t *release.Task, chosen []release.Target) (string, error) {
	if InOneImage(chosen) {
		return x.here(ctx, chosen[0].Image.ID)
	}
	if len(chosen) < len(t.Hidden) {
		return "", nil
	}
	list, err := x.Release.AgentImages()
	if err != nil {
		return "", err
	}
	for _, i := range list {
		if i.Task == t.Task {
			return x.here(ctx, i.ID)
		}
	}
	return "", nil
}

// here gives an image's id where the engine has it, else nothing.
func (x *Maker) here(ctx context.Context, id string) (string, error) {
	if id == "" {
		return "", nil
	}
	_, err := x.Images.ImageID(ctx, id)
	switch {
	case err == nil:
		return id, nil
	case sandbox.IsInfra(err), ctx.Err() != nil:
		return "", err
	}
	return "", nil
}

// join makes an image that has what the tests of several targets need: on the first
// one's are laid the dependencies of the others.
func (x *Maker) Join(ctx context.Context, t *release.Task, chosen []release.Target) (testrun.Image, error) {
	var made testrun.Image
	scratch, remove, err := pipeline.Scratch("", "agent-image")
	if err != nil {
		return made, err
	}
	defer remove()
	trees, err := x.lay(ctx, t, scratch)
	if err != nil {
		return made, fmt.Errorf("laying the trees of %s: %w", t.Task, err)
	}
	first := chosen[0].Recipe.Image
	if made.ID, err = x.here(ctx, chosen[0].Image.ID); err != nil {
		return made, err
	}
	made.Name = chosen[0].Image.Image
	for i, h := range chosen {
		if i == 0 && made.ID != "" {
			continue // validation's is here
		}
		if h.Recipe.Image != first {
			return made, pipeline.Usage("the targets of %s are tested in different images (%s, %s): name an image with what the agent needs in its file, or run --mode independent", t.Task, first, h.Recipe.Image)
		}
		if made, err = x.add(ctx, t, h, trees, made.ID); err != nil {
			return made, fmt.Errorf("the image of %s: %w", h.Repository, err)
		}
	}
	return made, nil
}

// add lays what a target's tests need on an image, or on the target's base image
// where there is none yet.
func (x *Maker) add(ctx context.Context, t *release.Task, h release.Target, trees map[string]string, on string) (testrun.Image, error) {
	recipe, runner := h.Recipe, x.Runner
	if on != "" {
		// An image of this machine is no base image to be locked.
		recipe.Image = on
		runner = &testrun.Runner{Backend: runner.Backend, Limits: runner.Limits, BuildEnv: runner.BuildEnv, BuildFiles: runner.BuildFiles,
			Log: runner.Log, Budget: runner.Budget, BuildLogs: runner.BuildLogs}
	}
	var siblings []string
	for _, s := range t.Hidden {
		if s.Repository != h.Repository {
			siblings = append(siblings, s.Repository)
		}
	}
	return runner.EnsureImage(ctx, testrun.ImageRequest{Repository: h.Repository, Recipe: recipe, BaseWorkspace: trees["base"], GoldWorkspace: trees["gold"],
		PlainWorkspace: trees["plain"], Siblings: siblings, HiddenFiles: h.HiddenFiles, Task: t.Task})
}

// lay lays every target's tree plainly, at base and at gold with the hidden tests:
// what images are made of, and what no image keeps.
func (x *Maker) lay(ctx context.Context, t *release.Task, scratch string) (map[string]string, error) {
	trees := map[string]string{}
	for _, name := range []string{"plain", "base", "gold"} {
		trees[name] = filepath.Join(scratch, name)
	}
	for _, h := range t.Hidden {
		clean := workspace.TreePath(trees["plain"], h.Repository)
		if err := x.Release.Lay(ctx, h.Repository, h.BaseCommit, clean); err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(trees)) {
			if name == "plain" {
				continue
			}
			dir := workspace.TreePath(trees[name], h.Repository)
			if err := workspace.CopyTree(ctx, clean, dir); err != nil {
				return nil, err
			}
			if name == "gold" {
				if _, err := workspace.Apply(ctx, dir, h.Gold); err != nil {
					return nil, fmt.Errorf("gold patch of %s: %w", h.Repository, err)
				}
			}
			var inj *workspace.InjectionError
			if _, err := workspace.Overlay(ctx, clean, dir, h.Layers, h.Recipe.Relocate...); err != nil && !errors.As(err, &inj) {
				return nil, err
			}
		}
	}
	return trees, nil
}

// inOneImage says whether targets were validated in one image.
func InOneImage(targets []release.Target) bool {
	return !slices.ContainsFunc(targets, func(h release.Target) bool { return h.Image.ID != targets[0].Image.ID })
}
