// Package mine is the commands that build a benchmark: wideswe init and run, and one command for each stage of a
// curator's folder, with what rank and crawl have beside their stages. The stages do the work, package walk runs them.
package mine

import (
	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/stages"
)

// NewRunCommand returns wideswe run.
func NewRunCommand(e *env.Env) *cobra.Command {
	var f walk.Flags
	var from, until string
	c := &cobra.Command{
		Use:   "run",
		Short: "Walk the road from rank to export; what is done and unchanged is passed over",
		Example: `  wideswe -C DIR run
  wideswe -C DIR run --until inspect
  wideswe -C DIR run --from group --until inspect`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return walk.Run(cmd.Context(), e, f, from, until) },
	}
	f.AddTo(c, true, true)
	c.Flags().StringVar(&from, "from", "rank", "the first stage")
	c.Flags().StringVar(&until, "until", "export", "the last stage")
	return c
}

// NewStageCommands returns one command for each stage of a curator's folder. below has the sub-commands of other
// groups, by the names of stages.
func NewStageCommands(e *env.Env, below map[string][]*cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, s := range stages.Road {
		if s.Name == "evaluate" || s.Name == "report" {
			continue
		}
		f := &walk.Flags{}
		c := &cobra.Command{
			Use:   s.Name,
			Short: s.Does,
			Args:  cobra.NoArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return walk.Run(cmd.Context(), e, *f, s.Name, s.Name) },
		}
		f.AddTo(c, s.Name == "validate", s.Name == "export")
		switch s.Name {
		case "rank":
			extendRank(e, c, f)
		case "crawl":
			extendCrawl(e, c, f)
		}
		c.AddCommand(below[s.Name]...)
		list = append(list, c)
	}
	return list
}
