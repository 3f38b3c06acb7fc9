package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// progress counts verdicts as they come, run by run, for the person who watches.
type progress struct {
	say      func(line string) // nil says nothing
	describe func(text string) // shows a text beside the progress bar
	saying   sync.Mutex

	mu    sync.Mutex
	order []schema.RunKey
	tasks int // of the release
	todo  int // items of this call
	total map[schema.RunKey]int
	by    map[schema.RunKey]map[string]int // verdicts by status
	as    map[schema.RunKey]int            // verdicts that resolve as submitted
}

func newProgress(items []pipeline.Item[item], tasks int, say, describe func(string)) *progress {
	p := &progress{say: say, describe: describe, tasks: tasks, todo: len(items), total: map[schema.RunKey]int{},
		by: map[schema.RunKey]map[string]int{}, as: map[schema.RunKey]int{}}
	for _, it := range items {
		k := it.Value.RunKey
		if p.by[k] == nil {
			p.order, p.by[k] = append(p.order, k), map[string]int{}
		}
		p.total[k]++
	}
	return p
}

// earlier counts a verdict of an earlier call.
func (p *progress) earlier(k schema.RunKey, v schema.TaskReport) {
	p.add(k, v.Status, v.AsSubmitted)
	p.todo--
}

// judged prints a verdict.
func (p *progress) judged(k results.Key, v *verdict.Verdict, took time.Duration) {
	p.end(k, v.Report.Status, v.Report.AsSubmitted, line(v, took))
}

// failed prints an item that trouble of this machine ended.
func (p *progress) failed(k results.Key, err error) {
	p.end(k, schema.StatusInfra, false, fmt.Sprintf("infra: %v", err))
}

func (p *progress) end(k results.Key, status string, asSubmitted bool, text string) {
	p.printLine(fmt.Sprintf("%s · %s: %s · %s", k.Task, k.RunKey, text, p.add(k.RunKey, status, asSubmitted)))
	p.describe(p.bar())
}

// printLine prints one line at a time.
func (p *progress) printLine(line string) {
	p.saying.Lock()
	defer p.saying.Unlock()
	if p.say != nil {
		p.say(line)
	}
}

// line is a verdict in one line.
func line(v *verdict.Verdict, took time.Duration) string {
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(v.Report.Targets)) {
		t := v.Report.Targets[r]
		parts = append(parts, fmt.Sprintf("%s %s F2P %d/%d P2P %d/%d", r, t.Status,
			t.F2P.Passed, t.F2P.Total, t.P2P.Passed, t.P2P.Total))
	}
	return fmt.Sprintf("%s (%s) %.1f s", v.Report.Status, strings.Join(parts, "; "), took.Seconds())
}

// printLeaving lists the verdicts on predictions that are not given any more, run by run:
// the report goes without them. stored are the reports by the items' ids.
func (p *progress) printLeaving(items []pipeline.Item[item], stored map[string]schema.TaskReport) {
	given := map[string]bool{}
	for _, it := range items {
		given[it.ID] = true
	}
	count := map[schema.RunKey]int{}
	for id, t := range stored {
		if !given[id] {
			count[schema.RunKey{Model: t.Model, Mode: t.Mode, Attempt: t.Attempt}]++
		}
	}
	var lines []string
	for k, n := range count {
		lines = append(lines, fmt.Sprintf("%s: %d verdicts of an earlier call leave the report, since their "+
			"predictions "+
			"are not given now; given again, they are there at once", k, n))
	}
	for _, line := range slices.Sorted(slices.Values(lines)) {
		p.printLine(line)
	}
}

// add counts a verdict and gives the run's counts in words.
func (p *progress) add(k schema.RunKey, status string, asSubmitted bool) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.by[k][status]++
	if asSubmitted {
		p.as[k]++
	}
	return fmt.Sprintf("%d of %d: %s", p.done(k), p.total[k], p.counts(k))
}

func (p *progress) done(k schema.RunKey) (n int) {
	for _, c := range p.by[k] {
		n += c
	}
	return n
}

func (p *progress) counts(k schema.RunKey) string {
	var parts []string
	for _, s := range slices.Backward(verdict.BySeverity()) {
		if n := p.by[k][s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s, n))
		}
	}
	return strings.Join(parts, ", ")
}

// bar says in few words how the runs stand, beside the progress bar.
func (p *progress) bar() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var parts []string
	for i, k := range p.order {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("and %d runs", len(p.order)-3))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d/%d resolved", k, p.by[k][schema.StatusResolved], p.done(k)))
	}
	return strings.Join(parts, " · ")
}

// printTable prints in the end how every run stands, where this call had work to do.
func (p *progress) printTable() {
	if table := p.table(); p.todo > 0 && table != "" {
		p.printLine(table)
	}
}

// table is how every run stands, a line each, under the states that there are, with the
// tasks that it has no prediction for; nothing where there is none yet. The last column
// counts by the paper's rule.
func (p *progress) table() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	states := p.states()
	if len(states) == 0 {
		return ""
	}
	if slices.ContainsFunc(p.order, func(k schema.RunKey) bool { return p.total[k] < p.tasks }) {
		states = append(states, schema.StatusMissing)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "run\tpredicted\t%s\tas submitted\n", strings.Join(states, "\t"))
	for _, k := range p.order {
		fmt.Fprintf(w, "%s\t%d", k, p.total[k])
		for _, s := range states {
			n := p.by[k][s]
			if s == schema.StatusMissing {
				n = p.tasks - p.total[k]
			}
			fmt.Fprintf(w, "\t%d", n)
		}
		fmt.Fprintf(w, "\t%d\n", p.as[k])
	}
	_ = w.Flush() // into memory
	return strings.TrimRight(b.String(), "\n")
}

// states are those of any run, the best first.
func (p *progress) states() (list []string) {
	for _, s := range slices.Backward(verdict.BySeverity()) {
		if slices.ContainsFunc(p.order, func(k schema.RunKey) bool { return p.by[k][s] > 0 }) {
			list = append(list, s)
		}
	}
	return list
}
