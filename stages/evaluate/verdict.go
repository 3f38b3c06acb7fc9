package evaluate

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// The variants of a run. What met its time limit beside other runs, or came down there
// and did not by itself, keeps its row under the name with timedOut or cameDown added;
// the run that counts is the one made alone.
const (
	submitted  = "submitted"
	baseConfig = "base_config" // with the runner configuration that the patch changed as on base
	timedOut   = "_timeout"
	cameDown   = "_crash"
	// Where the hidden tests could be built only with the prediction's own tests aside,
	// that run is the submitted one, and the first keeps its rows as own_tests; own_aside
	// is such a run that came no further.
	ownTests = "own_tests"
	ownAside = "own_aside"
)

// verdict is one item's. It is kept as JSON, too, to be used again for a prediction
// of the same content.
type verdict struct {
	Report schema.TaskReport `json:"report"`
	Runs   []ran             `json:"runs"`
}

// ran is one run of a target.
type ran struct {
	Target   string   `json:"target"`
	Variant  string   `json:"variant"`
	Status   string   `json:"status"`
	Detail   string   `json:"detail"`
	ExitCode int      `json:"exit_code"`
	TimedOut bool     `json:"timed_out"`
	OOM      bool     `json:"oom"`
	Runs     int      `json:"runs"`
	Seconds  float64  `json:"seconds"`
	Image    string   `json:"image"`
	Log      string   `json:"log"`
	Tests    []scored `json:"tests"`
	// Outcomes are all that the runs reported, see [outcomes].
	Outcomes []outcome `json:"outcomes"`
}

// scored is one test that decides, with its outcome.
type scored struct {
	ID      string             `json:"id"`
	Class   schema.Class       `json:"class"`
	Outcome schema.TestOutcome `json:"outcome"`
	Message string             `json:"message"`
}

// evaluate judges one item.
func (b *bench) evaluate(ctx context.Context, u unit) (*verdict, error) {
	st, err := b.stand(ctx, u.Task)
	if err != nil {
		return nil, err
	}
	v := &verdict{Report: schema.TaskReport{Targets: map[string]schema.TargetReport{}}}
	host, err := b.host(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if u.Mode == schema.Independent {
		err = v.independent(ctx, st, u)
	} else {
		err = v.trial(ctx, st, u, u.Predictions[0], st.task.Hidden)
	}
	if err != nil {
		return nil, err
	}
	r := &v.Report
	if len(v.Runs) > 0 {
		r.Machine = &host
	}
	r.Seconds = time.Since(begun).Seconds()
	r.Status, r.Reason = overall(r.Targets)
	r.Resolved = r.Status == schema.StatusResolved
	slices.Sort(r.Patched)
	r.Patched = slices.Compact(r.Patched)
	return v, nil
}

// named puts on a verdict what belongs to the prediction and not to its patches. The
// requests of an independent task are known where those of each of its runs are.
func (v *verdict) named(u unit) *verdict {
	r := &v.Report
	r.Model, r.Mode, r.Attempt, r.APIRequests = u.Model, u.Mode, u.Attempt, 0
	for _, p := range u.Predictions {
		if p.Run == nil || p.Run.APIRequests == 0 {
			r.APIRequests = 0
			break
		}
		r.APIRequests += p.Run.APIRequests
	}
	return v
}

// independent judges each target by its own prediction, the others at gold, never
// two predictions in one workspace.
func (v *verdict) independent(ctx context.Context, st *stand, u unit) error {
	for _, t := range st.task.Hidden {
		i := slices.IndexFunc(u.Predictions, func(p schema.Prediction) bool { return p.Target == t.Repository })
		if i < 0 {
			v.Report.Targets[t.Repository] = unscored(t, schema.StatusMissing, "no prediction for this target")
			continue
		}
		if err := v.trial(ctx, st, u, u.Predictions[i], []release.Target{t}); err != nil {
			return err
		}
	}
	return nil
}

// trial lays one workspace with one prediction and judges the targets given.
func (v *verdict) trial(ctx context.Context, st *stand, u unit, p schema.Prediction, targets []release.Target) error {
	ws, err := os.MkdirTemp(st.dir, "trial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(ws)
	tr := &trial{st: st, unit: u, prediction: p, ws: ws, targets: targets, overlaid: map[string]workspace.Overlaid{}, broken: map[string]error{}, touched: map[string][]string{}, aside: map[string][]string{},
		config: map[string][]string{}, partly: map[string][]byte{}}
	if err := tr.lay(ctx); err != nil {
		return err
	}
	status, reason, err := tr.apply(ctx)
	if err != nil {
		return err
	}
	if names := tr.configNames(false); status == "" && names != "" && st.bench.stage.guard() == GuardReject {
		status, reason = schema.StatusRejected, "runner configuration was changed: "+names
	}
	v.Report.Patched = append(v.Report.Patched, tr.patched...)
	v.Report.Flags = append(v.Report.Flags, tr.flags...)
	v.Report.Deviations = append(v.Report.Deviations, tr.deviations...)
	if status != "" {
		for _, t := range targets {
			v.Report.Targets[t.Repository] = unscored(t, status, reason)
		}
		return nil
	}
	if err := tr.overlay(ctx); err != nil {
		return err
	}
	tr.laid = st.bench.laid(ws, tr.contexts)
	defer tr.laid.close()
	for _, t := range targets {
		tv, err := tr.target(ctx, t)
		if err != nil {
			return err
		}
		v.Report.Targets[t.Repository] = tv.report
		v.Runs = append(v.Runs, tv.runs...)
	}
	return nil
}

// gravity orders the states for a task whose targets differ: what says that the
// score is not known comes first, then what says most of the prediction.
var gravity = []string{schema.StatusInfra, schema.StatusMissing, schema.StatusPatchUnsafe, schema.StatusPatchFailed, schema.StatusRejected, schema.StatusInjectionFailed,
	schema.StatusInconsistent, schema.StatusTimeout, schema.StatusUnresolved, schema.StatusEmpty, schema.StatusDisputed, schema.StatusResolved}

// overall gives a task's state: resolved where every target is.
func overall(targets map[string]schema.TargetReport) (status, reason string) {
	for _, s := range gravity {
		for _, r := range slices.Sorted(maps.Keys(targets)) {
			if targets[r].Status == s {
				return s, targets[r].Reason
			}
		}
	}
	return schema.StatusInfra, "no target was judged"
}

// row makes what is stored of a run.
func row(target, variant, image, log string, rep *testrun.Report, tests []scored) ran {
	a := rep.First()
	r := ran{Target: target, Variant: variant, Status: string(a.Status), Detail: a.Detail, ExitCode: a.ExitCode, TimedOut: a.TimedOut, OOM: a.OOM,
		Runs: len(rep.Attempts), Image: image, Log: log, Tests: tests, Outcomes: outcomes(rep)}
	for _, x := range rep.Attempts {
		r.Seconds += x.Duration.Seconds()
	}
	return r
}
