package testrun

import (
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/schema"
)

// merge joins a run with its reruns. A run that did not come to its end hides tests:
// what it left not_run is run again without the tests that crashed, until each has an
// outcome of its own. An outcome once had stands. A rerun that ended and does not know a
// test settles that it does not exist.
type merge struct {
	expected []string
	doubt    bool // an outcome that only a crash tells is checked again
	tests    map[string]schema.TestResult
	suspects map[string]bool // brought a runner down, or ran when it fell
	alone    map[string]bool // run by itself already: there is nothing more to learn
	runs     int
	timeouts int
	stuck    bool
}

// maxTimeouts bounds how often a hang is paid for.
const maxTimeouts = 2

func newMerge(expected []string) *merge {
	return &merge{expected: expected, tests: map[string]schema.TestResult{}, suspects: map[string]bool{},
		alone: map[string]bool{}}
}

// next says what the next run leaves out and what alone it runs; no more where
// nothing is open.
func (m *merge) next() (skip, only []string, more bool) {
	if m.runs == 0 {
		return nil, nil, true
	}
	if m.stuck || m.timeouts >= maxTimeouts {
		return nil, nil, false
	}
	var rest, single []string
	for id, t := range m.tests {
		switch {
		case t.Outcome != schema.NotRun, m.alone[id]:
		case !m.suspects[id]:
			rest = append(rest, id)
		default:
			single = append(single, id)
		}
	}
	slices.Sort(rest)
	slices.Sort(single)
	switch {
	case len(rest) > 0:
		for id := range m.suspects {
			skip = append(skip, id)
		}
		slices.Sort(skip)
		return skip, rest, true
	case len(single) > 0:
		return nil, single[:1], true
	}
	return nil, nil, false
}

// add takes in one run and gives the outcomes that count from it.
func (m *merge) add(a Attempt) []schema.TestResult {
	first := m.runs == 0
	m.runs++
	if a.TimedOut {
		m.timeouts++
	}
	suspects := m.suspect(a)
	taken, progress := m.fill(a, first, suspects)
	if first {
		return append(taken, m.hide(a)...)
	}
	absent := m.settle(a)
	taken, progress = append(taken, absent...), progress || len(absent) > 0
	if a.Whole {
		m.stuck = true // another run would be the same
		return taken
	}
	// A run by itself that settled nothing needn't be made again; a run of many
	// that neither settled a test nor found a culprit would go on like that.
	if len(a.Only) == 1 && len(a.Skip) == 0 {
		m.alone[a.Only[0]] = true
	} else if !progress {
		m.demote(a.Only)
	}
	return taken
}

// suspect notes the tests that were running when the runner fell.
func (m *merge) suspect(a Attempt) []string {
	if a.Status != Crashed && a.Status != Timeout {
		return nil
	}
	ids := a.Parsed.Crashed
	if len(ids) == 0 {
		ids = a.Parsed.Running
	}
	for _, id := range ids {
		m.suspects[id] = true
	}
	return ids
}

// fill takes outcomes for tests that have none of their own yet.
func (m *merge) fill(a Attempt, first bool, suspects []string) (taken []schema.TestResult, progress bool) {
	for _, t := range a.Parsed.Results {
		if !first && a.Status == Inconsistent && t.Outcome == schema.Pass {
			continue // such a run gives no test a pass
		}
		old, known := m.tests[t.ID]
		if known && old.Outcome != schema.NotRun || !first && !known {
			continue // a test that shows up in a filtered rerun only was not asked for
		}
		if t.Outcome == schema.NotRun && hasBelow(t.ID, suspects) {
			// The parent of what crashed did not pass, and a rerun without that part of
			// it says nothing about the whole.
			t.Outcome = schema.Error
		}
		if !first && t.Outcome == schema.Pass && m.parentOfSuspect(t.ID) {
			t.Outcome = schema.Error
		}
		if m.doubts(a, t) {
			t.Outcome = schema.NotRun
		}
		if t.Outcome != schema.NotRun {
			progress = true
		}
		m.tests[t.ID] = t
		taken = append(taken, t)
	}
	return taken, progress
}

