package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
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
type targetImages struct {
	rel    *release.Release
	images sandbox.Backend
	runner *testrun.Runner
}

// base gives the id of an image that an agent's file names.
func (x *targetImages) base(ctx context.Context, name string) (string, error) {
	b, err := x.runner.Base(ctx, name)
	return b.ID, err
}

// target gives an image that has what the tests of these targets need: the one of
// validation for one target that is here, else one that is made of the release; for
// several each one's dependencies are laid on those of the one before.
func (x *targetImages) target(ctx context.Context, t *release.Task, targets []string) (agent.Image, error) {
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
	if len(chosen) == 1 {
		if id, err := x.validated(ctx, chosen[0]); id != "" || err != nil {
			img.ID = id
			return img, err
		}
	}
	err := x.build(ctx, t, chosen, &img)
	return img, err
}

// validated is the image that validation ran in, where the engine has it.
func (x *targetImages) validated(ctx context.Context, h release.Target) (string, error) {
	if h.Image.ID == "" {
		return "", nil
	}
	_, err := x.images.ImageID(ctx, h.Image.ID)
	switch {
	case err == nil:
		return h.Image.ID, nil
	case sandbox.IsInfra(err), ctx.Err() != nil:
		return "", err
	}
	return "", nil
}

func (x *targetImages) build(ctx context.Context, t *release.Task, chosen []release.Target, img *agent.Image) error {
	scratch, err := os.MkdirTemp("", "wideswe-agent-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	trees, err := x.lay(ctx, t, scratch)
	if err != nil {
		return fmt.Errorf("laying the trees of %s: %w", t.Task, err)
	}
	first := chosen[0].Recipe.Image
	for _, h := range chosen {
		recipe, runner := h.Recipe, x.runner
		if img.ID != "" {
			if recipe.Image != first {
				return pipeline.Usage("the targets of %s are tested in different images (%s, %s): name an image with what the agent needs in its file, or run --mode independent", t.Task, first, recipe.Image)
			}
			// An image of this machine is no base image to be locked.
			recipe.Image = img.ID
			runner = &testrun.Runner{Backend: runner.Backend, Limits: runner.Limits, BuildEnv: runner.BuildEnv, BuildFiles: runner.BuildFiles,
				Log: runner.Log, Budget: runner.Budget, BuildLogs: runner.BuildLogs}
		}
		var siblings []string
		for _, s := range t.Hidden {
			if s.Repository != h.Repository {
				siblings = append(siblings, s.Repository)
			}
		}
		made, err := runner.EnsureImage(ctx, testrun.ImageRequest{Repository: h.Repository, Recipe: recipe, BaseWorkspace: trees["base"], GoldWorkspace: trees["gold"],
			PlainWorkspace: trees["plain"], Siblings: siblings, HiddenFiles: h.HiddenFiles, Task: t.Task})
		if err != nil {
			return fmt.Errorf("the image of %s: %w", h.Repository, err)
		}
		img.ID = made.ID
	}
	return nil
}

// lay lays every target's tree plainly, at base and at gold with the hidden tests:
// what images are made of, and what no image keeps.
func (x *targetImages) lay(ctx context.Context, t *release.Task, scratch string) (map[string]string, error) {
	trees := map[string]string{}
	for _, name := range []string{"plain", "base", "gold"} {
		trees[name] = filepath.Join(scratch, name)
	}
	for _, h := range t.Hidden {
		clean := workspace.TreePath(trees["plain"], h.Repository)
		if err := x.rel.Lay(ctx, h.Repository, h.BaseCommit, clean); err != nil {
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
