package stages

import (
	"context"
	"fmt"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Status counts the items of a stage by their latest outcomes.
type Status struct {
	Stage   string     `json:"stage"`
	Items   int        `json:"items"`
	Done    int        `json:"done"`
	Skipped int        `json:"skipped"`
	Failed  int        `json:"failed"`
	Stale   int        `json:"stale"` // their input or the rule changed since
	Todo    int        `json:"todo"`  // never worked on
	LastRun *time.Time `json:"last_run"`
}

// Database is a database with its ledger.
type Database interface {
	pipeline.Queryer
	pipeline.Ledger
}

// Statuses returns the status of each stage.
func Statuses(ctx context.Context, db Database, list []pipeline.Stage) ([]Status, error) {
	last, err := lastRuns(ctx, db)
	if err != nil {
		return nil, err
	}
	var out []Status
	for _, s := range list {
		st, err := statusOf(ctx, db, s)
		if err != nil {
			return nil, err
		}
		if t, ok := last[s.Name()]; ok {
			st.LastRun = &t
		}
		out = append(out, st)
	}
	return out, nil
}

func statusOf(ctx context.Context, ledger pipeline.Ledger, s pipeline.Stage) (Status, error) {
	st := Status{Stage: s.Name()}
	latest, err := ledger.Latest(ctx, s.Name())
	if err != nil {
		return st, err
	}
	st.count(latest)
	p, ok := s.(pipeline.Planner)
	if !ok {
		return st, nil
	}
	refs, err := p.Plan(ctx)
	if err != nil {
		return st, fmt.Errorf("%s: %w", s.Name(), err)
	}
	st.plan(s.Version(), refs, latest)
	return st, nil
}

// count counts outcomes.
func (st *Status) count(latest map[string]schema.Outcome) {
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
}

// plan counts what a run would work on now.
func (st *Status) plan(version string, refs []pipeline.Ref, latest map[string]schema.Outcome) {
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

func lastRuns(ctx context.Context, db pipeline.Queryer) (map[string]time.Time, error) {
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
