package explain

import (
	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
)

// candidatesQuery lists what a person chooses from.
const candidatesQuery = `SELECT candidate_id, ecosystem, status, score, span_days, pulls_named AS pulls, reason
	FROM candidate_overview ORDER BY ecosystem, latest_merged_at DESC, candidate_id`

func NewCandidatesCommand(a *env.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "candidates", Args: cobra.NoArgs,
		Short: "List the candidates; explain tells how one came about",
		Example: `  wideswe candidates
  wideswe candidates explain CANDIDATE`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cur, err := a.Curator()
			if err != nil {
				return err
			}
			db, err := a.ReadDatabase(cmd.Context(), cur)
			if err != nil {
				return err
			}
			write := render.Table
			if asJSON {
				write = render.JSON
			}
			return render.Query(cmd.Context(), db, candidatesQuery, a.Out, write)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	explain := NewExplainCommand(a)
	explain.Use = "explain CANDIDATE"
	explain.Short = "Draw the chain from each pull to the anchor, with snippets, and the refused neighbours with why"
	explain.Long = ""
	explain.Example = "  wideswe candidates explain CANDIDATE"
	c.AddCommand(explain)
	return c
}