// doubts reports whether a test has its outcome only because its runner fell while it
// ran: what began before it may have brought the runner down. By itself it is to blame.
func (m *merge) doubts(a Attempt, t schema.TestResult) bool {
	alone := len(a.Only) == 1 && len(a.Skip) == 0
	return m.doubt && !alone && t.Outcome == schema.Error &&
		slices.Contains(a.Parsed.Running, t.ID) && slices.Contains(m.expected, t.ID)
}

// hide makes expected tests not_run that the run did not report and whose unit is not
// proven to have ended. Only here does a test that a run did not report become missing.
func (m *merge) hide(a Attempt) (hidden []schema.TestResult) {
	for _, id := range m.expected {
		if _, known := m.tests[id]; !known && !endedFor(a, id) {
			m.tests[id] = schema.TestResult{ID: id, Outcome: schema.NotRun}
			hidden = append(hidden, m.tests[id])
		}
	}
	return hidden
}

// settle finds the tests that a rerun was asked for and that do not exist: their unit
// ended without them.
func (m *merge) settle(a Attempt) (absent []schema.TestResult) {
	for _, id := range a.Only {
		if m.tests[id].Outcome != schema.NotRun || isReported(a, id) || testreport.HasMask(id) {
			continue
		}
		switch {
		case absentIn(a, id):
			delete(m.tests, id)
			absent = append(absent, schema.TestResult{ID: id, Outcome: schema.Missing})
		case failedAlone(a):
			m.tests[id] = schema.TestResult{ID: id, Outcome: schema.Error, Message: "run by itself: " + a.Detail}
			absent = append(absent, m.tests[id])
		}
	}
	return absent
}

// failedAlone reports whether a run of one test failed without a word on it: its file could not be loaded, what is run
// before it ended the process. By itself the test does not pass.
func failedAlone(a Attempt) bool {
	alone := len(a.Only) == 1 && len(a.Skip) == 0 && !a.Whole
	told := a.Status == OK || a.Status == Crashed || a.Status == BuildFailed || a.Status == NoReport
	return alone && told && a.Phase == "test" && a.ExitCode != 0 && !testreport.IsSignal(a.ExitCode) && !a.Hung && !a.OOM
}

// endedFor reports whether a run says all there is to say about a test's unit.
func endedFor(a Attempt, id string) bool {
	switch a.Status {
	case OK, Crashed, Timeout, BuildFailed:
		return a.Phase == "test" && !a.Parsed.Ends.NoUnits && formats.Ended(a.Parsed, id)
	}
	return false
}

// absentIn reports whether a rerun that does not report a test proves that there is none.
// A format that knows nothing below the process proves it by a rerun that ended, unless
// the same command may have stopped at the same failure.
func absentIn(a Attempt, id string) bool {
	if !a.Parsed.Ends.NoUnits {
		return endedFor(a, id)
	}
	return a.Status == OK && a.Parsed.Ends.Run && !(a.Whole && a.Parsed.Failed() > 0)
}

func isReported(a Attempt, id string) bool {
	_, found := slices.BinarySearchFunc(a.Parsed.Results, id, func(t schema.TestResult, id string) int {
		return strings.Compare(t.ID, id)
	})
	return found
}

// demote makes tests suspects, so that each is run by itself.
func (m *merge) demote(ids []string) {
	fresh := false
	for _, id := range ids {
		if !m.suspects[id] && m.tests[id].Outcome == schema.NotRun {
			m.suspects[id], fresh = true, true
		}
	}
	m.stuck = !fresh
}

func (m *merge) parentOfSuspect(id string) bool {
	for s := range m.suspects {
		if strings.HasPrefix(s, id+"/") {
			return true
		}
	}
	return false
}

func hasBelow(id string, ids []string) bool {
	return slices.ContainsFunc(ids, func(s string) bool { return strings.HasPrefix(s, id+"/") })
}

func (m *merge) results() []schema.TestResult {
	out := make([]schema.TestResult, 0, len(m.tests))
	for _, t := range m.tests {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b schema.TestResult) int { return strings.Compare(a.ID, b.ID) })
	return out
}
