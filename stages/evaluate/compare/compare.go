// Package compare says what differs between two runs of evaluations: tasks and targets
// paired, and the tests that pass on one side alone.
//
// It reads evaluations' folders through results, and writes nothing.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/stats"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// Side is one run of an evaluation, to be compared with another.
type Side struct {
	Folder  string               `json:"folder"`
	Run     string               `json:"run"` // see [schema.RunKey]
	Release schema.ReportRelease `json:"release"`

	rules string
	run   schema.ReportRun
	db    pipeline.Queryer
}

// NewSide finds the run that a person names, see [results.FindRun].
func NewSide(folder string, rep schema.Report, db pipeline.Queryer, name string) (Side, error) {
	r, err := results.FindRun(folder, rep, name)
	if err != nil {
		return Side{}, err
	}
	return Side{Folder: folder, Run: r.Key().String(), Release: rep.Release, rules: rep.Rules, run: r, db: db}, nil
}

// Comparison is what differs between two runs.
type Comparison struct {
	A     Side     `json:"a"`
	B     Side     `json:"b"`
	Notes []string `json:"notes"`
	// Tasks and Targets are paired: the same task, the same target of the same task.
	// Targets of one task hang together, so their p value says less than it seems to.
	Tasks   Paired     `json:"tasks"`
	Targets Paired     `json:"targets"`
	Tests   TestCounts `json:"tests"`
	// Changes are the tasks in which anything differs, by id.
	Changes []TaskChange `json:"changes"`
}

// Paired counts what both, one or none resolve. Unknown are left out of the test:
// where a run is infra, nobody knows.
type Paired struct {
	Both    int `json:"both"`
	OnlyA   int `json:"only_a"`
	OnlyB   int `json:"only_b"`
	Neither int `json:"neither"`
	Unknown int `json:"unknown"`
	// P is the exact two-sided p value of McNemar's test.
	P float64 `json:"p"`
}

func (p *Paired) add(a, b string) {
	isA, isB := a == schema.StatusResolved, b == schema.StatusResolved
	switch {
	case a == schema.StatusInfra || b == schema.StatusInfra:
		p.Unknown++
	case isA && isB:
		p.Both++
	case isA:
		p.OnlyA++
	case isB:
		p.OnlyB++
	default:
		p.Neither++
	}
}

// TestCounts counts tests that decide, where both sides ran the target's tests.
type TestCounts struct {
	Both    int `json:"both"`
	OnlyA   int `json:"only_a"`
	OnlyB   int `json:"only_b"`
	Neither int `json:"neither"`
}

// TaskChange is one task's.
type TaskChange struct {
	Task    string         `json:"task_id"`
	A       string         `json:"a"`
	B       string         `json:"b"`
	Targets []TargetChange `json:"targets"`
}

// TargetChange is one target's. Tests holds the first of those that pass on one side
// alone, More how many others do.
type TargetChange struct {
	Target string       `json:"target"`
	A      string       `json:"a"`
	B      string       `json:"b"`
	Tests  []TestChange `json:"tests"`
	More   int          `json:"more,omitempty"`
}

// TestChange is a test that passes on one side alone. What passed in a run that gives
// no test a pass has that run's state.
type TestChange struct {
	ID    string       `json:"id"`
	Class schema.Class `json:"class"`
	A     string       `json:"a"`
	B     string       `json:"b"`
}

// maxChangedTests bounds the tests named of a target.
const maxChangedTests = 20

