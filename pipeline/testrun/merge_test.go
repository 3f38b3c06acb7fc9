package testrun

import (
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
}

func (r ran) attempt(skip, only []string) Attempt {
	a := Attempt{Status: r.status, TimedOut: r.status == Timeout, Skip: skip, Only: only}
	for id, o := range r.results {
		a.Parsed.Results = append(a.Parsed.Results, schema.TestResult{ID: id, Outcome: o})
	}
	a.Parsed.Crashed, a.Parsed.Problems = r.crashed, r.problems
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
			runs: []ran{{OK, results{"u::A": schema.Pass, "u::B": schema.Fail}, nil, nil}},
			want: results{"u::A": schema.Pass, "u::B": schema.Fail}, calls: []call{{}},
		},
		{
			name:     "one subtest panics and hides its brothers, known and unknown",
			expected: []string{"u::P", "u::P/a", "u::P/b", "u::P/c", "u::P/new", "v::X"},
			runs: []ran{
				{Crashed, results{"u::P": schema.NotRun, "u::P/a": schema.Pass, "u::P/bad": schema.Fail, "u::P/b": schema.NotRun}, []string{"u::P/bad"}, fell("u")},
				{OK, results{"u::P": schema.Pass, "u::P/a": schema.Fail, "u::P/b": schema.Pass, "u::P/c": schema.Pass}, nil, nil},
				{OK, results{}, nil, nil},
			},
			// An outcome of the first run stands (a); the parent's pass without its crashed
			// part is none; what the rerun does not know stays open and is asked for alone;
			// a unit that did not crash hides nothing (v).
			want: results{"u::P": schema.Error, "u::P/a": schema.Pass, "u::P/bad": schema.Fail, "u::P/b": schema.Pass, "u::P/c": schema.Pass, "u::P/new": schema.NotRun},
			calls: []call{{}, {[]string{"u::P/bad"}, []string{"u::P/b", "u::P/c", "u::P/new"}},
				{[]string{"u::P/bad"}, []string{"u::P/new"}}, {nil, []string{"u::P/new"}}},
		},
		{
			name: "of several suspects each runs alone",
			runs: []ran{
				{Crashed, results{"u::A": schema.NotRun, "u::B": schema.NotRun, "u::C": schema.NotRun}, []string{"u::A", "u::B"}, fell("u")},
				{OK, results{"u::C": schema.Pass}, nil, nil},
				{OK, results{"u::A": schema.Pass}, nil, nil},
				{Crashed, results{"u::B": schema.Error}, []string{"u::B"}, fell("u")},
			},
			want:  results{"u::A": schema.Pass, "u::B": schema.Error, "u::C": schema.Pass},
			calls: []call{{}, {[]string{"u::A", "u::B"}, []string{"u::C"}}, {nil, []string{"u::A"}}, {nil, []string{"u::B"}}},
		},
		{
			name: "an inconsistent rerun gives no test a pass",
			runs: []ran{
				{Crashed, results{"u::A": schema.Error, "u::B": schema.NotRun, "u::C": schema.NotRun}, []string{"u::A"}, fell("u")},
				{Inconsistent, results{"u::B": schema.Pass, "u::C": schema.Fail}, nil, nil},
				{Inconsistent, results{"u::B": schema.Pass}, nil, nil},
				{OK, results{}, nil, nil},
			},
			want:  results{"u::A": schema.Error, "u::B": schema.NotRun, "u::C": schema.Fail},
			calls: []call{{}, {[]string{"u::A"}, []string{"u::B", "u::C"}}, {[]string{"u::A"}, []string{"u::B"}}, {nil, []string{"u::B"}}},
		},
		{
			name: "reruns that crash on find more to leave out",
			runs: []ran{
				{Crashed, results{"u::A": schema.Error, "u::B": schema.NotRun, "u::C": schema.NotRun}, []string{"u::A"}, fell("u")},
				{Crashed, results{"u::B": schema.Error, "u::C": schema.NotRun}, []string{"u::B"}, fell("u")},
				{OK, results{"u::C": schema.Skip}, nil, nil},
			},
			want:  results{"u::A": schema.Error, "u::B": schema.Error, "u::C": schema.Skip},
			calls: []call{{}, {[]string{"u::A"}, []string{"u::B", "u::C"}}, {[]string{"u::A", "u::B"}, []string{"u::C"}}},
		},
		{
			name:     "tests that do not compile are missing, not hidden",
			expected: []string{"u::A"},
			runs:     []ran{{BuildFailed, results{}, nil, []testreport.Problem{{Unit: "u", Kind: testreport.BuildFailed}}}},
			want:     results{}, calls: []call{{}},
		},
		{
			name:     "a hang hides what it did not reach, and is paid for twice at most",
			expected: []string{"u::A", "v::B", "v::C"},
			runs: []ran{
				{Timeout, results{"u::A": schema.Error}, []string{"u::A"}, nil},
				{Timeout, results{"v::B": schema.Error}, []string{"v::B"}, nil},
			},
			want:  results{"u::A": schema.Error, "v::B": schema.Error, "v::C": schema.NotRun},
			calls: []call{{}, {[]string{"u::A"}, []string{"v::B", "v::C"}}},
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
