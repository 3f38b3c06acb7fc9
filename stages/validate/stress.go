package validate

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// shiftDays is how far the variant clock sets the clock ahead: over a year, which is
// what certificates and dates written into tests tend to be good for.
const shiftDays = 400

// steady are the variants under which nothing may change, in the order they run.
var steady = []testrun.Variant{testrun.Order, testrun.OneCPU, testrun.Zone, testrun.Clock}

// What became of a test under a variant.
const (
	holds      = "holds"
	breaks     = "breaks"
	wavers     = "wavers" // broke once of two
	needed     = "needed" // network, root: it passes with it only
	fails      = "fails"  // network, root: with it, too
	notChecked = "not_checked"
)

// told is the outcome of a test under a variant, with its reason.
type told struct{ outcome, detail string }

// stress runs gold of a target once more under each variant.
func (w *work) stress(ctx context.Context, x target) error {
	for _, v := range steady {
		if err := w.hold(ctx, x, v, w.always(x.Repository, schema.Pass)); err != nil {
			return err
		}
	}
	if err := w.needs(ctx, x); err != nil {
		return err
	}
	if w.count(x.Repository, schema.F2P) == 0 {
		return pipeline.Skip("no F2P in %s that stays under stress", x.Repository)
	}
	return nil
}

// always lists the tests that ended on gold with one of some outcomes in every repeat.
func (w *work) always(repository string, with ...schema.TestOutcome) (ids []string) {
	repeats := w.ends[repository][gold]
	if len(repeats) == 0 {
		return nil
	}
	for id := range repeats[0] {
		if !slices.ContainsFunc(repeats, func(ends map[string]schema.TestOutcome) bool {
			return !slices.Contains(with,
				ends[id])
		}) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// hold asks whether tests that pass pass under a variant, too. What breaks is run
// again; what breaks under a shifted clock is run with the clock left alone, since it
// may be the preloaded library that it can't bear.
func (w *work) hold(ctx context.Context, x target, v testrun.Variant, ids []string) error {
	first, err := w.try(ctx, x, v, 1, ids)
	if err != nil {
		return err
	}
	said := map[string]told{}
	for _, id := range ids {
		said[id] = first(id)
	}
	if len(broken(said)) > 0 {
		if err := w.again(ctx, x, v, ids, said); err != nil {
			return err
		}
	}
	if v == testrun.Clock && len(broken(said)) > 0 {
		if err := w.unshifted(ctx, x, ids, said); err != nil {
			return err
		}
	}
	w.tell(x, v, ids, said)
	for id, t := range said {
		if t.outcome == wavers || t.outcome == breaks && v != testrun.Clock {
			w.shake(x.Repository, id)
		}
	}
	return nil
}

func broken(said map[string]told) (ids []string) {
	for id, t := range said {
		if t.outcome == breaks {
			ids = append(ids, id)
		}
	}
	return ids
}

// again tells what wavers from what breaks.
func (w *work) again(ctx context.Context, x target, v testrun.Variant, ids []string, said map[string]told) error {
	second, err := w.try(ctx, x, v, 2, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		t := said[id]
		switch now := second(id); {
		case t.outcome == breaks && now.outcome == holds:
			t.outcome = wavers
		case t.outcome == holds && now.outcome == breaks:
			t = now
			t.outcome = wavers
		}
		said[id] = t
	}
	return nil
}

func (w *work) unshifted(ctx context.Context, x target, ids []string, said map[string]told) error {
	third, err := w.try(ctx, x, testrun.Clock, 3, ids)
	if err != nil {
		return err
	}
	for _, id := range broken(said) {
		if t := third(id); t.outcome != holds {
			said[id] = told{notChecked, "it does not pass beside libfaketime with the clock left alone either: " + t.detail}
		}
	}
	return nil
}

// needs asks of tests that fail on gold in every repeat whether the network, or root,
// is what they lack.
func (w *work) needs(ctx context.Context, x target) error {
	ids := w.always(x.Repository, schema.Fail, schema.Error)
	if len(ids) == 0 {
		return nil
	}
	for _, v := range []testrun.Variant{testrun.Network, testrun.Root} {
		first, err := w.try(ctx, x, v, 1, ids)
		if err != nil {
			return err
		}
		said := map[string]told{}
		for _, id := range ids {
			t := first(id)
			switch t.outcome {
			case holds:
				t.outcome = needed
			case breaks:
				t.outcome = fails
			}
			said[id] = t
		}
		w.tell(x, v, ids, said)
	}
	return nil
}

// try runs gold under a variant and gives what it says of a test.
func (w *work) try(ctx context.Context, x target, v testrun.Variant, try int, ids []string) (func(id string) told,
	error) {
	unchecked := func(why string) (func(string) told, error) {
		w.rows.stressRuns = append(w.rows.stressRuns, []any{w.t.ID, x.Repository, string(v), try, notChecked, why,
			shift(v, try), 0.0, "", nil})
		return func(string) told { return told{notChecked, why} }, nil
	}
	if len(ids) == 0 {
		return unchecked("no test passes on gold in every repeat")
	}
	state := gold + "-" + string(v)
	now, end := w.s.board.begin(x.Repository + " " + state)
	defer end()
	q := w.request(x, gold)
	q.Expected = ids
	s := testrun.Stress{Variant: v, Seed: seed(w.t.ID, x.Repository), Shift: time.Duration(shift(v, try)) * 24 * time.Hour}
	if v == testrun.Clock && w.s.Runner.CanShiftClock(q.Recipe) {
		why, err := w.clockImage(ctx, x, &q)
		if err != nil {
			return nil, err
		}
		if why != "" {
			return unchecked(why)
		}
	}
	w.log.Info("running tests", "repo", x.Repository, "state", state, "repeat", try, "running", now)
	q.Journal = w.journal(x, state, try, q)
	rep, why, err := w.s.Runner.Stress(ctx, q, s)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return unchecked(why)
	}
	a := rep.First()
	w.rows.stressRuns = append(w.rows.stressRuns, []any{w.t.ID, x.Repository, string(v), try, string(a.Status), a.Detail,
		shift(v, try),
		a.Duration.Seconds(), w.logName(x, state, try, 1), a.Started})
	return answer(rep), nil
}

// shift is how many days the clock is off.
func shift(v testrun.Variant, try int) int {
	if v != testrun.Clock || try > 2 {
		return 0
	}
	return shiftDays
}

// seed is the same for a target whenever it is asked for.
func seed(task, repository string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(task + "\x00" + repository)) // never fails
	return int64(h.Sum32()>>1) + 1
}

