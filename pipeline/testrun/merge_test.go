package testrun

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// ran is one run of a small suite, as a report gives it.
type ran struct {
	status   Status
	results  map[string]schema.TestOutcome
	crashed  []string
	problems []testreport.Problem
	ends     string // the units that ended; "all" is the whole run
	running  []string
	whole    bool
}

func (r ran) attempt(skip, only []string) Attempt {
	a := Attempt{Status: r.status, Phase: "test", TimedOut: r.status == Timeout, Skip: skip, Only: only, Whole: r.whole}
	a.Parsed.Format = "gotest"
	a.Parsed.Ends = testreport.Ends{Run: r.ends == "all", Units: map[string]bool{}}
	for _, unit := range strings.Fields(r.ends) {
		a.Parsed.Ends.Units[unit] = true
	}
	for id, o := range r.results {
		a.Parsed.Results = append(a.Parsed.Results, schema.TestResult{ID: id, Outcome: o})
	}
	slices.SortFunc(a.Parsed.Results, func(x, y schema.TestResult) int { return strings.Compare(x.ID, y.ID) })
	a.Parsed.Crashed, a.Parsed.Problems, a.Parsed.Running = r.crashed, r.problems, r.running
	return a
}

func fell(unit string) []testreport.Problem {
	return []testreport.Problem{{Unit: unit, Kind: testreport.Crashed}}
}

