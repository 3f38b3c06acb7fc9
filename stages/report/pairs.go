package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/stats"
	"github.com/wideswe/wideswe/schema"
)

// comparison pairs a configuration's joint and independent outcomes, task by task and
// target by target (appendix B.1).
type comparison struct {
	configuration string
	set           string // '' is all tasks with a prediction in both modes
	pairs         []pair
	attempts      int
	leftOut       int // pairs of the set that are not judged in both modes
	incomplete    bool
}

// pair is one task in both modes, in attempts of one number.
type pair struct{ joint, independent Row }

// quadrants count pairs by outcome.
type quadrants struct{ both, jointOnly, independentOnly, neither int }

func (q quadrants) total() int { return q.both + q.jointOnly + q.independentOnly + q.neither }

func (q *quadrants) add(joint, independent bool) {
	switch {
	case joint && independent:
		q.both++
	case joint:
		q.jointOnly++
	case independent:
		q.independentOnly++
	default:
		q.neither++
	}
}

// compare pairs every configuration that has both modes.
func compare(data *Dataset, series []Series, set string) (list []comparison, err error) {
	if names := data.sets(); set != "" && !slices.Contains(names, set) {
		return nil, pipeline.Usage("the release has no set %q; it has %s", set, strings.Join(append(names, "no other"), ", "))
	}
	for _, j := range series {
		if j.Mode != schema.Joint {
			continue
		}
		for _, i := range series {
			if i.Configuration == j.Configuration && i.Mode == schema.Independent {
				if c := paired(j, i, set); len(c.pairs) > 0 || c.leftOut > 0 {
					list = append(list, c)
				}
			}
		}
	}
	return list, nil
}

