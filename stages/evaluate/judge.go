package evaluate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// The variants of a run.
const (
	submitted  = "submitted"
	baseConfig = "base_config" // with the runner configuration that the patch changed as on base
)

// verdict is one item's.
type verdict struct {
	report schema.TaskReport
	runs   []ran
}

// ran is one run of a target.
type ran struct {
	target, variant, image, log string
	rep                         *testrun.Report
	tests                       []scored
}

// scored is one test that decides, with its outcome.
type scored struct {
	id      string
	class   schema.Class
	outcome schema.TestOutcome
	message string
}

// evaluate judges one item.
func (b *bench) evaluate(ctx context.Context, u unit) (*verdict, error) {
	st, err := b.stand(ctx, u.Task)
	if err != nil {
		return nil, err
	}
	v := &verdict{report: schema.TaskReport{Model: u.Model, Mode: u.Mode, Attempt: u.Attempt, Targets: map[string]schema.TargetReport{}}}
	begun := time.Now()
	if u.Mode == schema.Independent {
		err = v.independent(ctx, st, u)
	} else {
		err = v.trial(ctx, st, u, u.Predictions[0], st.task.Hidden)
	}
	if err != nil {
		return nil, err
	}
	v.report.Seconds = time.Since(begun).Seconds()
	for _, p := range u.Predictions {
		if p.Run != nil {
			v.report.APIRequests += p.Run.APIRequests
		}
	}
	v.report.Status, v.report.Reason = overall(v.report.Targets)
	v.report.Resolved = v.report.Status == schema.StatusResolved
	slices.Sort(v.report.Patched)
	v.report.Patched = slices.Compact(v.report.Patched)
	return v, nil
}

