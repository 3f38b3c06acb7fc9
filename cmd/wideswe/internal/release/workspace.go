package release

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
)

// workspaceOptions holds the flags of workspace.
type workspaceOptions struct {
	env                    *env.Env
	dir, task, out, target string
	involved               bool
}

// NewWorkspaceCommand returns wideswe workspace.
func NewWorkspaceCommand(e *env.Env) *cobra.Command {
	o := &workspaceOptions{env: e}
	c := &cobra.Command{
		Use: "workspace --release RELEASE --task ID --out DIR", Args: cobra.NoArgs,
		Short: "Write what an agent gets for a task: every repository without history, and the prompt",
		Example: `  wideswe workspace --release release --task ID --out work
  wideswe workspace --release release --task ID --out work --target owner/name   # independent mode
  wideswe workspace --release release --task ID --out work --involved            # every target, and no context repository`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := c.Flags()
	addReleaseFlag(c, &o.dir)
	f.StringVar(&o.task, "task", "", "the task's id")
	f.StringVar(&o.out, "out", "", "an absent or empty folder")
	f.StringVar(&o.target, "target", "", "this target alone (independent mode)")
	f.BoolVar(&o.involved, "involved", false, "every target, and no context repository: what to change is told, how is "+
		"not")
	return c
}

func (o *workspaceOptions) run(ctx context.Context) error {
	if o.task == "" || o.out == "" {
		return pipeline.Usage("--task and --out are needed; wideswe workspace --help shows an example")
	}
	rel, err := o.env.OpenRelease(o.dir)
	if err != nil {
		return err
	}
	if err := flags.Outside(o.dir, o.out); err != nil {
		return err
	}
	scope, err := o.scope()
	if err != nil {
		return err
	}
	if err := rel.Workspace(ctx, o.task, scope, o.target, o.out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.env.Out, "%s is ready; start with %s\n", o.out, filepath.Join(o.out, "prompt.md"))
	return err
}

// scope returns which repositories the workspace holds.
func (o *workspaceOptions) scope() (string, error) {
	switch {
	case o.involved && o.target != "":
		return "", pipeline.Usage("--involved is every target, --target one; give one of them")
	case o.target != "":
		return release.ScopeIndependent, nil
	case o.involved:
		return release.ScopeInvolved, nil
	}
	return release.ScopeJoint, nil
}
