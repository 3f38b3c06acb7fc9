// Package agentimage finds or makes the images in which agents work: images that have what the tests of a task's
// targets need, so that an agent can run these tests. How agents are run is pipeline/agent's, how an image of one
// target is made pipeline/testrun's.
package agentimage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// Maker finds or makes images for agents.
type Maker struct {
	Release *release.Release
	Images  sandbox.Backend // has the images
	Runner  *testrun.Runner // makes them
}

// Base returns the id of an image that an agent's file names.
func (m *Maker) Base(ctx context.Context, name string) (string, error) {
	b, err := m.Runner.Base(ctx, name)
	return b.ID, err
}

// Target returns an image that has what the tests of these targets need, and the variables of their recipes. For one
// target it is the image of validation where that is here; for several, each one's dependencies are added to those of
// the one before.
func (m *Maker) Target(ctx context.Context, t *release.Task, targets []string) (agent.Image, error) {
	chosen := slices.Clone(t.Hidden)
	chosen = slices.DeleteFunc(chosen, func(h release.Target) bool { return !slices.Contains(targets, h.Repository) })
	img := agent.Image{Env: variables(chosen)}
	if len(chosen) == 0 {
		return img, fmt.Errorf("%s has none of the targets %s", t.Task, strings.Join(targets, ", "))
	}
	id, err := m.ready(ctx, t, chosen)
	if id != "" || err != nil {
		img.ID = id
		return img, err
	}
	made, err := m.join(ctx, t, chosen)
	var missing *sandbox.MissingImageError
	if errors.As(err, &missing) && len(chosen) == len(t.Hidden) {
		err = fmt.Errorf("%w; the image for all targets at once can come with the release, too: "+
			"wideswe release images save --agents, where the network is", err)
	}
	img.ID = made.ID
	return img, err
}

// variables returns the environment variables of the targets' recipes; of two with one name the first counts.
func variables(targets []release.Target) map[string]string {
	vars := map[string]string{}
	for _, h := range targets {
		for k, v := range h.Recipe.Env {
			if _, there := vars[k]; !there {
				vars[k] = v
			}
		}
	}
	return vars
}

// ForAllTargets makes the image in which an agent works on all targets of a task at once. A task whose targets were
// validated in one image needs none: ok is false. The error is a usage error where the targets are tested in different
// base images.
func (m *Maker) ForAllTargets(ctx context.Context, t *release.Task) (made schema.AgentImage, ok bool, err error) {
	if inOneImage(t.Hidden) {
		return made, false, nil
	}
	img, err := m.join(ctx, t, t.Hidden)
	return schema.AgentImage{Task: t.Task, Image: img.Name, ID: img.ID}, err == nil, err
}

// inOneImage reports whether targets were validated in one image.
func inOneImage(targets []release.Target) bool {
	return !slices.ContainsFunc(targets, func(h release.Target) bool { return h.Image.ID != targets[0].Image.ID })
}

// ready returns an image that is here and need not be made: the one that validation ran in, or the one that came with
// the release for all the task's targets at once.
func (m *Maker) ready(ctx context.Context, t *release.Task, chosen []release.Target) (string, error) {
	if inOneImage(chosen) {
		return m.here(ctx, chosen[0].Image.ID)
	}
	if len(chosen) < len(t.Hidden) {
		return "", nil
	}
	list, err := m.Release.AgentImages()
	if err != nil {
		return "", err
	}
	for _, i := range list {
		if i.Task == t.Task {
			return m.here(ctx, i.ID)
		}
	}
	return "", nil
}

// here returns an image's id where the engine has it, else "".
func (m *Maker) here(ctx context.Context, id string) (string, error) {
	if id == "" {
		return "", nil
	}
	_, err := m.Images.ImageID(ctx, id)
	switch {
	case err == nil:
		return id, nil
	case sandbox.IsInfra(err), ctx.Err() != nil:
		return "", err
	}
	return "", nil
}

// join makes an image that has what the tests of several targets need: the dependencies of the others are added to the
// image of the first.
func (m *Maker) join(ctx context.Context, t *release.Task, chosen []release.Target) (testrun.Image, error) {
	var made testrun.Image
	scratch, remove, err := pipeline.Scratch("", "agent-image")
	if err != nil {
		return made, err
	}
	defer remove()
	trees, err := m.writeTrees(ctx, t, scratch)
	if err != nil {
		return made, fmt.Errorf("laying the trees of %s: %w", t.Task, err)
	}
	if made.ID, err = m.here(ctx, chosen[0].Image.ID); err != nil {
		return made, err
	}
	made.Name = chosen[0].Image.Image
	first := chosen[0].Recipe.Image
	for i, h := range chosen {
		if i == 0 && made.ID != "" {
			continue // validation's is here
		}
		if h.Recipe.Image != first {
			return made, pipeline.Usage("the targets of %s are tested in different images (%s, %s): "+
				"name an image with what the agent needs in its file, or run --mode independent", t.Task, first, h.Recipe.Image)
		}
		if made, err = m.add(ctx, t, h, trees, made.ID); err != nil {
			return made, fmt.Errorf("the image of %s: %w", h.Repository, err)
		}
	}
	return made, nil
}

// add adds what a target's tests need to an image, or to the target's base image where there is none yet.
func (m *Maker) add(ctx context.Context, t *release.Task, h release.Target, w trees, on string) (testrun.Image, error) {
	recipe, runner := h.Recipe, m.Runner
	if on != "" {
		// An image of this machine is no base image to be locked.
		recipe.Image = on
		runner = &testrun.Runner{Backend: runner.Backend, Limits: runner.Limits, BuildEnv: runner.BuildEnv,
			BuildFiles: runner.BuildFiles, Log: runner.Log, Budget: runner.Budget, BuildLogs: runner.BuildLogs}
	}
	var siblings []string
	for _, s := range t.Hidden {
		if s.Repository != h.Repository {
			siblings = append(siblings, s.Repository)
		}
	}
	return runner.EnsureImage(ctx, testrun.ImageRequest{Repository: h.Repository, Recipe: recipe, BaseWorkspace: w.base,
		GoldWorkspace: w.gold, PlainWorkspace: w.plain, Siblings: siblings, HiddenFiles: h.HiddenFiles, Task: t.Task})
}
