package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// agentImages is the words of making images in which agents work on several targets.
type agentImages struct {
	wanted               bool
	images               map[string]string
	buildEnv, buildFiles []string
}

func (w *agentImages) flags(c *cobra.Command) {
	c.Flags().BoolVar(&w.wanted, "agents", false, "make the images in which agents work on several targets at once, and take them along")
	imageFlags(c.Flags(), &w.images, &w.buildEnv, &w.buildFiles)
}

// makeAgentImages makes the image of every task with several targets and writes into
// the release which they are, where that is wanted.
func makeAgentImages(ctx context.Context, a *app, dir string, w agentImages) error {
	if !w.wanted {
		return nil
	}
	rel, d, _, err := releaseAndImages(ctx, a, dir)
	if err != nil {
		return err
	}
	env, files, err := buildInputs(w.buildEnv, w.buildFiles)
	if err != nil {
		return err
	}
	maker := &targetImages{rel: rel, images: d, runner: &testrun.Runner{Backend: d, Limits: sandbox.Limits{}.Defaults(), Images: w.images,
		BuildEnv: env, BuildFiles: files, Log: a.log(), Budget: testrun.MachineBudget(d)}}
	var list []schema.AgentImage
	for _, line := range rel.Tasks {
		made, err := makeAgentImage(ctx, a, maker, line.ID)
		if err != nil {
			return err
		}
		if made.ID != "" {
			list = append(list, made)
		}
	}
	return rel.KeepAgentImages(list)
}

// agentImage makes a task's image, where the task needs one.
func makeAgentImage(ctx context.Context, a *app, maker *targetImages, id string) (schema.AgentImage, error) {
	t, err := maker.rel.Task(id)
	if err != nil || inOneImage(t.Hidden) {
		return schema.AgentImage{}, err
	}
	made, err := maker.join(ctx, t, t.Hidden)
	var no *pipeline.UsageError
	if errors.As(err, &no) { // tested in different base images: a fact about the task
		fmt.Fprintf(a.err, "%s: left out: %v\n", id, err)
		return schema.AgentImage{}, nil
	}
	if err != nil {
		return schema.AgentImage{}, fmt.Errorf("%s: %w", id, err)
	}
	fmt.Fprintf(a.err, "%s: %s is here\n", id, made.Name)
	return schema.AgentImage{Task: id, Image: made.Name, ID: made.ID}, nil
}

// inOneImage says whether targets were validated in one image.
func inOneImage(targets []release.Target) bool {
	return !slices.ContainsFunc(targets, func(h release.Target) bool { return h.Image.ID != targets[0].Image.ID })
}
