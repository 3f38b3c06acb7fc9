package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

// The hand-worked set: seven tasks of two or three targets, and three configurations.
// Of each run stands, target by target, how many F2P and P2P tests pass.

func workedData() *Dataset {
	task := func(id, kind string, languages int, targets ...DataTarget) DataTask {
		sets := []string{"equal"}
		if id == "b3" {
			sets = nil
		}
		return DataTask{ID: id, Title: "Task " + id, Ecosystem: id[:1], Kind: kind, Pattern: schema.Parallel,
			Languages: []string{"Go", "Python"}[:languages], Targets: targets, Sets: sets}
	}
	d := describe([]DataTask{
		task("b1", schema.Bugfix, 1, target("x/a", 2, 3), target("x/b", 1, 2)),
		task("b2", schema.Bugfix, 2, target("x/a", 1, 0), target("y/c", 2, 4)),
		task("b3", schema.Bugfix, 1, target("y/c", 1, 1), target("y/d", 3, 2)),
		task("f1", schema.Feature, 1, target("x/a", 1, 1), target("x/b", 1, 1)),
		task("f2", schema.Feature, 2, target("x/b", 2, 2), target("y/d", 1, 0)),
		task("f3", schema.Feature, 2, target("y/c", 1, 2), target("y/d", 2, 2)),
		task("f4", schema.Feature, 2, target("x/a", 1, 1), target("x/b", 2, 1), target("y/c", 1, 3)),
	})
	d.Name, d.Version, d.SHA256 = "worked", "1", strings.Repeat("b", 64)
	return d
}

// outcome of one task: passes by target, the requests it took, the targets changed.
type done struct {
	passes   [][2]int
	requests int64
	changed  string // one letter a target: x changed, - not
	status   string // '' follows from the passes
}

type workedRun struct {
	label, mode string
	attempt     int
	tasks       map[string]done
}

var worked = []workedRun{
	{"A", schema.Joint, 1, map[string]done{
		"b1": {[][2]int{{2, 3}, {1, 2}}, 10, "xx", ""},          // resolved
		"b2": {[][2]int{{1, 0}, {1, 4}}, 20, "x-", ""},          // y/c is left
		"b3": {[][2]int{{1, 1}, {3, 2}}, 0, "xx", ""},           // resolved, usage unknown
		"f1": {[][2]int{{0, 1}, {0, 1}}, 30, "xx", ""},          // nothing works
		"f2": {[][2]int{{2, 2}, {1, 0}}, 5, "xx", ""},           // resolved
		"f3": {[][2]int{{1, 1}, {2, 2}}, 0, "xx", ""},           // an old test breaks
		"f4": {[][2]int{{1, 1}, {2, 1}, {0, 3}}, 40, "xxx", ""}, // all but y/c
	}},
	{"A", schema.Independent, 1, map[string]done{
		"b1": {[][2]int{{2, 3}, {0, 2}}, 25, "xx", ""}, // lost
		"b2": {[][2]int{{1, 0}, {2, 4}}, 60, "xx", ""}, // won: y/c recovered
		"f1": {[][2]int{{1, 1}, {0, 1}}, 70, "xx", ""}, // x/a recovered, though it was changed
		"f2": {[][2]int{{2, 2}, {1, 0}}, 15, "xx", ""}, // both
		"f3": {[][2]int{{1, 2}, {2, 2}}, 0, "xx", ""},  // won
		"f4": {[][2]int{{1, 1}, {1, 1}, {1, 3}}, 90, "xxx", ""},
	}},
	{"B", schema.Joint, 1, map[string]done{
		"b1": {[][2]int{{0, 0}, {0, 0}}, 0, "--", schema.StatusInfra},
		"b2": {[][2]int{{0, 0}, {0, 4}}, 8, "--", schema.StatusEmpty},
		"b3": {[][2]int{{1, 1}, {3, 2}}, 9, "xx", schema.StatusDisputed}, // every test passes, and the guard sees why
		"f1": {[][2]int{{1, 1}, {1, 1}}, 7, "xx", ""},
		"f2": {[][2]int{{0, 0}, {0, 0}}, 6, "xx", schema.StatusPatchFailed},
		"f4": {[][2]int{{1, 1}, {2, 1}, {1, 3}}, 5, "xxx", ""},
	}},
	{"C", schema.Joint, 1, map[string]done{
		"b1": {[][2]int{{2, 3}, {1, 2}}, 1, "xx", ""}, "b2": {[][2]int{{0, 0}, {2, 4}}, 2, "xx", ""},
		"b3": {[][2]int{{1, 1}, {2, 2}}, 3, "xx", ""},
		"f1": {[][2]int{{1, 1}, {1, 1}}, 4, "xx", ""}, "f2": {[][2]int{{2, 2}, {0, 0}}, 5, "xx", ""},
		"f3": {[][2]int{{1, 2}, {2, 2}}, 6, "xx", ""},
		"f4": {[][2]int{{1, 1}, {0, 1}, {0, 3}}, 7, "xx-", ""}}},
	{"C", schema.Joint, 2, map[string]done{
		"b1": {[][2]int{{2, 3}, {1, 2}}, 11, "xx", ""}, "b2": {[][2]int{{1, 0}, {2, 4}}, 12, "xx", ""},
		"b3": {[][2]int{{1, 1}, {2, 2}}, 13, "xx", ""},
		"f1": {[][2]int{{1, 1}, {0, 1}}, 14, "xx", ""}, "f2": {[][2]int{{2, 2}, {1, 0}}, 15, "xx", ""},
		"f3": {[][2]int{{1, 2}, {2, 2}}, 16, "xx", ""},
		"f4": {[][2]int{{1, 1}, {2, 1}, {1, 3}}, 17, "xxx", ""}}},
}

