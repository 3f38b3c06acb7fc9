package database

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/stages"
)

// failedQuery lists the items that failed.
const failedQuery = `SELECT stage, item, reason, recorded_at FROM outcomes_latest
	WHERE status = 'failed' ORDER BY stage, item`

// statusOptions holds the flags of status.
type statusOptions struct {
	env          *env.Env
	json, failed bool
}

// NewStatusCommand returns wideswe status.
func NewStatusCommand(e *env.Env) *cobra.Command {
	o := &statusOptions{env: e}
	c := &cobra.Command{
		Use:   "status",
		Short: "Show each stage: items, done, skipped, failed, stale, last run",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
	c.Flags().BoolVar(&o.failed, "failed", false, "list the failed items with their reasons")
	return c
}

func (o *statusOptions) run(ctx context.Context) error {
	s, err := walk.OpenToRead(ctx, o.env)
	if err != nil {
		return err
	}
	if o.failed {
		return render.Query(ctx, s.DB, failedQuery, o.env.Out, render.TableOrJSON(o.json))
	}
	deps, err := s.Deps(ctx)
	if err != nil {
		return err
	}
	list, err := stages.Statuses(ctx, s.DB, stages.All(deps))
	if err != nil {
		return err
	}
	if o.json {
		return o.env.PrintJSON(list)
	}
	return printStatuses(o.env.Out, list)
}

func printStatuses(w io.Writer, list []stages.Status) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\titems\tdone\tskipped\tfailed\tstale\tto do\tlast run\t")
	for _, s := range list {
		last := "never"
		if s.LastRun != nil {
			last = s.LastRun.Format("2006-01-02 15:04")
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", s.Stage, s.Items, s.Done, s.Skipped, s.Failed, s.Stale, s.Todo,
			last)
	}
	return t.Flush()
}
