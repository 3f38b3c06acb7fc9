package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/wideswe/wideswe/pipeline/stats"
	"github.com/wideswe/wideswe/schema"
)

// metric is one rate of the tables.
type metric struct {
	title string
	of    func(schema.ReportSummary) schema.Tally
}

// rates are the paper's Case, Repo, F2P and P2P.
var rates = []metric{
	{"Task success", func(s schema.ReportSummary) schema.Tally {
		return schema.Tally{Passed: s.TasksResolved, Total: s.Tasks}
	}},
	{"Repository success", func(s schema.ReportSummary) schema.Tally {
		return schema.Tally{Passed: s.TargetsResolved, Total: s.Targets}
	}},
	{"F2P-complete", func(s schema.ReportSummary) schema.Tally { return s.F2PComplete }},
	{"P2P-preserved", func(s schema.ReportSummary) schema.Tally { return s.P2PPreserved }},
}

// tests are the rates over single tests (appendix B.2).
var tests = []metric{
	{"F2P tests", func(s schema.ReportSummary) schema.Tally { return s.F2P }},
	{"P2P tests", func(s schema.ReportSummary) schema.Tally { return s.P2P }},
}

const requestsRow = "API requests"

func (res *Result) titles() (list []string) {
	for _, s := range res.Series {
		list = append(list, s.Title())
	}
	return list
}

func (res *Result) mainTables() []Table {
	t1 := res.byKind("table1", "Table 1", "Results by kind of task", rates, true)
	t1.Note = "Task success: every target passes all its F2P and P2P tests, as submitted and in the second run; " +
		"repository success: a target does. F2P-complete and P2P-preserved are the " +
		"repositories that pass all such tests, among those that have any. API requests: mean over the tasks whose usage " +
		"is recorded. In hundredths; bold is the row's highest."
	t7 := res.byKind("table7", "Table 7", "Tests passed", tests, false)
	t7.Note = "Tests passed of all tests of the tasks, whatever repository they are of."
	return []Table{t1, res.twoCountsTable(), res.failureTable(), t7}
}

// byKind makes a table of rates, for bug fixes, features and all, of every series.
func (res *Result) byKind(name, paper, title string, metrics []metric, usage bool) Table {
	t := Table{Name: name, Paper: paper, Title: title, Incomplete: res.incomplete(), Head: append([]string{"Tasks",
		"Rate"}, res.titles()...)}
	for _, k := range kinds {
		var slices []Slice
		for _, s := range res.Series {
			slices = append(slices, summed("", "", s.rows(ofKind(k.kind))))
		}
		for _, m := range metrics {
			row := []Cell{word(k.title), word(m.title)}
			for _, s := range slices {
				row = append(row, tallied(m.of(s.Summary)))
			}
			t.add(best(row, 2)...)
		}
		if usage {
			row := []Cell{word(k.title), word(requestsRow)}
			for _, s := range slices {
				row = append(row, number(s.APIRequests, 1, s.APIRequests > 0))
			}
			t.add(row...)
		}
	}
	return t
}

// extraTables are what the paper's figures and text are counted from.
func (res *Result) extraTables() []Table {
	list := []Table{res.unresolvedTable(), res.countTable(), res.familyTable(), res.intervalTable()}
	if slices.ContainsFunc(res.Series, func(s Series) bool { return len(s.Attempts) > 1 }) {
		list = append(list, res.attemptTable())
	}
	return append(list, res.statusTable())
}

// stop is how far an unresolved task came (figure 3).
type stop struct{ key, title string }

var stops = []stop{
	{"none", "no repository F2P-complete"}, {"some", "some repositories F2P-complete"},
	{"p2p", "all F2P-complete, P2P fails"},
	{"other", "all tests pass, not accepted"}, {"unjudged", "not judged"},
}