func TestMergeRunsAgainWhatACrashHid(t *testing.T) {
	type results = map[string]schema.TestOutcome
	type call struct{ Skip, Only []string }
	for _, c := range []struct {
		name     string
		expected []string
		runs     []ran
		calls    []call
		want     results
	}{
		{
			name: "no crash, one run",
			runs: []ran{{status: OK, results: results{"u::A": schema.Pass, "u::B": schema.Fail}}},
			want: results{"u::A": schema.Pass, "u::B": schema.Fail}, calls: []call{{}},
		},
		{
			name:     "one subtest panics and hides its brothers, known and unknown",
			expected: []string{"u::P", "u::P/a", "u::P/b", "u::P/c", "u::P/new", "v::X"},
			runs: []ran{
				{status: Crashed, results: results{"u::P": schema.NotRun, "u::P/a": schema.Pass, "u::P/bad": schema.Fail,
					"u::P/b": schema.NotRun}, crashed: []string{"u::P/bad"}, problems: fell("u"), ends: "v"},
				{status: OK, results: results{"u::P": schema.Pass, "u::P/a": schema.Fail, "u::P/b": schema.Pass,
					"u::P/c": schema.Pass}},
				{status: OK, results: results{}},
			},
			// An outcome of the first run stands (a); the parent's pass without its crashed
			// part is none; what the rerun does not know stays open and is asked for alone;
			// a unit that did not crash hides nothing (v).
			want: results{"u::P": schema.Error, "u::P/a": schema.Pass, "u::P/bad": schema.Fail, "u::P/b": schema.Pass,
				"u::P/c": schema.Pass, "u::P/new": schema.NotRun},
			calls: []call{{}, {[]string{"u::P/bad"}, []string{"u::P/b", "u::P/c", "u::P/new"}},
				{[]string{"u::P/bad"}, []string{"u::P/new"}}, {nil, []string{"u::P/new"}}},
		},
		{
			name: "of several suspects each runs alone",
			runs: []ran{
				{status: Crashed, results: results{"u::A": schema.NotRun, "u::B": schema.NotRun, "u::C": schema.NotRun},
					crashed: []string{"u::A", "u::B"}, problems: fell("u")},
				{status: OK, results: results{"u::C": schema.Pass}},
				{status: OK, results: results{"u::A": schema.Pass}},
				{status: Crashed, results: results{"u::B": schema.Error}, crashed: []string{"u::B"}, problems: fell("u")},
			},
			want:  results{"u::A": schema.Pass, "u::B": schema.Error, "u::C": schema.Pass},
			calls: []call{{}, {[]string{"u::A", "u::B"}, []string{"u::C"}}, {nil, []string{"u::A"}}, {nil, []string{"u::B"}}},
		},
		{
			name: "an inconsistent rerun gives no test a pass",
			runs: []ran{
				{status: Crashed, results: results{"u::A": schema.Error, "u::B": schema.NotRun, "u::C": schema.NotRun},
					crashed: []string{"u::A"}, problems: fell("u")},
				{status: Inconsistent, results: results{"u::B": schema.Pass, "u::C": schema.Fail}},
				{status: Inconsistent, results: results{"u::B": schema.Pass}},
				{status: OK, results: results{}},
			},
			want: results{"u::A": schema.Error, "u::B": schema.NotRun, "u::C": schema.Fail},
			calls: []call{{}, {[]string{"u::A"}, []string{"u::B", "u::C"}}, {[]string{"u::A"}, []string{"u::B"}},
				{nil, []string{"u::B"}}},
		},
		{
			name: "reruns that crash on find more to leave out",
			runs: []ran{
				{status: Crashed, results: results{"u::A": schema.Error, "u::B": schema.NotRun, "u::C": schema.NotRun},
					crashed: []string{"u::A"}, problems: fell("u")},
				{status: Crashed, results: results{"u::B": schema.Error, "u::C": schema.NotRun}, crashed: []string{"u::B"},
					problems: fell("u")},
				{status: OK, results: results{"u::C": schema.Skip}},
			},
			want:  results{"u::A": schema.Error, "u::B": schema.Error, "u::C": schema.Skip},
			calls: []call{{}, {[]string{"u::A"}, []string{"u::B", "u::C"}}, {[]string{"u::A", "u::B"}, []string{"u::C"}}},
		},
		{
			name:     "tests that do not compile are missing, not hidden",
			expected: []string{"u::A"},
			runs: []ran{{status: BuildFailed, ends: "u", problems: []testreport.Problem{{Unit: "u",
				Kind: testreport.BuildFailed}}}},
			want: results{}, calls: []call{{}},
		},
		{
			name:     "a hang hides what it did not reach, and is paid for twice at most",
			expected: []string{"u::A", "v::B", "v::C"},
			runs: []ran{
				{status: Timeout, results: results{"u::A": schema.Error}, crashed: []string{"u::A"}},
				{status: Timeout, results: results{"v::B": schema.Error}, crashed: []string{"v::B"}},
			},
			want:  results{"u::A": schema.Error, "v::B": schema.Error, "v::C": schema.NotRun},
			calls: []call{{}, {[]string{"u::A"}, []string{"v::B", "v::C"}}},
		},
		{
			name:     "what a run that did not end its unit did not report is run again, and settled where that ends",
			expected: []string{"u::A", "u::B", "u::C", "v::D"},
			runs: []ran{
				{status: OK, results: results{"u::A": schema.Pass}, ends: "v"},
				{status: OK, results: results{"u::B": schema.Pass}, ends: "all"},
			},
			want:  results{"u::A": schema.Pass, "u::B": schema.Pass},
			calls: []call{{}, {nil, []string{"u::B", "u::C"}}},
		},
		{
			name:     "what no run reports and no run ends stays open",
			expected: []string{"u::A"},
			runs:     []ran{{status: OK}, {status: OK}, {status: OK}},
			want:     results{"u::A": schema.NotRun},
			calls:    []call{{}, {nil, []string{"u::A"}}},
		},
		{
			name:     "an id that hides what varies can't be asked for",
			expected: []string{"u::at 127.0.0.1:PORT"},
			runs:     []ran{{status: OK}, {status: OK, ends: "all"}},
			want:     results{"u::at 127.0.0.1:PORT": schema.NotRun},
			calls:    []call{{}, {nil, []string{"u::at 127.0.0.1:PORT"}}},
		},
		{
			name:     "a command that can't choose tests is run once more",
			expected: []string{"u::A", "u::B"},
			runs:     []ran{{status: OK, results: results{"u::A": schema.Pass}}, {status: OK, whole: true}},
			want:     results{"u::A": schema.Pass, "u::B": schema.NotRun},
			calls:    []call{{}, {nil, []string{"u::B"}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMerge(c.expected)
			var calls []call
			taken := map[string]int{}
			for range 20 {
				skip, only, more := m.next()
				if !more {
					break
				}
				r := ran{status: OK}
				if len(calls) < len(c.runs) {
					r = c.runs[len(calls)]
				}
				calls = append(calls, call{skip, only})
				for _, x := range m.add(r.attempt(skip, only)) {
					if x.Outcome != schema.NotRun {
						taken[x.ID]++
					}
				}
			}
			if d := cmp.Diff(c.calls, calls); d != "" {
				t.Error(d)
			}
			got := results{}
			for _, r := range m.results() {
				got[r.ID] = r.Outcome
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			for id, n := range taken {
				if n != 1 {
					t.Errorf("%s was taken from %d runs", id, n)
				}
			}
		})
	}
}

// TestMergeDoubtsWhatACrashAloneSays: the test that ran when its runner fell may pass.
func TestMergeDoubtsWhatACrashAloneSays(t *testing.T) {
	type results = map[string]schema.TestOutcome
	first := ran{status: Crashed, results: results{"u::A": schema.Error, "u::B": schema.Error}, crashed: []string{"u::A"},
		running: []string{"u::A"}, problems: fell("u")}
	for want, alone := range map[schema.TestOutcome]ran{
		schema.Pass: {status: OK, results: results{"u::A": schema.Pass}},
		schema.Error: {status: Crashed, results: results{"u::A": schema.Error}, crashed: []string{"u::A"},
			running: []string{"u::A"}},
	} {
		m := newMerge([]string{"u::A", "u::B"})
		m.doubt = true
		m.add(first.attempt(nil, nil))
		_, only, more := m.next()
		if !more || !slices.Equal(only, []string{"u::A"}) {
			t.Fatalf("%v %v", only, more)
		}
		m.add(alone.attempt(nil, only))
		if got := m.tests["u::A"].Outcome; got != want || m.tests["u::B"].Outcome != schema.Error {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
