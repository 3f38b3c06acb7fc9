package report

import (
	"cmp"
	"slices"

	"github.com/wideswe/wideswe/pipeline/stats"
	"github.com/wideswe/wideswe/schema"
)

// tables describe a data set.
func (d *Dataset) tables() []Table {
	list := []Table{d.patternTable(), d.distributionTable(), d.ecosystemTable()}
	if len(d.Funnel) > 0 {
		list = append(list, d.funnelTable())
	}
	return append(list, d.shareTable())
}

// patternTable is the paper's table 4.
func (d *Dataset) patternTable() Table {
	t := Table{Name: "table4", Paper: "Table 4", Title: "Coordination patterns", Head: []string{"Pattern", "Tasks",
		"Share"},
		Note: "Producer–consumer: one repository provides what the others use or adapt to. Parallel: the repositories make " +
			"the same change."}
	by := map[string]int{}
	for _, x := range d.Tasks {
		by[x.Pattern]++
	}
	for _, p := range []struct{ value, title string }{{schema.ProducerConsumer, "Producer–consumer dependency"},
		{schema.Parallel, "Parallel propagation"}, {"", "Not said"}} {
		if n := by[p.value]; n > 0 || p.value != "" {
			t.add(word(p.title), count(n), shareOf(n, len(d.Tasks)))
		}
	}
	return t
}

// distribution is one list of numbers of a data set.
type distribution struct {
	title  string
	values func(keep func(DataTask) bool) []float64
}

func (d *Dataset) perTask(of func(DataTask) int) func(func(DataTask) bool) []float64 {
	return func(keep func(DataTask) bool) (list []float64) {
		for _, t := range d.Tasks {
			if keep(t) {
				list = append(list, float64(of(t)))
			}
		}
		return list
	}
}

func (d *Dataset) perTarget(of func(DataTarget) int) func(func(DataTask) bool) []float64 {
	return func(keep func(DataTask) bool) (list []float64) {
		for _, t := range d.Tasks {
			for _, x := range t.Targets {
				if keep(t) {
					list = append(list, float64(of(x)))
				}
			}
		}
		return list
	}
}

func (t DataTask) tests(of func(DataTarget) int) (n int) {
	for _, x := range t.Targets {
		n += of(x)
	}
	return n
}

func f2pOf(t DataTarget) int { return t.F2P }
func p2pOf(t DataTarget) int { return t.P2P }

// distributions are those of figures 6 to 8.
func (d *Dataset) distributions() []distribution {
	return []distribution{
		{"Context repositories of a task", d.perTask(func(t DataTask) int { return t.Context })},
		{"Files of the reference change", d.perTask(func(t DataTask) int { return t.Size().Files })},
		{"Lines of the reference change", d.perTask(func(t DataTask) int { return t.Size().Lines() })},
		{"F2P tests of a target", d.perTarget(f2pOf)},
		{"F2P tests of a task", d.perTask(func(t DataTask) int { return t.tests(f2pOf) })},
		{"P2P tests of a target", d.perTarget(p2pOf)},
		{"P2P tests of a task", d.perTask(func(t DataTask) int { return t.tests(p2pOf) })},
	}
}

// distributionTable sums figures 6 to 8 up.
func (d *Dataset) distributionTable() Table {
	t := Table{Name: "distributions", Title: "Sizes", Head: []string{"Of", "Tasks", "Smallest", "Median", "Mean",
		"Largest", "Sum"},
		Note: "Figures 6 to 8. The reference change is all of it: production code, tests, generated files, documentation, " +
			"configuration. Lines are those added and deleted; binary files count as files only."}
	for _, x := range d.distributions() {
		for _, k := range []int{2, 0, 1} {
			v := x.values(ofKind(kinds[k].kind))
			if len(v) == 0 {
				continue
			}
			sum := 0.0
			for _, n := range v {
				sum += n
			}
			t.add(word(x.title), word(kinds[k].title), number(slices.Min(v), 0, true), number(stats.Median(v), 1, true),
				number(stats.Mean(v), 1, true),
				number(slices.Max(v), 0, true), number(sum, 0, true))
		}
	}
	return t
}

// ecosystemTable is figure 2 (b).
func (d *Dataset) ecosystemTable() Table {
	t := Table{Name: "ecosystems", Title: "Ecosystems", Head: []string{"Ecosystem", "Tasks", "Bug fixes", "Features",
		"Targets", "F2P", "P2P"}, Note: "Figure 2 (b)."}
	for _, e := range d.ecosystems() {
		in := func(t DataTask) bool { return t.Ecosystem == e.Value }
		bugs := 0
		for _, x := range d.Tasks {
			if in(x) && x.Kind == schema.Bugfix {
				bugs++
			}
		}
		t.add(word(e.Value), count(e.Tasks), count(bugs), count(e.Tasks-bugs), count(e.Targets), count(e.F2P), count(e.P2P))
	}
	return t
}

// ecosystems are the shares by ecosystem, the largest first.
func (d *Dataset) ecosystems() (list []Share) {
	for _, s := range d.Shares {
		if s.Property == "ecosystem" {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(a.Value,
			b.Value))
	})
	return list
}

// funnelTable is figure 2 (a), with why the rest dropped out.
func (d *Dataset) funnelTable() Table {
	t := Table{Name: "funnel", Title: "How the tasks were found", Head: []string{"Stage", "Unit", "Ended", "Items",
		"Reason"},
		Note: "Figure 2 (a). Each stage counts units of its own; runnable and eligible are those of validate's tasks whose " +
			"every target reports on base and gold, and has an F2P."}
	for _, r := range d.Funnel {
		t.add(word(line(r.Stage, 40)), word(line(r.Unit, 40)), word(line(r.Status, 40)), count(int(r.Items)),
			word(line(r.Reason, maxTitle)))
	}
	return t
}

// shareTable counts tasks by one property after the other.
func (d *Dataset) shareTable() Table {
	t := Table{Name: "shares", Title: "The data set by property", Head: []string{"Property", "Value", "Tasks", "Share",
		"Targets", "F2P", "P2P"}}
	for _, s := range d.Shares {
		t.add(word(capital(s.Property)), word(s.Value), count(s.Tasks), shareOf(s.Tasks, len(d.Tasks)), count(s.Targets),
			count(s.F2P), count(s.P2P))
	}
	return t
}
