package evaluate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// live counts verdicts as they come, run by run, for the person who watches.
type live struct {
	mu    sync.Mutex
	order []runKey
	tasks int // of the release
	total map[runKey]int
	by    map[runKey]map[string]int
}

func newLive(items []pipeline.Item[unit], tasks int) *live {
	l := &live{tasks: tasks, total: map[runKey]int{}, by: map[runKey]map[string]int{}}
	for _, it := range items {
		k := it.Value.runKey
		if l.by[k] == nil {
			l.order, l.by[k] = append(l.order, k), map[string]int{}
		}
		l.total[k]++
	}
	return l
}

// leaving tells of verdicts on predictions that are not given any more, run by run: the
// report goes without them.
func leaving(items []pipeline.Item[unit], stored map[string]schema.TaskReport) (lines []string) {
	given := map[string]bool{}
	for _, it := range items {
		given[it.ID] = true
	}
	count := map[runKey]int{}
	for id, t := range stored {
		if !given[id] {
			count[runKey{t.Model, t.Mode, t.Attempt}]++
		}
	}
	for k, n := range count {
		lines = append(lines, fmt.Sprintf("%s: %d verdicts of an earlier call leave the report, since their predictions are not given now; given again, they are there at once", k, n))
	}
	slices.Sort(lines)
	return lines
}

// add counts a verdict and gives the run's counts in words.
func (l *live) add(k runKey, status string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.by[k][status]++
	return fmt.Sprintf("%d of %d: %s", l.done(k), l.total[k], l.counts(k))
}

func (l *live) done(k runKey) (n int) {
	for _, c := range l.by[k] {
		n += c
	}
	return n
}

func (l *live) counts(k runKey) string {
	var parts []string
	for _, s := range slices.Backward(gravity) {
		if n := l.by[k][s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s, n))
		}
	}
	return strings.Join(parts, ", ")
}

// bar says in few words how the runs stand, beside the progress bar.
func (l *live) bar() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var parts []string
	for i, k := range l.order {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("and %d runs", len(l.order)-3))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d/%d resolved", k, l.by[k][schema.StatusResolved], l.done(k)))
	}
	return strings.Join(parts, " · ")
}

// table is how every run stands, a line each, under the states that there are, with the
// tasks that it has no prediction for; nothing where there is none yet.
func (l *live) table() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var states []string
	for _, s := range slices.Backward(gravity) {
		if slices.ContainsFunc(l.order, func(k runKey) bool { return l.by[k][s] > 0 }) {
			states = append(states, s)
		}
	}
	if len(states) == 0 {
		return ""
	}
	lacks := slices.ContainsFunc(l.order, func(k runKey) bool { return l.total[k] < l.tasks })
	if lacks {
		states = append(states, schema.StatusMissing)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "run\tpredicted\t%s\n", strings.Join(states, "\t"))
	for _, k := range l.order {
		fmt.Fprintf(w, "%s\t%d", k, l.total[k])
		for _, s := range states {
			n := l.by[k][s]
			if s == schema.StatusMissing {
				n = l.tasks - l.total[k]
			}
			fmt.Fprintf(w, "\t%d", n)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // into memory
	return strings.TrimRight(b.String(), "\n")
}
