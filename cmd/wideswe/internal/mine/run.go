package mine

import (
	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/database"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/review"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/stages"
)

func NewRunCommand(a *env.Env) *cobra.Command {
	var f walk.Flags
	var from, until string
	c := &cobra.Command{
		Use:   "run",
		Short: "Walk the road from rank to export; what is done and unchanged is passed over",
		Example: `  wideswe -C DIR run
  wideswe -C DIR run --until inspect
  wideswe -C DIR run --from group --until inspect`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return walk.Run(cmd.Context(), a, f, from, until)
		},
	}
	f.Register(c, true, true)
	c.Flags().StringVar(&from, "from", "rank", "the first stage")
	c.Flags().StringVar(&until, "until", "export", "the last stage")
	return c
}

// stageCommands are one command a stage that a curator's folder has; review is a
// group of commands of its own.
func NewStageCommands(a *env.Env) []*cobra.Command {
	var list []*cobra.Command
	for _, s := range stages.Road {
		if s.Name == "evaluate" || s.Name == "report" {
			continue
		}
		var f walk.Flags
		c := &cobra.Command{
			Use:   s.Name,
			Short: s.Does,
			Args:  cobra.NoArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return walk.Run(cmd.Context(), a, f, s.Name, s.Name) },
		}
		f.Register(c, s.Name == "validate", s.Name == "export")
		if s.Name == "rank" {
			extendRank(a, c, &f)
		}
		if s.Name == "crawl" {
			extendCrawl(a, c, &f)
		}
		if s.Name == "export" {
			c.AddCommand(database.NewExportTablesCommand(a))
		}
		if s.Name == "review" {
			c.AddCommand(review.NewCommands(a)...)
		}
		list = append(list, c)
	}
	return list
}
