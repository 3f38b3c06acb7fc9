package database

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
)

// stageStatus is one line of status.
type stageStatus struct {
	Stage   string     `json:"stage"`
	Items   int        `json:"items"`
	Done    int        `json:"done"`
	Skipped int        `json:"skipped"`
	Failed  int        `json:"failed"`
	Stale   int        `json:"stale"` // their input or the rule changed since
	Todo    int        `json:"todo"`  // never worked on
	LastRun *time.Time `json:"last_run"`
}

func NewStatusCommand(a *env.Env) *cobra.Command {
	var asJSON, failed bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show each stage: items, done, skipped, failed, stale, last run",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cur, err := a.Curator()
			if err != nil {
				return err
			}
			db, err := a.ReadDatabase(cmd.Context(), cur)
			if err != nil {
				return err
			}
			if failed {
				write := render.Table
				if asJSON {
					write = render.JSON
				}
				return render.Query(cmd.Context(), db, `SELECT stage, item, reason, recorded_at FROM outcomes_latest
					WHERE status = 'failed' ORDER BY stage, item`, a.Out, write)
			}
			list, err := stageStatuses(cmd.Context(), a, cur, db)
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(a.Out)
				enc.SetIndent("", "  ")
				return enc.Encode(list)
			}
			return printStatus(a, list)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.Flags().BoolVar(&failed, "failed", false, "list the failed items with their reasons")
	return c
}

func printStatus(a *env.Env, list []stageStatus) error {
	t := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\titems\tdone\tskipped\tfailed\tstale\tto do\tlast run\t")
	for _, s := range list {
		last := "never"
		if s.LastRun != nil {
			last = s.LastRun.Format("2006-01-02 15:04")
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", s.Stage, s.Items, s.Done, s.Skipped, s.Failed, s.Stale, s.Todo, last)
	}
	return t.Flush()
}

func stageStatuses(ctx context.Context, a *env.Env, cur *env.Curator, db *store.DB) ([]stageStatus, error) {
	list, err := walk.Stages(ctx, a, cur, db, walk.Flags{})
	if err != nil {
		return nil, err
	}
	last, err := lastRuns(ctx, db)
	if err != nil {
		return nil, err
	}
	var out []stageStatus
	for _, s := range list {
		latest, err := db.Latest(ctx, s.Name())
		if err != nil {
			return nil, err
		}
		st := count(s, latest)
		if p, ok := s.(pipeline.Planner); ok {
			refs, err := p.Plan(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name(), err)
			}
			planned(&st, s.Version(), refs, latest)
		}
		if t, ok := last[s.Name()]; ok {
			st.LastRun = &t
		}
		out = append(out, st)
	}
	return out, nil
}

func count(s pipeline.Stage, latest map[string]schema.Outcome) stageStatus {
	st := stageStatus{Stage: s.Name()}
	for _, o := range latest {
		switch o.Status {
		case schema.Done:
			st.Done++
		case schema.Skipped:
			st.Skipped++
		case schema.Failed:
			st.Failed++
		default:
			continue
		}
		st.Items++
	}
	return st
}

// planned counts what a run would work on now.
func planned(st *stageStatus, version string, refs []pipeline.Ref, latest map[string]schema.Outcome) {
	for _, r := range refs {
		o, ok := latest[r.ID]
		switch {
		case !ok || o.Status == schema.Gone:
			st.Todo++
			st.Items++
		case o.Status != schema.Failed && !pipeline.Stands(o, version, r.Hash):
			st.Stale++
		}
	}
}

func lastRuns(ctx context.Context, db *store.DB) (map[string]time.Time, error) {
	type last struct {
		stage string
		at    time.Time
	}
	rows, err := db.Query(ctx, "SELECT stage, max(ended_at) FROM stage_runs GROUP BY stage")
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(l *last) []any { return []any{&l.stage, &l.at} })
	m := map[string]time.Time{}
	for _, l := range list {
		m[l.stage] = l.at
	}
	return m, err
}
