package evaluate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// targetRuns are the runs of one target in one attempt, in their order.
type targetRuns struct {
	*target
	key            results.Key
	out            string
	changesNothing bool // the prediction
	all            []verdict.Run
	last           *testrun.Report
	notes          verdict.Notes
}

// run runs the target's tests in a workspace and scores them. A run that met its time
// limit, and a runner that came down by chance (see [testrun.Report.Vanished]), is
// repeated alone: that run counts.
func (r *targetRuns) run(ctx context.Context, w *sharedWorkspace, variant string) (schema.TargetReport, error) {
	report, hung, err := r.once(ctx, w, variant, false)
	if err != nil {
		return report, err
	}
	if report, hung, err = r.onceAllowed(ctx, w, variant, report, hung); err != nil {
		return report, err
	}
	if why := r.repeatReason(report, hung); why != "" {
		if report, hung, err = r.once(ctx, w, variant, true); err != nil {
			return report, err
		}
		r.noteAlone(why)
	}
	if hung {
		if err := r.checkGoldEnds(ctx); err != nil {
			return report, err
		}
	}
	if report.Status == schema.StatusUnresolved && r.changesNothing {
		report.Status = schema.StatusEmpty
	}
	return report, nil
}

// once is one run. hung tells that it met a time limit that decided its verdict.
func (r *targetRuns) once(ctx context.Context, w *sharedWorkspace, variant string, alone bool) (
	report schema.TargetReport, hung bool, err error) {
	q, err := r.request(ctx, w)
	if err != nil {
		return report, false, err
	}
	q.Alone = alone
	rep, err := r.runner.Run(ctx, q)
	if err != nil {
		return report, false, r.forgetImage(err)
	}
	report, run, err := r.score(ctx, rep)
	if err != nil {
		return report, false, err
	}
	log, err := results.WriteLog(r.out, r.key, r.Repository, variant, verdict.LogText(rep))
	if err != nil {
		return report, false, err
	}
	run.Variant, run.Image, run.Log = variant, q.Image, log
	report.Log, r.last, r.all = log, rep, append(r.all, run)
	return report, report.Status == schema.StatusTimeout || rep.First().Hung && !report.Resolved, nil
}

// onceAllowed repeats a run that may have failed since the hidden files are not its own,
// where gold's run fails by that, too.
func (r *targetRuns) onceAllowed(ctx context.Context, w *sharedWorkspace, variant string,
	first schema.TargetReport, hung bool) (schema.TargetReport, bool, error) {
	if first.Resolved || !deniedInside(r.last) {
		return first, hung, nil
	}
	left, err := r.leaveHidden(ctx)
	if err != nil || !left {
		return first, hung, err
	}
	r.all[len(r.all)-1].Variant += verdict.Denied
	return r.once(ctx, w, variant, false)
}

// deniedInside tells whether a run may have failed since the hidden files are not its
// own: only then is gold asked whether it needs them to be.
func deniedInside(rep *testrun.Report) bool {
	return slices.ContainsFunc(rep.Attempts, func(a testrun.Attempt) bool { return denied.Match(a.Output) })
}

var denied = regexp.MustCompile(`(?i)permission denied|not permitted|EACCES|EPERM|PermissionError|AccessDenied`)

// score scores a run. One that would resolve the target counts only if the hidden files
// are what ran: those that gold's run leaves unchanged are as they were laid, and those
// that it was seen to read were read. What gold resolves outside the workspace must
// resolve outside it, too.
func (r *targetRuns) score(ctx context.Context, rep *testrun.Report) (schema.TargetReport, verdict.Run, error) {
	report, run := verdict.Score(rep, r.Target)
	report.AsSubmitted = report.Resolved
	if !report.Resolved || len(rep.Changed())+len(rep.Unread()) == 0 && !r.hasNewNames(rep.Names()) {
		return report, run, nil
	}
	gold, err := r.atGoldAlone(ctx)
	if err != nil {
		return report, run, err
	}
	changed, unread := without(rep.Changed(), gold.changed), without(rep.Unread(), gold.unread)
	switch {
	case len(changed) > 0:
		rep.Distrust("the run changed test files that gold's run leaves as they are: " + firstThree(changed))
	case len(unread) > 0:
		rep.Distrust("the run did not read hidden files that gold's run reads: " + firstThree(unread))
	case rep.Names().Lost && !gold.names.Lost:
		rep.Distrust("the list of what test names resolve to was changed after it was written")
	case len(rep.Names().Taken(gold.names)) > 0:
		rep.Distrust("names that gold resolves outside the workspace resolve inside it: " +
			firstThree(rep.Names().Taken(gold.names)))
	default:
		return report, run, nil
	}
	distrusted, run := verdict.Score(rep, r.Target)
	report.Resolved, report.Status, report.Reason = false, distrusted.Status, distrusted.Reason
	report.Flags = distrusted.Flags
	return report, run, nil
}

// hasNewNames says that a name leads to what gold's trees don't have, or that it is not
// known where names lead: only then is gold asked.
func (r *targetRuns) hasNewNames(n testrun.Names) bool {
	for _, place := range n.Inside {
		if _, err := os.Lstat(filepath.Join(r.folders.gold(), filepath.FromSlash(place))); err != nil {
			return true
		}
	}
	return n.Lost
}

// without are the files that are not among others.
func without(files, others []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return slices.Contains(others, f) })
}

func firstThree(files []string) string { return strings.Join(files[:min(3, len(files))], ", ") }

// repeatReason says why the run that was just made does not count, "" where it does. It is kept
// under a variant of its own.
func (r *targetRuns) repeatReason(report schema.TargetReport, hung bool) string {
	run := &r.all[len(r.all)-1]
	switch {
	case hung:
		run.Variant += verdict.TimedOut
		return fmt.Sprintf("no end within %s in the first run (%.0f s)", r.limits.Timeout, run.Seconds)
	case !report.Resolved && r.last.Vanished():
		run.Variant += verdict.Crashed
		return fmt.Sprintf("the first run %s; what ran then passes by itself", r.last.First().Detail)
	}
	return ""
}

func (r *targetRuns) noteAlone(why string) {
	last := r.all[len(r.all)-1]
	r.notes.Add(schema.DeviationAlone, r.Repository,
		fmt.Sprintf("%s; alone: %s after %.0f s", why, last.Status, last.Seconds))
}

// checkGoldEnds makes a hang that gold has too trouble of this machine.
func (r *targetRuns) checkGoldEnds(ctx context.Context) error {
	gold, err := r.atGoldAlone(ctx)
	if err == nil && !gold.ends {
		err = fmt.Errorf("gold of %s does not end within its time limits (%s) here either, even alone; "+
			"give more with --timeout", r.Repository, r.limits.Timeout)
	}
	return err
}

// preferLast makes the last run the submitted one: the first keeps its rows as the one
// with the prediction's own tests.
func (r *targetRuns) preferLast() {
	for i := range r.all {
		switch r.all[i].Variant {
		case verdict.Submitted:
			r.all[i].Variant = verdict.OwnTests
		case verdict.OwnAside:
			r.all[i].Variant = verdict.Submitted
		}
	}
}