// stopOf says how far a task came; "" is resolved.
func stopOf(r Row) string {
	switch {
	case r.Verdict.Resolved:
		return ""
	case unfinished(r.Verdict.Status):
		return "unjudged"
	}
	complete, preserved := 0, 0
	for _, t := range r.Targets {
		if t.Verdict.F2P.Passed == t.Verdict.F2P.Total {
			complete++
		}
		if t.Verdict.P2P.Passed == t.Verdict.P2P.Total {
			preserved++
		}
	}
	switch n := len(r.Targets); {
	case complete == n && preserved == n:
		return "other"
	case complete == n:
		return "p2p"
	case complete > 0:
		return "some"
	}
	return "none"
}

func (res *Result) unresolvedTable() Table {
	t := Table{Name: "unresolved", Title: "How far unresolved tasks came", Incomplete: res.incomplete(),
		Head: []string{"Configuration", "Unresolved"},
		Note: "Figure 3: of the unresolved tasks, in how many no, some, or all repositories pass all their F2P tests. Not " +
			"accepted is a verdict such as disputed."}
	for _, s := range stops {
		t.Head = append(t.Head, capital(s.title))
	}
	for _, s := range res.Series {
		by, n := map[string]int{}, 0
		for _, r := range s.rows(all) {
			if k := stopOf(r); k != "" {
				by[k]++
				n++
			}
		}
		row := []Cell{word(s.Title()), count(n)}
		for _, k := range stops {
			row = append(row, shareOf(by[k.key], n))
		}
		t.add(row...)
	}
	return t
}

// countTable is success by the number of targets, with the shares of section 4.2.
func (res *Result) countTable() Table {
	t := Table{Name: "repository-count", Title: "Success by repository count", Incomplete: res.incomplete(),
		Head: []string{"Configuration", "Targets", "Task success", "Repository success",
			"Unresolved that change every target", "Unresolved that solve all targets but one"},
		Note: "Figure 4 (a). A change is any recorded modification, right or wrong. Tasks that are not judged are no " +
			"failures of either kind."}
	for _, s := range res.Series {
		for _, n := range res.Data.targetCounts() {
			rows := s.rows(func(t DataTask) bool { return len(t.Targets) == n })
			sum := summed("", "", rows).Summary
			failed, everywhere, butOne := 0, 0, 0
			for _, r := range rows {
				if !failedRun(r) {
					continue
				}
				failed++
				if r.changesEvery() {
					everywhere++
				}
				if r.solved() == n-1 {
					butOne++
				}
			}
			t.add(word(s.Title()), count(n), tallied(rates[0].of(sum)), tallied(rates[1].of(sum)), shareOf(everywhere, failed),
				shareOf(butOne, failed))
		}
	}
	return t
}

// failedRun says whether a task was judged and not resolved.
func failedRun(r Row) bool { return !r.Verdict.Resolved && !unfinished(r.Verdict.Status) }

func (r Row) solved() (n int) {
	for _, t := range r.Targets {
		if t.Verdict.Resolved {
			n++
		}
	}
	return n
}

// changes says whether the prediction records any modification of a target.
func (r Row) changes(repository string) bool { return slices.Contains(r.Verdict.Patched, repository) }

func (r Row) changesEvery() bool {
	return !slices.ContainsFunc(r.Targets, func(t TargetRow) bool { return !r.changes(t.Repository) })
}

