package release

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
)

func NewWorkspaceCommand(a *env.Env) *cobra.Command {
	var dir, task, out, target string
	var involved bool
	c := &cobra.Command{
		Use: "workspace --release RELEASE --task ID --out DIR", Args: cobra.NoArgs,
		Short: "Write what an agent gets for a task: every repository without history, and the prompt",
		Example: `  wideswe workspace --release release --task ID --out work
  wideswe workspace --release release --task ID --out work --target owner/name   # independent mode
  wideswe workspace --release release --task ID --out work --involved            # every target, and no context repository`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if task == "" || out == "" {
				return pipeline.Usage("--task and --out are needed; wideswe workspace --help shows an example")
			}
			rel, err := a.OpenRelease(dir)
			if err != nil {
				return err
			}
			if err := flags.Outside(dir, out); err != nil {
				return err
			}
			scope := release.ScopeJoint
			switch {
			case involved && target != "":
				return pipeline.Usage("--involved is every target, --target one; give one of them")
			case target != "":
				scope = release.ScopeIndependent
			case involved:
				scope = release.ScopeInvolved
			}
			if err := rel.Workspace(cmd.Context(), task, scope, target, out); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "%s is ready; start with %s\n", out, filepath.Join(out, "prompt.md"))
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	c.Flags().StringVar(&task, "task", "", "the task's id")
	c.Flags().StringVar(&out, "out", "", "an absent or empty folder")
	c.Flags().StringVar(&target, "target", "", "this target alone (independent mode)")
	c.Flags().BoolVar(&involved, "involved", false, "every target, and no context repository: what to change is told, how is not")
	return c
}