// reportOf writes a run as evaluate would.
func (w workedRun) reportOf(data *Dataset) *schema.Report {
	r := &schema.Report{Format: 1, Rules: "6", Tasks: map[string]schema.TaskReport{}}
	for _, t := range data.Tasks {
		d, ok := w.tasks[t.ID]
		v := schema.TaskReport{Model: "m" + w.label, Mode: w.mode, Attempt: w.attempt, APIRequests: d.requests,
			Status: schema.StatusMissing, Targets: map[string]schema.TargetReport{}}
		every := ok
		for i, x := range t.Targets {
			tv := schema.TargetReport{Status: schema.StatusMissing}
			if ok {
				tv = schema.TargetReport{Status: schema.StatusUnresolved, F2P: tally(d.passes[i][0], x.F2P),
					P2P: tally(d.passes[i][1], x.P2P)}
				if d.passes[i] == [2]int{x.F2P, x.P2P} && d.status == "" {
					tv.Status, tv.Resolved, tv.AsSubmitted = schema.StatusResolved, true, true
				} else if d.status != "" {
					tv.Status, tv.AsSubmitted = d.status, d.status == schema.StatusDisputed
				}
				if d.changed[i] == 'x' {
					v.Patched = append(v.Patched, x.Repository)
				}
			}
			every = every && tv.Resolved
			v.Targets[x.Repository] = tv
		}
		switch {
		case every:
			v.Status, v.Resolved, v.AsSubmitted = schema.StatusResolved, true, true
		case ok && d.status != "":
			v.Status, v.AsSubmitted = d.status, d.status == schema.StatusDisputed
		case ok:
			v.Status = schema.StatusUnresolved
		}
		r.Tasks[t.ID] = v
	}
	return r
}

