package validate

import (
	"context"
	"slices"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// own is base with its own test files, without the hidden ones.
const own = "own"

// passedBefore runs base once with its own test files where it could not build the hidden
// ones, and notes which F2P tests pass there: they are no new behaviour. They stay F2P.
func (w *work) passedBefore(ctx context.Context, x target) error {
	if !w.unbuilt[x.Repository] {
		return nil
	}
	now, end := w.s.board.begin(x.Repository + " " + own)
	defer end()
	w.log.Info("running tests", "repo", x.Repository, "state", own, "running", now)
	q := w.request(x, own)
	q.Expected = nil
	q.Journal = w.journal(x, own, 1, q)
	rep, err := w.s.Runner.Run(ctx, q)
	if err != nil {
		return err
	}
	first := rep.First()
	w.rows.ownRuns = append(w.rows.ownRuns, []any{w.t.ID, x.Repository, string(first.Status), first.Detail,
		len(rep.Results),
		first.Duration.Seconds(), w.logName(x, own, 1, 1), first.Started})
	if unusable(first, base) != "" {
		return nil
	}
	for _, id := range w.passed(x.Repository) {
		if w.class(x.Repository, id) == schema.F2P && rep.Outcome(id) == schema.Pass {
			w.rows.passedBefore = append(w.rows.passedBefore, []any{w.t.ID, x.Repository, id})
		}
	}
	return nil
}

// isUnbuilt reports whether a run could not compile, import or collect some of its tests.
func isUnbuilt(a testrun.Attempt) bool {
	return slices.ContainsFunc(a.Parsed.Problems, func(p testreport.Problem) bool {
		return p.Kind == testreport.BuildFailed || p.Kind == testreport.CollectionError
	})
}
