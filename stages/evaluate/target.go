package evaluate

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

type targetVerdict struct {
	report schema.TargetReport
	runs   []ran
	last   *testrun.Report
}

// note puts a deviation from a plain run on a target's report, as a flag and in the list.
func (v *targetVerdict) note(kind, repository, detail string, files ...string) {
	v.report.Flags = append(v.report.Flags, flagText(kind, repository, detail, files))
	v.report.Deviations = append(v.report.Deviations, schema.Deviation{Kind: kind, Repository: repository, Files: files, Detail: detail})
}

// target judges one target: as submitted, and again with the runner configuration
// of base where the patch changed it.
func (t *trial) target(ctx context.Context, x release.Target) (*targetVerdict, error) {
	if err := t.broken[x.Repository]; err != nil {
		return &targetVerdict{report: unscored(x, schema.StatusInjectionFailed, "hidden tests: "+err.Error())}, nil
	}
	tv := &targetVerdict{}
	first, err := t.run(ctx, tv, x, t.laid, submitted)
	if err == nil && !first.Resolved && unbuilt(tv.last) {
		first, err = t.without(ctx, tv, x, first)
	}
	if err != nil {
		return nil, err
	}
	first.Flags = append(first.Flags, tv.report.Flags...)
	first.Deviations = append(first.Deviations, tv.report.Deviations...)
	tv.report = first
	tv.report.Deviations = append(tv.report.Deviations, t.st.made(x)...)
	if files := t.aside[x.Repository]; len(files) > 0 {
		tv.note(schema.DeviationAside, x.Repository, "they would keep the hidden tests from being built", files...)
	}
	if replaced := t.overlaid[x.Repository].Replaced; len(replaced) > 0 {
		tv.report.Replaced = replaced
		tv.report.Deviations = append(tv.report.Deviations, schema.Deviation{Kind: schema.DeviationReplaced, Repository: x.Repository, Files: replaced,
			Detail: "the prediction had changed them; the hidden version runs"})
	}
	if len(t.config) == 0 || t.st.bench.stage.guard() == GuardOff {
		return tv, nil
	}
	second, err := t.restored(ctx, tv, x)
	if err != nil {
		return nil, err
	}
	tv.note(schema.DeviationGuarded, "", fmt.Sprintf("%s (F2P %d/%d, P2P %d/%d)",
		second.Status, second.F2P.Passed, second.F2P.Total, second.P2P.Passed, second.P2P.Total))
	if second.Resolved != first.Resolved {
		tv.report.Resolved, tv.report.Status = false, schema.StatusDisputed
		tv.report.Reason = fmt.Sprintf("%s as submitted, %s with %s as on base", first.Status, second.Status, t.configNames(true))
	}
	return tv, nil
}

// configNames names the runner configuration that the patch changed, with the data of
// tests or without.
func (t *trial) configNames(data bool) string {
	var names []string
	for _, r := range slices.Sorted(maps.Keys(t.config)) {
		for _, f := range t.config[r] {
			if data || !t.data[r+"/"+f] {
				names = append(names, r+"/"+f)
			}
		}
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return strings.Join(names, ", ")
}

// copied lays what the trial has a second time, to be changed by change.
func (t *trial) copied(ctx context.Context, x release.Target, change func(repository, dir string) error) (*laid, func(), error) {
	ws, err := os.MkdirTemp(t.st.dir, "restored-")
	if err != nil {
		return nil, nil, err
	}
	w := t.st.bench.laid(ws, t.contexts)
	remove := func() { w.close(); _ = os.RemoveAll(ws) }
	for _, repository := range append(append([]string{x.Repository}, t.st.siblings(x.Repository)...), t.contexts...) {
		dir := workspace.TreePath(ws, repository)
		err := workspace.CopyTree(ctx, workspace.TreePath(t.ws, repository), dir)
		if err == nil {
			err = change(repository, dir)
		}
		if err != nil {
			remove()
			return nil, nil, err
		}
	}
	return w, remove, nil
}

func (t *trial) restored(ctx context.Context, tv *targetVerdict, x release.Target) (schema.TargetReport, error) {
	w, remove, err := t.copied(ctx, x, func(repository, dir string) error {
		if err := t.restore(repository, dir); err != nil || repository != x.Repository {
			return err
		}
		return t.setAside(x, dir, t.aside[x.Repository])
	})
	if err != nil {
		return schema.TargetReport{}, err
	}
	defer remove()
	return t.run(ctx, tv, x, w, baseConfig)
}

// run runs a target's tests in a workspace and reads the verdict off. What met its
// time limit, and a runner that came down by chance (see [testrun.Report.Vanished]),
// is run again alone: that run counts.
func (t *trial) run(ctx context.Context, tv *targetVerdict, x release.Target, w *laid, variant string) (schema.TargetReport, error) {
	stage := t.st.bench.stage
	r, hung, err := t.once(ctx, tv, x, w, variant, false)
	if err != nil {
		return r, err
	}
	first := &tv.runs[len(tv.runs)-1]
	why := ""
	switch {
	case hung:
		first.Variant += timedOut
		why = fmt.Sprintf("no end within %s in the first run (%.0f s)", stage.limitsOf(x).Timeout, first.Seconds)
	case !r.Resolved && tv.last.Vanished():
		first.Variant += cameDown
		why = fmt.Sprintf("the first run %s; what ran then passes by itself", tv.last.First().Detail)
	}
	if why != "" {
		if r, hung, err = t.once(ctx, tv, x, w, variant, true); err != nil {
			return r, err
		}
		last := tv.runs[len(tv.runs)-1]
		tv.note(schema.DeviationAlone, x.Repository, fmt.Sprintf("%s; alone: %s after %.0f s", why, last.Status, last.Seconds))
	}
	if hung {
		ends, err := t.st.goldEnds(ctx, x)
		if err != nil {
			return r, err
		}
		if !ends {
			return r, fmt.Errorf("gold of %s does not end within its time limits (%s) here either, even alone; give more with --timeout", x.Repository, stage.limitsOf(x).Timeout)
		}
	}
	if r.Status == schema.StatusUnresolved && blank(t.prediction) {
		r.Status = schema.StatusEmpty
	}
	return r, nil
}

// once is one run. hung says that it met a time limit that decided its verdict.
func (t *trial) once(ctx context.Context, tv *targetVerdict, x release.Target, w *laid, variant string, alone bool) (r schema.TargetReport, hung bool, err error) {
	stage := t.st.bench.stage
	q, err := t.st.request(ctx, x, w)
	if err != nil {
		return r, false, err
	}
	q.Alone = alone
	rep, err := stage.Runner.Run(ctx, q)
	if err != nil {
		return r, false, t.st.gone(x.Repository, err)
	}
	log := t.unit.logPath(x.Repository, variant)
	if err := writeLog(filepath.Join(stage.Out, filepath.FromSlash(log)), rep); err != nil {
		return r, false, err
	}
	r, tests := judge(rep, x)
	r.Log, tv.last = log, rep
	tv.runs = append(tv.runs, row(x.Repository, variant, q.Image, log, rep, tests))
	return r, r.Status == schema.StatusTimeout || rep.First().Hung && !r.Resolved, nil
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
