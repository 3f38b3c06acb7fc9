package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

// The paper gives some counts beside its rates; from the counts must follow the rates.

// outcome is one task of the paper: which targets are resolved in each mode.
type paperTask struct {
	kind               string
	joint, independent []bool
	changed            []bool // by the joint run
}

// paperResult makes data and runs of tasks; one F2P and one P2P a target.
func paperResult(t *testing.T, tasks []paperTask, both bool) *Result {
	t.Helper()
	var list []DataTask
	joint, independent := map[string]schema.TaskReport{}, map[string]schema.TaskReport{}
	for i, x := range tasks {
		d := DataTask{ID: fmt.Sprintf("t%04d", i), Ecosystem: "e", Kind: x.kind, Languages: []string{"Go"}}
		for k := range x.joint {
			d.Targets = append(d.Targets, target(fmt.Sprintf("o/r%d", k), 1, 1))
		}
		joint[d.ID] = paperVerdict(d, x.joint, x.changed)
		if both {
			independent[d.ID] = paperVerdict(d, x.independent, nil)
		}
		list = append(list, d)
	}
	data := describe(list)
	reports := []evaluation{{Source{Folder: t.TempDir(), Label: "codex"}, nil,
		&schema.Report{Runs: []schema.ReportRun{{Mode: schema.Joint, Tasks: joint}}}}}
	if both {
		reports = append(reports, evaluation{Source{Folder: t.TempDir(), Label: "codex"}, nil,
			&schema.Report{Runs: []schema.ReportRun{{Mode: schema.Independent, Tasks: independent}}}})
	}
	res, err := compile(data, reports, options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func paperVerdict(d DataTask, resolved, changed []bool) schema.TaskReport {
	v := schema.TaskReport{Status: schema.StatusResolved, Resolved: true, Targets: map[string]schema.TargetReport{}}
	for k, x := range d.Targets {
		tv := schema.TargetReport{Status: schema.StatusResolved, Resolved: true, F2P: tally(1, 1), P2P: tally(1, 1)}
		if !resolved[k] {
			tv = schema.TargetReport{Status: schema.StatusUnresolved, F2P: tally(0, 1), P2P: tally(1, 1)}
			v.Status, v.Resolved = schema.StatusUnresolved, false
		}
		if changed != nil && changed[k] {
			v.Patched = append(v.Patched, x.Repository)
		}
		v.Targets[x.Repository] = tv
	}
	return v
}

func repeat(n int, x paperTask) (list []paperTask) {
	for range n {
		list = append(list, x)
	}
	return list
}

func join[T any](lists ...[]T) (all []T) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func wants(t *testing.T, res *Result, want map[string][]string) {
	t.Helper()
	for table, lines := range want {
		text := flat(res.table(table))
		for _, l := range lines {
			if !strings.Contains(text, l) {
				t.Errorf("%s has not %q:\n%s", table, l, text)
			}
		}
	}
}

// Section 4.3 and appendix B.1: 29 bug fixes and 60 features in both modes.
func TestPaperPairs(t *testing.T) {
	yes, no := []bool{true, true}, []bool{true, false}
	pairs := func(kind string, both, joint, independent, neither int) []paperTask {
		return join(repeat(both, paperTask{kind, yes, yes, nil}), repeat(joint, paperTask{kind, yes, no, nil}),
			repeat(independent, paperTask{kind, no, yes, nil}), repeat(neither, paperTask{kind, no, no, nil}))
	}
	res := paperResult(t, join(pairs(schema.Bugfix, 9, 1, 4, 15), pairs(schema.Feature, 15, 11, 4, 30)), true)
	wants(t, res, map[string][]string{
		"table3": {"All, Task success: 40.45 % (36/89)* 35.96 % (32/89)",
			"Bug fix, Task success: 34.48 % (10/29) 44.83 % (13/29)*",
			"Feature, Task success: 43.33 % (26/60)* 31.67 % (19/60)"},
		"table5": {"All, Joint only: 13.48 % (12/89)", "All, Reversals: 22.47 % (20/89)", "All, p: 0.503",
			"Bug fix, p: 0.375", "Feature, p: 0.118"},
	})
}

// Table 6: of 73 repositories that fail in joint mode, 20 are left as they are.
func TestPaperRecovery(t *testing.T) {
	one := func(n int, joint, independent, changed bool) []paperTask {
		return repeat(n, paperTask{schema.Feature, []bool{joint}, []bool{independent}, []bool{changed}})
	}
	res := paperResult(t, join(one(12, false, true, false), one(8, false, false, false), one(5, false, true, true),
		one(48, false, false, true),
		one(19, true, false, true), one(99, true, true, true)), true)
	wants(t, res, map[string][]string{
		"table6": {"Not modified: 20 60.00 % (12/20)", "Modified: 53 9.43 % (5/53)", "All: 73"},
		"table5": {"All, Joint only: 9.95 % (19/191) 9.95 % (19/191)"},
	})
}

// Sections 4.1 and 4.2: 51 of 120 tasks, 46 of the 107 with two repositories and 5 of
// the 13 with three; of 69 unresolved ones 48 have a repository that works.
func TestPaperSuccess(t *testing.T) {
	two := func(n int, a, b bool) []paperTask {
		return repeat(n, paperTask{schema.Feature, []bool{a, b}, nil, []bool{true, a || b}})
	}
	three := func(n, solved int, all bool) []paperTask {
		return repeat(n, paperTask{schema.Feature, []bool{solved > 0, solved > 1, solved > 2}, nil, []bool{true, true, all}})
	}
	res := paperResult(t, join(two(46, true, true), two(43, true, false), two(18, false, false),
		three(5, 3, true), three(5, 2, true), three(1, 1, true), three(1, 0, true), three(1, 0, false)), false)
	wants(t, res, map[string][]string{
		"table1": {"All, Task success: 42.50 % (51/120)"},
		"repository-count": {"codex, 2: 42.99 % (46/107) 63.08 % (135/214)",
			"codex, 3: 38.46 % (5/13) 66.67 % (26/39) 87.50 % (7/8) 62.50 % (5/8)"},
		"intervals": {"codex, All: 42.50 % (51/120) 34.02 51.44"},
	})
	wants(t, res, map[string][]string{"unresolved": {"codex: 69"}})
}

// Section 4.1: of 69 failures 26, 2 and 41; of 107 40, 56 and 11.
func TestPaperFailureCategories(t *testing.T) {
	for _, tt := range []struct {
		counts [3]int
		want   string
	}{{[3]int{26, 2, 41}, "codex: 69 37.68 % (26/69) 2.90 % (2/69) 59.42 % (41/69) 0.00 % (0/69)"},
		{[3]int{40, 56, 11}, "codex: 107 37.38 % (40/107) 52.34 % (56/107) 10.28 % (11/107) 0.00 % (0/107)"}} {
		res := paperResult(t, repeat(tt.counts[0]+tt.counts[1]+tt.counts[2], paperTask{schema.Feature, []bool{true, false},
			nil, nil}), false)
		i := 0
		for c, n := range tt.counts {
			for range n {
				res.Failures.Runs[i].Category = categories[c].key
				i++
			}
		}
		table := res.failureTable()
		if text := flat(&table); !strings.Contains(text, tt.want) {
			t.Errorf("no %q:\n%s", tt.want, text)
		}
	}
}