// independent judges each target by its own prediction, the others at gold, never
// two predictions in one workspace.
func (v *verdict) independent(ctx context.Context, st *stand, u unit) error {
	for _, t := range st.task.Hidden {
		i := slices.IndexFunc(u.Predictions, func(p schema.Prediction) bool { return p.Target == t.Repository })
		if i < 0 {
			v.report.Targets[t.Repository] = unscored(t, schema.StatusMissing, "no prediction for this target")
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
	tr := &trial{st: st, unit: u, prediction: p, ws: ws, targets: targets, overlaid: map[string]workspace.Overlaid{}, broken: map[string]error{}, config: map[string][]string{}}
	if err := tr.lay(ctx); err != nil {
		return err
	}
	status, reason, err := tr.apply(ctx)
	if err != nil {
		return err
	}
	v.report.Patched = append(v.report.Patched, tr.patched...)
	v.report.Flags = append(v.report.Flags, tr.flags...)
	if status != "" {
		for _, t := range targets {
			v.report.Targets[t.Repository] = unscored(t, status, reason)
		}
		return nil
	}
	if err := tr.overlay(ctx); err != nil {
		return err
	}
	for _, t := range targets {
		tv, err := tr.target(ctx, t)
		if err != nil {
			return err
		}
		v.report.Targets[t.Repository] = tv.report
		v.runs = append(v.runs, tv.runs...)
	}
	return nil
}

// target judges one target: as submitted, and again with the runner configuration
// of base where the patch changed it.
func (t *trial) target(ctx context.Context, x release.Target) (*targetVerdict, error) {
	if err := t.broken[x.Repository]; err != nil {
		return &targetVerdict{report: unscored(x, schema.StatusInjectionFailed, "hidden tests: "+err.Error())}, nil
	}
	tv := &targetVerdict{}
	first, err := t.run(ctx, tv, x, t.ws, submitted)
	if err != nil {
		return nil, err
	}
	tv.report = first
	tv.report.Replaced = t.overlaid[x.Repository].Replaced
	if len(t.config) == 0 {
		return tv, nil
	}
	second, err := t.restored(ctx, tv, x)
	if err != nil {
		return nil, err
	}
	tv.report.Flags = append(tv.report.Flags, fmt.Sprintf("with the runner configuration of base: %s (F2P %d/%d, P2P %d/%d)",
		second.Status, second.F2P.Passed, second.F2P.Total, second.P2P.Passed, second.P2P.Total))
	if second.Resolved != first.Resolved {
		tv.report.Resolved, tv.report.Status = false, schema.StatusDisputed
		tv.report.Reason = fmt.Sprintf("%s as submitted, %s with %s as on base", first.Status, second.Status, t.configNames())
	}
	return tv, nil
}

func (t *trial) configNames() string {
	var names []string
	for _, r := range sortedKeys(t.config) {
		for _, f := range t.config[r] {
			names = append(names, r+"/"+f)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return strings.Join(names, ", ")
}

func (t *trial) restored(ctx context.Context, tv *targetVerdict, x release.Target) (schema.TargetReport, error) {
	ws, err := os.MkdirTemp(t.st.dir, "restored-")
	if err != nil {
		return schema.TargetReport{}, err
	}
	defer os.RemoveAll(ws)
	for _, repository := range append(append([]string{x.Repository}, t.st.siblings(x.Repository)...), t.contexts...) {
		dir := workspace.TreePath(ws, repository)
		if err := workspace.CopyTree(ctx, workspace.TreePath(t.ws, repository), dir); err != nil {
			return schema.TargetReport{}, err
		}
		if err := workspace.Restore(workspace.TreePath(t.st.pristine(), repository), dir, t.config[repository]); err != nil {
			return schema.TargetReport{}, err
		}
	}
	return t.run(ctx, tv, x, ws, baseConfig)
}

type targetVerdict struct {
	report schema.TargetReport
	runs   []ran
}

// run runs a target's tests in a workspace and reads the verdict off.
func (t *trial) run(ctx context.Context, tv *targetVerdict, x release.Target, ws, variant string) (schema.TargetReport, error) {
	stage := t.st.bench.stage
	q, err := t.st.request(ctx, x, ws, t.contexts)
	if err != nil {
		return schema.TargetReport{}, err
	}
	q.Labels = map[string]string{"wideswe.task": t.unit.Task}
	rep, err := stage.Runner(stage.limitsOf(x)).Run(ctx, q)
	if err != nil {
		return schema.TargetReport{}, err
	}
	log := t.unit.logPath(x.Repository, variant)
	if err := writeLog(filepath.Join(stage.Out, filepath.FromSlash(log)), rep); err != nil {
		return schema.TargetReport{}, err
	}
	r, tests := judge(rep, x)
	r.Log = log
	tv.runs = append(tv.runs, ran{x.Repository, variant, q.Image, log, rep, tests})
	if r.Status == schema.StatusTimeout || rep.First().Hung && !r.Resolved {
		ends, err := t.st.goldEnds(ctx, x)
		if err != nil {
			return r, err
		}
		if !ends {
			return r, fmt.Errorf("gold of %s does not end within its time limits (%s) here either; give more with --timeout, or fewer --workers", x.Repository, stage.limitsOf(x).Timeout)
		}
	}
	if r.Status == schema.StatusUnresolved && blank(t.prediction) {
		r.Status = schema.StatusEmpty
	}
	return r, nil
}

// judge reads a target's verdict off its run. A missing test fails; a run whose
// exit, counts and report disagree gives no test a pass.
func judge(rep *testrun.Report, x release.Target) (schema.TargetReport, []scored) {
	first := rep.First()
	stands := first.Status == testrun.OK || first.Status == testrun.Crashed
	r := schema.TargetReport{}
	messages := map[string]string{}
	for _, t := range rep.Results {
		messages[t.ID] = t.Message
	}
	twice := namesakes(rep, x)
	for _, a := range rep.Attempts {
		r.Seconds += a.Duration.Seconds()
	}
	var tests []scored
	tally := func(class schema.Class, ids []string) schema.Tally {
		n := schema.Tally{Total: len(ids)}
		for _, id := range ids {
			s := scored{id, class, rep.Outcome(id), messages[id]}
			if o, ok := twice[id]; ok && s.outcome == schema.Pass {
				s.outcome, s.message = o, "another test of the same name did not pass"
			}
			tests = append(tests, s)
			if stands && s.outcome == schema.Pass {
				n.Passed++
			} else if s.outcome != schema.Pass && len(r.Failing) < schema.MaxFailing {
				r.Failing = append(r.Failing, schema.FailingTest{ID: id, Class: class, Outcome: s.outcome, Message: tail(s.message)})
			}
		}
		return n
	}
	r.F2P, r.P2P = tally(schema.F2P, x.Tests.F2P), tally(schema.P2P, x.Tests.P2P)
	r.Status, r.Reason = status(first, r.F2P, r.P2P)
	r.Resolved = r.Status == schema.StatusResolved
	return r, tests
}

var numbered = regexp.MustCompile(` #\d+$`)

// namesakes gives the outcomes of Go tests that bear a deciding test's name, that
// validation did not know and that did not pass. A patch can put a test of the
// same name into the other package of a folder, where it runs first and takes the
// name; which of the two is the hidden one the report does not say.
func namesakes(rep *testrun.Report, x release.Target) map[string]schema.TestOutcome {
	out := map[string]schema.TestOutcome{}
	if x.Recipe.Toolchain != "go" {
		return out
	}
	for _, t := range rep.Results {
		first := numbered.ReplaceAllString(t.ID, "")
		if first == t.ID || t.Outcome == schema.Pass || slices.Contains(x.Tests.F2P, t.ID) || slices.Contains(x.Tests.P2P, t.ID) || slices.Contains(x.Tests.Unstable, t.ID) {
			continue
		}
		out[first] = t.Outcome
	}
	return out
}

func status(a testrun.Attempt, f2p, p2p schema.Tally) (status, reason string) {
	switch a.Status {
	case testrun.Timeout:
		return schema.StatusTimeout, a.Detail
	case testrun.Inconsistent:
		return schema.StatusInconsistent, a.Detail
	case testrun.NoReport:
		// A runner that says all is well and reports nothing was taken over.
		if a.ExitCode == 0 {
			return schema.StatusInconsistent, a.Detail
		}
		return schema.StatusUnresolved, "no test report: " + a.Detail
	case testrun.BuildFailed:
		return schema.StatusUnresolved, "build failed: " + a.Detail
	}
	if f2p.Whole() && p2p.Passed == p2p.Total {
		return schema.StatusResolved, ""
	}
	return schema.StatusUnresolved, a.Detail
}

func tail(s string) string {
	if len(s) <= schema.MaxFailingMessage {
		return s
	}
	return strings.ToValidUTF8("…"+s[len(s)-schema.MaxFailingMessage+8:], "\uFFFD")
}

// unscored is the verdict on a target whose tests did not run.
func unscored(t release.Target, status, reason string) schema.TargetReport {
	return schema.TargetReport{Status: status, Reason: reason, F2P: schema.Tally{Total: len(t.Tests.F2P)}, P2P: schema.Tally{Total: len(t.Tests.P2P)}}
}

// gravity orders the states for a task whose targets differ: what says that the
// score is not known comes first, then what says most of the prediction.
var gravity = []string{schema.StatusInfra, schema.StatusMissing, schema.StatusPatchUnsafe, schema.StatusPatchFailed, schema.StatusInjectionFailed,
	schema.StatusInconsistent, schema.StatusTimeout, schema.StatusUnresolved, schema.StatusEmpty, schema.StatusDisputed, schema.StatusResolved}

// overall gives a task's state: resolved where every target is.
func overall(targets map[string]schema.TargetReport) (status, reason string) {
	for _, s := range gravity {
		for _, r := range sortedKeys(targets) {
			if targets[r].Status == s {
				return s, targets[r].Reason
			}
		}
	}
	return schema.StatusInfra, "no target was judged"
}

// writeLog keeps what the runs printed.
func writeLog(file string, rep *testrun.Report) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	var b strings.Builder
	for i, a := range rep.Attempts {
		fmt.Fprintf(&b, "== run %d: %s, exit %d, %.1f s %s\n", i+1, a.Status, a.ExitCode, a.Duration.Seconds(), a.Detail)
		if len(a.Only) > 0 || len(a.Skip) > 0 {
			fmt.Fprintf(&b, "== only %q, without %q\n", a.Only, a.Skip)
		}
		b.Write(a.Output)
		if a.Truncated > 0 {
			fmt.Fprintf(&b, "\n== %d bytes of output were left out\n", a.Truncated)
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}
