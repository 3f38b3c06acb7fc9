// Package leak is the command wideswe verify-no-leak. The stage validate looks for leaks.
package leak

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/stages"
	"github.com/wideswe/wideswe/stages/validate"
)

// options holds the flags of verify-no-leak.
type options struct {
	env                *env.Env
	workspaces, images []string
	json               bool
}

// NewCommand returns wideswe verify-no-leak.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e}
	c := &cobra.Command{
		Use: "verify-no-leak TASK", Args: cobra.ExactArgs(1),
		Short: "Look for the gold change and the hidden tests where an agent could find them",
		Long: `verify-no-leak looks a task through as validate does: the git objects, refs and logs
of each repository an agent gets, every layer of the images that validate made (package
caches and archives too), and the prompt. It ends with 1 and names the places where the
gold change, a hidden test or a sibling's release from after base lies.`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	c.Flags().StringArrayVar(&o.workspaces, "workspace", nil,
		"look through this workspace, too (as wideswe workspace made it, or an agent left it)")
	c.Flags().StringArrayVar(&o.images, "image", nil, "look through this image, too")
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
	return c
}

func (o *options) run(ctx context.Context, task string) error {
	s, err := walk.OpenToRead(ctx, o.env)
	if err != nil {
		return err
	}
	deps, err := s.Deps(ctx)
	if err != nil {
		return err
	}
	r, err := stages.Validate(deps).LeakReport(ctx, task, o.workspaces, o.images)
	if err != nil {
		return err
	}
	return o.print(r)
}

// print prints the report; leaks are an error.
func (o *options) print(r validate.LeakReport) error {
	if o.json {
		if err := o.env.PrintJSON(r); err != nil {
			return err
		}
	} else {
		for _, line := range lines(r) {
			fmt.Fprintln(o.env.Out, line)
		}
	}
	if !r.Clean {
		return fmt.Errorf("%s gives its answer away in %d places", r.Task, len(r.Leaks))
	}
	return nil
}

func lines(r validate.LeakReport) (list []string) {
	switch {
	case r.Clean && r.ImagesLookedInto:
		return []string{"nothing of the answer is where an agent could find it"}
	case r.Clean:
		return []string{"nothing of the answer is in the repositories and the prompt; " +
			"there are no images to look into: the sandbox is process"}
	}
	for _, f := range r.Leaks {
		list = append(list, fmt.Sprint(f))
	}
	return list
}