// answer reads a test's outcome from a run that may have said little.
func answer(rep *testrun.Report) func(id string) told {
	a := rep.First()
	unusable := unusable(a, gold)
	messages := map[string]string{}
	for _, t := range rep.Results {
		messages[t.ID] = t.Message
	}
	return func(id string) told {
		switch o := rep.Outcome(id); {
		case a.Status == testrun.Inconsistent || a.Status == testrun.NoReport:
			return told{notChecked, unusable}
		case o == schema.Pass:
			return told{holds, ""}
		case o == schema.NotRun, o == schema.Missing && unusable != "":
			return told{notChecked, "the run ended before it: " + string(a.Status) + ": " + a.Detail}
		default:
			return told{breaks, outcomeWord(o) + suffix(messages[id])}
		}
	}
}

// maxTold bounds what is kept of a test's own words.
const maxTold = 500

func suffix(message string) string {
	if message == "" {
		return ""
	}
	r := []rune(message)
	return ": " + string(r[max(0, len(r)-maxTold):])
}

// tell takes down what became of tests.
func (w *work) tell(x target, v testrun.Variant, ids []string, said map[string]told) {
	for _, id := range ids {
		w.rows.stressed = append(w.rows.stressed, []any{w.t.ID, x.Repository, id, string(v), said[id].outcome,
			said[id].detail})
	}
}

func (w *work) shake(repository, id string) {
	if w.shaken[repository] == nil {
		w.shaken[repository] = map[string]bool{}
	}
	w.shaken[repository][id] = true
}

// clockImage lays the trees over an image that has libfaketime.
func (w *work) clockImage(ctx context.Context, x target, q *testrun.Request) (notMade string, err error) {
	img, notMade, err := w.s.Runner.ClockImage(ctx, testrun.ImageRequest{Repository: x.Repository, Task: w.t.ID},
		w.images[x.Repository].ID)
	if err != nil || notMade != "" {
		return notMade, err
	}
	q.Image = img
	key := x.Repository + " clock"
	if w.laid[key] == nil {
		w.laid[key] = w.s.Runner.Workspace(*q)
	}
	q.Laid = w.laid[key]
	return "", nil
}

// unstressed notes for each target that the task ended before its turn came.
func (w *work) unstressed(why error) {
	for _, x := range w.t.Targets {
		if slices.ContainsFunc(w.rows.stressRuns, func(r []any) bool {
			return r[1] == x.Repository &&
				r[2] == string(steady[0])
		}) {
			continue
		}
		for _, v := range steady {
			w.rows.stressRuns = append(w.rows.stressRuns, []any{w.t.ID, x.Repository, string(v), 1, notChecked,
				"the task ended before: " + why.Error(), 0, 0.0, "", nil})
		}
	}
}

// stressed lists the tasks that were put under stress; they are so again where they
// run again for another reason.
func (s Stage) stressed(ctx context.Context) (map[string]bool, error) {
	list, err := s.DB.Query(ctx, "SELECT DISTINCT task_id FROM stress_runs ORDER BY task_id")
	if err != nil {
		return nil, err
	}
	ids, err := pipeline.Scan[string](list, nil)
	if err != nil {
		return nil, fmt.Errorf("reading stressed tasks: %w", err)
	}
	of := map[string]bool{}
	for _, id := range ids {
		of[id] = true
	}
	return of, nil
}
