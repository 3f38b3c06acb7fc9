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
	"github.com/wideswe/wideswe/schema"
)

// agentImages holds the flags of making images in which agents work on several targets.
type agentImages struct {
	wanted bool
	images flags.Images
}

func (a *agentImages) addTo(c *cobra.Command) {
	c.Flags().BoolVar(&a.wanted, "agents", false,
		"make the images in which agents work on several targets at once, and take them along")
	a.images.AddTo(c.Flags())
}

// openWith makes the images for agents where they are wanted, then opens the release with all its images, which must be
// here.
func (a *agentImages) openWith(ctx context.Context, e *env.Env, dir string) (*releaseImages, error) {
	if a.wanted {
		if err := a.make(ctx, e, dir); err != nil {
			return nil, err
		}
	}
	r, err := openImages(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	return r, r.checkHere(ctx)
}

// make makes the image of every task with several targets and writes into the release which they are.
func (a *agentImages) make(ctx context.Context, e *env.Env, dir string) error {
	r, err := openImages(ctx, e, dir)
	if err != nil {
		return err
	}
	runner, err := a.images.Runner(r.engine, e.Log(), "")
	if err != nil {
		return err
	}
	runner.Limits = sandbox.Limits{}.Defaults()
	maker := &agentimage.Maker{Release: r.release, Images: r.engine, Runner: runner}
	var list []schema.AgentImage
	for _, line := range r.release.Tasks {
		made, err := makeAgentImage(ctx, e, maker, line.ID)
		if err != nil {
			return err
		}
		if made.ID != "" {
			list = append(list, made)
		}
	}
	return r.release.KeepAgentImages(list)
}

// makeAgentImage makes the image of a task, where the task needs one.
func makeAgentImage(ctx context.Context, e *env.Env, maker *agentimage.Maker, id string) (made schema.AgentImage,
	err error) {
	t, err := maker.Release.Task(id)
	if err != nil {
		return made, err
	}
	made, ok, err := maker.ForAllTargets(ctx, t)
	var differs *pipeline.UsageError
	switch {
	case errors.As(err, &differs): // tested in different base images: a fact about the task
		fmt.Fprintf(e.Err, "%s: left out: %v\n", id, err)
		return schema.AgentImage{}, nil
	case err != nil:
		return made, fmt.Errorf("%s: %w", id, err)
	case ok:
		fmt.Fprintf(e.Err, "%s: %s is here\n", id, made.Image)
	}
	return made, nil
}
