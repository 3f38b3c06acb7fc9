package explain

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
)

// candidatesQuery lists what a person chooses from.
const candidatesQuery = `SELECT candidate_id, ecosystem, status, score, span_days, pulls_named AS pulls, reason
	FROM candidate_overview ORDER BY ecosystem, latest_merged_at DESC, candidate_id`

// NewCandidatesCommand returns wideswe candidates.
func NewCandidatesCommand(e *env.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "candidates", Args: cobra.NoArgs,
		Short: "List the candidates; explain tells how one came about",
		Example: `  wideswe candidates
  wideswe candidates explain CANDIDATE`,
		RunE: func(cmd *cobra.Command, _ []string) error { return listCandidates(cmd.Context(), e, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	explain := NewExplainCommand(e)
	explain.Use = "explain CANDIDATE"
	explain.Short = "Draw the chain from each pull to the anchor, with snippets, and the refused neighbours with why"
	explain.Long = ""
	explain.Example = "  wideswe candidates explain CANDIDATE"
	c.AddCommand(explain)
	return c
}

func listCandidates(ctx context.Context, e *env.Env, asJSON bool) error {
	_, db, err := e.ReadFolderDatabase(ctx)
	if err != nil {
		return err
	}
	return render.Query(ctx, db, candidatesQuery, e.Out, render.TableOrJSON(asJSON))
}