func workedResult(t *testing.T, o options) *Result {
	t.Helper()
	data := workedData()
	var list []evaluation
	for _, w := range worked {
		list = append(list, evaluation{Source{Folder: t.TempDir(), Label: w.label}, nil, w.reportOf(data)})
	}
	res, err := compile(data, list, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// What the set adds up to by hand.
func TestWorkedSetByHand(t *testing.T) {
	res := workedResult(t, options{pairs: "equal"})
	for table, want := range map[string][]string{
		"table1": {
			"Bug fix, Task success: 66.67 % (2/3)* 33.33 % (1/3) 0.00 % (0/3) 50.00 % (3/6)",
			"Bug fix, Repository success: 83.33 % (5/6)* 50.00 % (3/6) 0.00 % (0/6) 75.00 % (9/12)",
			"Bug fix, API requests: 15.0 42.5 8.5 7.0",
			"All, Task success: 42.86 % (3/7) 42.86 % (3/7) 28.57 % (2/7) 57.14 % (8/14)*",
			"All, P2P-preserved: 92.31 % (12/13) 84.62 % (11/13) 61.54 % (8/13) 100.00 % (26/26)*",
		},
		"table3": {"All, Task success: 33.33 % (2/6) 50.00 % (3/6)*", "All, API requests: 21.0 52.0",
			"Bug fix, Task success: 50.00 % (1/2) 50.00 % (1/2)"},
		"table5": {"All, Both: 16.67 % (1/6) 46.15 % (6/13)", "All, Joint only: 16.67 % (1/6) 15.38 % (2/13)",
			"All, Independent only: 33.33 % (2/6) 30.77 % (4/13)",
			"All, Neither: 33.33 % (2/6) 7.69 % (1/13)", "All, Reversals: 50.00 % (3/6) 46.15 % (6/13)", "All, p: 1.000 0.688"},
		"table6": {"Not modified: 1 100.00 % (1/1)", "Modified: 4 75.00 % (3/4)", "All: 5 80.00 % (4/5)"},
		"unresolved": {"A: 4 25.00 % (1/4) 50.00 % (2/4) 25.00 % (1/4) 0.00 % (0/4) 0.00 % (0/4)",
			"B: 5 40.00 % (2/5) 0.00 % (0/5) 0.00 % (0/5) 20.00 % (1/5) 40.00 % (2/5)"},
		"repository-count": {"A, 2: 50.00 % (3/6) 66.67 % (8/12) 66.67 % (2/3) 66.67 % (2/3)",
			"A, 3: 0.00 % (0/1) 66.67 % (2/3) 100.00 % (1/1) 100.00 % (1/1)"},
		"intervals": {"A, All: 42.86 % (3/7) 15.82 74.95 85.71 % (6/7)", "C, All: 57.14 % (8/14) – – 100.00 % (14/14)"},
		"attempts":  {"C, 2, Task success: 57.14 408.16 20.20 28.57 % (2/7) 85.71 % (6/7)"},
		"two-counts": {"B, tasks: 28.57 % (2/7) 42.86 % (3/7) 1 0 0 0 1",
			"B, repositories: 33.33 % (5/15) 46.67 % (7/15) 2 0 0 0 2"},
		"statuses": {"resolved: 3 3 2 8", "infra: 0 0 1 0", "missing: 0 1 1 0"},
	} {
		for _, line := range want {
			if text := flat(res.table(table)); !strings.Contains(text, line+"\n") {
				t.Errorf("%s has not %q:\n%s", table, line, text)
			}
		}
	}
	for table, want := range map[string]string{"table1": "B: 1 of 7 tasks without a prediction; 1 could not be run",
		"table3": ""} {
		if got := res.table(table).Incomplete; !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s is incomplete for %q, want %q", table, got, want)
		}
	}
}

// flat writes a table line by line: words, then numbers; * marks the best.
func flat(t *Table) string {
	var b strings.Builder
	for _, r := range t.Rows {
		var words, numbers []string
		for i, c := range r {
			text := strings.ReplaceAll(c.plain(), "\u00a0", " ")
			if c.Best {
				text += "*"
			}
			if c.Tally == nil && (c.Number == nil && len(numbers) == 0 || i == 1 && t.Head[1] == "Targets" || i == 1 &&
				t.Head[1] == "Attempts") {
				words = append(words, text)
			} else {
				numbers = append(numbers, text)
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", strings.Join(words, ", "), strings.Join(numbers, " "))
	}
	return b.String()
}

// Without a named set, tasks that one mode was never asked are in no pair; infra is
// left out and said.
func TestPairsWithoutASet(t *testing.T) {
	res := workedResult(t, options{})
	if got := res.table("table3"); got.Incomplete != "" || !strings.Contains(got.Note,
		"6 tasks with a verdict in both modes") {
		t.Errorf("%+v", got)
	}
	data := workedData()
	broken := worked[1].reportOf(data)
	set(broken, "b1", func(v *schema.TaskReport) { v.Status = schema.StatusInfra })
	res, err := compile(data, []evaluation{{Source{Folder: "j", Label: "A"}, nil, worked[0].reportOf(data)},
		{Source{Folder: "i", Label: "A"}, nil, broken}}, options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.table("table3"); !strings.Contains(got.Incomplete, "A: 1 pair is not judged") ||
		!strings.Contains(got.heading(), "(incomplete)") {
		t.Errorf("%+v", got)
	}
	if _, err := compile(data, nil, options{pairs: "no such set"}); err == nil || !strings.Contains(err.Error(),
		"it has equal") {
		t.Errorf("got %v", err)
	}
}

// Two evaluations of one model must be told apart by a person.
func TestNamesOfConfigurations(t *testing.T) {
	data := workedData()
	a, b := worked[0].reportOf(data), worked[3].reportOf(data)
	for i := range b.Tasks {
		v := b.Tasks[i]
		v.Model = "mA"
		b.Tasks[i] = v
	}
	_, err := compile(data, []evaluation{{Source{Folder: "one"}, nil, a}, {Source{Folder: "two"}, nil, b}}, options{})
	if err == nil || !strings.Contains(err.Error(), "--label") {
		t.Errorf("got %v", err)
	}
	res, err := compile(data, []evaluation{{Source{Folder: "one", Label: "x"}, nil, a}, {Source{Folder: "two", Label: "y"},
		nil, b}}, options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"x", "y"}, res.titles()); d != "" {
		t.Error(d)
	}
	res, err = compile(data, []evaluation{{Source{Folder: "one", Label: "x"}, nil, a}, {Source{Folder: "two", Label: "x"},
		nil, b}}, options{})
	if err != nil || len(res.Series) != 1 || len(res.Series[0].Attempts) != 2 || res.Series[0].Attempts[1].Attempt != 2 {
		t.Errorf("%v, %v", res.titles(), err)
	}
	several := &schema.Report{Runs: []schema.ReportRun{{Model: "m", Mode: schema.Joint, Attempt: 1, Tasks: a.Tasks},
		{Model: "n", Mode: schema.Joint, Attempt: 1, Tasks: b.Tasks}}}
	res, err = compile(data, []evaluation{{Source{Folder: "one", Label: "x"}, nil, several}}, options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"x: m", "x: n"}, res.titles()); d != "" {
		t.Error(d)
	}
}