func (d *Dataset) targetCounts() (list []int) {
	for _, t := range d.Tasks {
		list = append(list, len(t.Targets))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// families are the parts of figure 4 (b).
var families = []struct{ value, title string }{{"one", "single family"}, {"several", "multiple families"},
	{"unknown", "family unknown"}}

// familyTable is success by kind and language diversity.
func (res *Result) familyTable() Table {
	t := Table{Name: "language-families", Title: "Task success by kind and language families",
		Incomplete: res.incomplete(),
		Head:       append([]string{"Tasks", "Languages"}, res.titles()...),
		Note:       "Figure 4 (b). Families are those of the production files that the reference changes."}
	for _, k := range kinds {
		for _, f := range families {
			in := func(t DataTask) bool { return ofKind(k.kind)(t) && diversity(t) == f.value }
			if f.value == "unknown" && !slices.ContainsFunc(res.Data.Tasks, in) {
				continue
			}
			row := []Cell{word(k.title), word(capital(f.title))}
			for _, s := range res.Series {
				row = append(row, tallied(rates[0].of(summed("", "", s.rows(in)).Summary)))
			}
			t.add(best(row, 2)...)
		}
	}
	return t
}

// intervalTable gives every series' main rate with its uncertainty.
func (res *Result) intervalTable() Table {
	t := Table{Name: "intervals", Title: "Confidence intervals of task success", Incomplete: res.incomplete(),
		Head: []string{"Configuration", "Tasks", "Task success", "95 % from", "to", "A repository solved in"},
		Note: "Wilson's score interval, over the tasks as a sample of their kind; of several attempts none is given, since " +
			"they share the tasks. The last column: tasks with at least one target resolved."}
	for _, s := range res.Series {
		for _, k := range kinds {
			sum := summed("", "", s.rows(ofKind(k.kind))).Summary
			i, known := s.interval(sum)
			t.add(word(s.Title()), word(k.title), shareOf(sum.TasksResolved, sum.Tasks), number(100*i.Low, 2, known),
				number(100*i.High, 2, known),
				shareOf(sum.TasksAnyResolved, sum.Tasks))
		}
	}
	return t
}

func (s Series) interval(sum schema.ReportSummary) (i stats.Interval, known bool) {
	return stats.Wilson(sum.TasksResolved, sum.Tasks), len(s.Attempts) == 1 && sum.Tasks > 0
}

// attemptTable is the mean and variance over attempts.
func (res *Result) attemptTable() Table {
	t := Table{Name: "attempts", Title: "Several attempts", Incomplete: res.incomplete(), Head: []string{"Configuration",
		"Attempts", "Rate", "Mean", "Variance", "Standard deviation", "In every attempt", "In at least one"},
		Note: "Over attempts, in hundredths; the variance is the sample's (n−1). The last columns count tasks that are " +
			"resolved in every attempt and in at least one."}
	for _, s := range res.Series {
		for i, m := range rates {
			mean, variance := s.spread(m.of)
			row := []Cell{word(s.Title()), count(len(s.Attempts)), word(m.title), number(mean, 2, true),
				number(variance, 2, len(s.Attempts) > 1), number(math.Sqrt(variance), 2, len(s.Attempts) > 1), word(nothing),
				word(nothing)}
			if i == 0 {
				every, once := s.always()
				row[6], row[7] = shareOf(every, len(res.Data.Tasks)), shareOf(once, len(res.Data.Tasks))
			}
			t.add(row...)
		}
	}
	return t
}

// always counts the tasks that every attempt resolves, and those that one does.
func (s Series) always() (every, once int) {
	by := map[string]int{}
	for _, r := range s.rows(all) {
		if r.Verdict.Resolved {
			by[r.ID]++
		}
	}
	for _, n := range by {
		once++
		if n == len(s.Attempts) {
			every++
		}
	}
	return every, once
}

// statusTable counts the states that tasks are in.
func (res *Result) statusTable() Table {
	t := Table{Name: "statuses", Title: "States of tasks", Incomplete: res.incomplete(), Head: append([]string{"State"},
		res.titles()...),
		Note: "Every task of the release is in exactly one state in each attempt. Anything but resolved is not resolved."}
	sums := map[string]int{}
	for _, s := range res.Series {
		for status, n := range s.Score().Summary.ByStatus {
			sums[status] += n
		}
	}
	for _, status := range inOrder(sums) {
		row := []Cell{word(status)}
		for _, s := range res.Series {
			row = append(row, count(s.Score().Summary.ByStatus[status]))
		}
		t.add(row...)
	}
	return t
}

// percentOf writes a p value as people do.
func pValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