// Runs compares two runs.
func Runs(ctx context.Context, a, b Side) (Comparison, error) {
	c := Comparison{A: a, B: b, Notes: []string{}, Changes: []TaskChange{}}
	if a.Release.SHA256 != b.Release.SHA256 {
		c.Notes = append(c.Notes, fmt.Sprintf("the releases differ (%s %s and %s %s): only tasks of both are compared",
			a.Release.Name, a.Release.Version, b.Release.Name, b.Release.Version))
	}
	if a.rules != b.rules {
		c.Notes = append(c.Notes, fmt.Sprintf("the verdicts follow rules of different versions (%s and %s): evaluate again "+
			"to compare them by the same", cmp.Or(a.rules, "before 6"), cmp.Or(b.rules, "before 6")))
	}
	testsA, err := results.ReadTestRuns(ctx, a.db, a.run.Key())
	if err != nil {
		return c, err
	}
	testsB, err := results.ReadTestRuns(ctx, b.db, b.run.Key())
	if err != nil {
		return c, err
	}
	for _, id := range slices.Sorted(maps.Keys(a.run.Tasks)) {
		if tb, ok := b.run.Tasks[id]; ok {
			c.addTask(id, a.run.Tasks[id], tb, testsA, testsB)
		}
	}
	c.noteMissing(a)
	c.noteMissing(b)
	c.Tasks.P = stats.McNemar(c.Tasks.OnlyA, c.Tasks.OnlyB)
	c.Targets.P = stats.McNemar(c.Targets.OnlyA, c.Targets.OnlyB)
	return c, nil
}

// addTask compares a task of both runs.
func (c *Comparison) addTask(id string, a, b schema.TaskReport, testsA, testsB results.TestRuns) {
	c.Tasks.add(a.Status, b.Status)
	change := TaskChange{Task: id, A: a.Status, B: b.Status, Targets: []TargetChange{}}
	for _, target := range slices.Sorted(maps.Keys(a.Targets)) {
		xb, ok := b.Targets[target]
		if !ok {
			continue
		}
		x := TargetChange{Target: target, A: a.Targets[target].Status, B: xb.Status, Tests: []TestChange{}}
		c.Targets.add(x.A, x.B)
		place := results.Place{Task: id, Target: target, Variant: verdict.Submitted}
		c.Tests.compare(&x, testsA[place], testsB[place])
		if x.A != x.B || len(x.Tests) > 0 {
			change.Targets = append(change.Targets, x)
		}
	}
	if change.A != change.B || len(change.Targets) > 0 {
		c.Changes = append(c.Changes, change)
	}
}

// noteMissing notes the tasks that a side has no prediction for.
func (c *Comparison) noteMissing(s Side) {
	if n := s.run.Summary.ByStatus[schema.StatusMissing]; n > 0 {
		c.Notes = append(c.Notes,
			fmt.Sprintf("%s of %s has no prediction for %s not resolved", s.Run, s.Folder, lacking(n)))
	}
}

// compare counts a target's tests, and puts those that differ on its change.
func (n *TestCounts) compare(x *TargetChange, a, b *verdict.Run) {
	if a == nil || b == nil {
		return
	}
	others := map[string]verdict.Test{}
	for _, t := range b.Tests {
		others[string(t.Class)+t.ID] = t
	}
	for _, ta := range a.Tests {
		if tb, ok := others[string(ta.Class)+ta.ID]; ok {
			change := TestChange{ta.ID, ta.Class, outcomeOf(a, ta), outcomeOf(b, tb)}
			if n.add(change) {
				x.addTest(change)
			}
		}
	}
}

// add counts a test of both sides, and tells whether it passes on one alone.
func (n *TestCounts) add(t TestChange) (differs bool) {
	passA, passB := t.A == string(schema.Pass), t.B == string(schema.Pass)
	switch {
	case passA && passB:
		n.Both++
	case passA:
		n.OnlyA++
	case passB:
		n.OnlyB++
	default:
		n.Neither++
	}
	return passA != passB
}

func (x *TargetChange) addTest(t TestChange) {
	if len(x.Tests) == maxChangedTests {
		x.More++
		return
	}
	x.Tests = append(x.Tests, t)
}

// outcomeOf is a test's outcome, with the run's state in place of a pass that does not
// count.
func outcomeOf(r *verdict.Run, t verdict.Test) string {
	switch {
	case t.Outcome == schema.Missing:
		return "missing"
	case t.Outcome == schema.Pass && !verdict.PassesCount(testrun.Status(r.Status)):
		return r.Status
	}
	return string(t.Outcome)
}

// lacking counts tasks without a prediction, in words.
func lacking(n int) string {
	if n == 1 {
		return "1 task, which counts as"
	}
	return fmt.Sprintf("%d tasks, which count as", n)
}