func (d *Dataset) sets() (names []string) {
	for _, t := range d.Tasks {
		names = append(names, t.Sets...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func paired(joint, independent Series, set string) comparison {
	c := comparison{configuration: joint.Configuration, set: set}
	for k := range min(len(joint.Attempts), len(independent.Attempts)) {
		c.attempts++
		for n, j := range joint.Attempts[k].Tasks { // both have every task of the data, in its order
			i := independent.Attempts[k].Tasks[n]
			if set != "" && !slices.Contains(j.Sets, set) {
				continue
			}
			switch {
			case !unfinished(j.Verdict.Status) && !unfinished(i.Verdict.Status):
				c.pairs = append(c.pairs, pair{j, i})
			case set == "" && j.Verdict.Status != schema.StatusInfra && i.Verdict.Status != schema.StatusInfra:
				// One mode was never asked of it: it is in no pair.
			default:
				c.leftOut++
				c.incomplete = true
			}
		}
	}
	return c
}

func (c comparison) of(kind string) (list []pair) {
	for _, p := range c.pairs {
		if ofKind(kind)(p.joint.DataTask) {
			list = append(list, p)
		}
	}
	return list
}

func tasksOf(pairs []pair) (q quadrants) {
	for _, p := range pairs {
		q.add(p.joint.Verdict.Resolved, p.independent.Verdict.Resolved)
	}
	return q
}

func targetsOf(pairs []pair) (q quadrants) {
	for _, p := range pairs {
		for k, t := range p.joint.Targets {
			q.add(t.Verdict.Resolved, p.independent.Targets[k].Verdict.Resolved)
		}
	}
	return q
}

// sides are the rows of one mode each.
func sides(pairs []pair) (joint, independent []Row) {
	for _, p := range pairs {
		joint, independent = append(joint, p.joint), append(independent, p.independent)
	}
	return joint, independent
}

// note says what was paired.
func (c comparison) note() string {
	text := fmt.Sprintf("%s: %s with a verdict in both modes", c.configuration, plural(len(c.pairs), "task", "tasks"))
	if c.set != "" {
		text += fmt.Sprintf(", of the set %s", c.set)
	}
	if c.attempts > 1 {
		text += fmt.Sprintf(", over %d attempts", c.attempts)
	}
	return text + "."
}

func (res *Result) pairTable(name, paper, title string) Table {
	t := Table{Name: name, Paper: paper, Title: title}
	for _, c := range res.comparisons {
		t.Note = joined(t.Note, " ", c.note())
		if c.incomplete {
			t.Incomplete = joined(t.Incomplete, "; ", fmt.Sprintf("%s: %s not judged in both modes", c.configuration,
				plural(c.leftOut, "pair is", "pairs are")))
		}
	}
	return t
}

// heads names the columns that each comparison takes.
func (res *Result) heads(first []string, each ...string) []string {
	for _, c := range res.comparisons {
		for _, e := range each {
			if len(res.comparisons) > 1 {
				e = c.configuration + ": " + e
			}
			first = append(first, e)
		}
	}
	return first
}

// pairTables are tables 3, 5, 6 and 8, none where nothing was run in both modes.
func (res *Result) pairTables() []Table {
	if len(res.comparisons) == 0 {
		return nil
	}
	return []Table{res.table3(), res.table5(), res.table6(), res.table8()}
}

// table3 compares the modes by kind.
func (res *Result) table3() Table {
	t := res.pairTable("table3", "Table 3", "Joint against independent")
	t.Note += " Independent: one run a target, each scored alone; a task is resolved when every one of its runs is. Its " +
		"API requests are the sum of its runs'."
	t.Head = res.heads([]string{"Tasks", "Rate"}, "Joint", "Independent")
	for _, k := range kinds {
		for _, m := range rates {
			row := []Cell{word(k.title), word(m.title)}
			for _, c := range res.comparisons {
				joint, independent := sides(c.of(k.kind))
				row = append(row, best([]Cell{tallied(m.of(summed("", "", joint).Summary)),
					tallied(m.of(summed("", "", independent).Summary))}, 0)...)
			}
			t.add(row...)
		}
		row := []Cell{word(k.title), word(requestsRow)}
		for _, c := range res.comparisons {
			joint, independent := sides(c.of(k.kind))
			j, i := summed("", "", joint).APIRequests, summed("", "", independent).APIRequests
			row = append(row, number(j, 1, j > 0), number(i, 1, i > 0))
		}
		t.add(row...)
	}
	return t
}

// table5 gives the paired outcomes, of tasks and of targets.
func (res *Result) table5() Table {
	t := res.pairTable("table5", "Table 5", "Paired outcomes")
	t.Note += " Reversals are the pairs that change their outcome; p is McNemar's exact two-sided test over them, which " +
		"takes pairs for independent of each other."
	t.Head = res.heads([]string{"Tasks", "Outcome"}, "Tasks", "Repositories")
	outcomes := []struct {
		title string
		of    func(quadrants) int
	}{
		{"Both", func(q quadrants) int { return q.both }}, {"Joint only", func(q quadrants) int { return q.jointOnly }},
		{"Independent only", func(q quadrants) int { return q.independentOnly }},
		{"Neither", func(q quadrants) int { return q.neither }},
		{"Reversals", func(q quadrants) int { return q.jointOnly + q.independentOnly }},
	}
	for _, k := range []int{2, 0, 1} { // all first, as in the paper
		for _, o := range outcomes {
			row := []Cell{word(kinds[k].title), word(o.title)}
			for _, c := range res.comparisons {
				for _, q := range []quadrants{tasksOf(c.of(kinds[k].kind)), targetsOf(c.of(kinds[k].kind))} {
					row = append(row, shareOf(o.of(q), q.total()))
				}
			}
			t.add(row...)
		}
		row := []Cell{word(kinds[k].title), word("p")}
		for _, c := range res.comparisons {
			for _, q := range []quadrants{tasksOf(c.of(kinds[k].kind)), targetsOf(c.of(kinds[k].kind))} {
				p := stats.McNemar(q.jointOnly, q.independentOnly)
				cell := number(p, 4, c.attempts == 1 && q.total() > 0)
				if cell.Number != nil {
					cell.Text = pValue(p)
				}
				row = append(row, cell)
			}
		}
		t.add(row...)
	}
	return t
}

// table6 says how many of the targets that fail in joint mode succeed alone, by
// whether the joint run recorded any change of them.
func (res *Result) table6() Table {
	t := res.pairTable("table6", "Table 6", "Independent recovery of repositories that fail in joint mode")
	t.Note += " Modified: the joint prediction records any change of the repository, right or wrong."
	t.Head = res.heads([]string{"In joint mode"}, "Fail", "Recovered")
	for _, g := range []struct {
		title string
		in    func(changed bool) bool
	}{{"Not modified", func(c bool) bool { return !c }}, {"Modified", func(c bool) bool { return c }},
		{"All", func(bool) bool { return true }}} {
		row := []Cell{word(g.title)}
		for _, c := range res.comparisons {
			failed, recovered := 0, 0
			for _, p := range c.pairs {
				for k, x := range p.joint.Targets {
					if x.Verdict.Resolved || !g.in(p.joint.changes(x.Repository)) {
						continue
					}
					failed++
					if p.independent.Targets[k].Verdict.Resolved {
						recovered++
					}
				}
			}
			row = append(row, count(failed), shareOf(recovered, failed))
		}
		t.add(row...)
	}
	return t
}

// table8 gives the tests passed in both modes.
func (res *Result) table8() Table {
	t := res.pairTable("table8", "Table 8", "Tests passed, joint against independent")
	t.Head = res.heads([]string{"Tasks", "Rate"}, "Joint", "Independent")
	for _, k := range kinds {
		for _, m := range tests {
			row := []Cell{word(k.title), word(m.title)}
			for _, c := range res.comparisons {
				joint, independent := sides(c.of(k.kind))
				row = append(row, best([]Cell{tallied(m.of(summed("", "", joint).Summary)),
					tallied(m.of(summed("", "", independent).Summary))}, 0)...)
			}
			t.add(row...)
		}
	}
	return t
}
