package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agentimage"
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
	flags.AddImages(c.Flags(), &w.images, &w.buildEnv, &w.buildFiles)
}

// makeAgentImages makes the image of every task with several targets and writes into
// the release which they are, where that is wanted.
func makeAgentImages(ctx context.Context, a *env.Env, dir string, w agentImages) error {
	if !w.wanted {
		return nil
	}
	rel, d, _, err := releaseAndImages(ctx, a, dir)
	if err != nil {
		return err
	}
	env, files, err := env.BuildInputs(w.buildEnv, w.buildFiles)
	if err != nil {
		return err
	}
	maker := &agentimage.Maker{Release: rel, Images: d, Runner: &testrun.Runner{Backend: d, Limits: sandbox.Limits{}.Defaults(), Images: w.images,
		BuildEnv: env, BuildFiles: files, Log: a.Log(), Budget: testrun.MachineBudget(d)}}
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
func makeAgentImage(ctx context.Context, a *env.Env, maker *agentimage.Maker, id string) (schema.AgentImage, error) {
	t, err := maker.Release.Task(id)
	if err != nil || agentimage.InOneImage(t.Hidden) {
		return schema.AgentImage{}, err
	}
	made, err := maker.Join(ctx, t, t.Hidden)
	var no *pipeline.UsageError
	if errors.As(err, &no) { // tested in different base images: a fact about the task
		fmt.Fprintf(a.Err, "%s: left out: %v\n", id, err)
		return schema.AgentImage{}, nil
	}
	if err != nil {
		return schema.AgentImage{}, fmt.Errorf("%s: %w", id, err)
	}
	fmt.Fprintf(a.Err, "%s: %s is here\n", id, made.Name)
	return schema.AgentImage{Task: id, Image: made.Name, ID: made.ID}, nil
}
