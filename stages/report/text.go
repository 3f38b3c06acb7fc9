package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/wideswe/wideswe/pipeline/stats"
	"github.com/wideswe/wideswe/schema"
)

// Bounds of what is repeated of strangers' text.
const (
	maxTitle   = 200
	maxID      = 400
	maxMessage = 1500 // of a failing test: the tail
	maxList    = 50   // of flags, file names
)

// clean drops what does not show or turns the direction of reading.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d', r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// line is a text on one line, bounded.
func line(s string, most int) string {
	if len(s) > 4*most {
		s = s[:4*most]
	}
	s = strings.Join(strings.Fields(clean(s)), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// tail is the end of a text, bounded.
func tail(s string, most int) string {
	cut := ""
	if len(s) > most {
		s, cut = s[len(s)-most:], "…\n"
	}
	return cut + strings.Trim(clean(s), "\n")
}

func lines(list []string, most int) []string {
	var out []string
	for i, s := range list {
		if i == maxList {
			return append(out, fmt.Sprintf("… and %d more", len(list)-i))
		}
		out = append(out, line(s, most))
	}
	return out
}

func tidyTask(v schema.TaskReport) schema.TaskReport {
	v.Status, v.Reason = line(v.Status, maxTitle), line(v.Reason, maxID)
	v.Model, v.Mode = line(v.Model, maxTitle), line(v.Mode, maxTitle)
	v.Flags, v.Patched = lines(v.Flags, maxID), lines(v.Patched, maxID)
	v.Targets = nil                    // the rows hold them
	v.Deviations, v.Machine = nil, nil // flags say them in words; report.json has them
	v.PutBack = maps.Clone(v.PutBack)
	for repository, files := range v.PutBack {
		v.PutBack[repository] = files[:min(len(files), schema.MaxPutBack)]
	}
	v.Patches = v.Patches[:min(len(v.Patches), maxList)]
	return v
}

func tidyTarget(v schema.TargetReport) schema.TargetReport {
	v.Status, v.Reason, v.Log = line(v.Status, maxTitle), line(v.Reason, maxID), line(v.Log, maxID)
	v.Flags, v.Replaced = lines(v.Flags, maxID), lines(v.Replaced, maxID)
	v.Deviations = nil
	v.Failing = slices.Clone(v.Failing[:min(len(v.Failing), schema.MaxFailing)])
	for i, f := range v.Failing {
		v.Failing[i] = schema.FailingTest{ID: line(f.ID, maxID), Class: f.Class, Outcome: f.Outcome, Message: tail(f.Message,
			maxMessage)}
	}
	return v
}

// rate writes a tally as people read it.
func rate(t schema.Tally) string {
	if t.Total == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", t.Passed, t.Total)
}

// percent writes a tally's share.
func percent(t schema.Tally) string {
	if t.Total == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f\u00a0%%", 100*float64(t.Passed)/float64(t.Total))
}

// Unjudged says why a run is incomplete, "" where it is not.
func (r Run) Unjudged() string {
	by := r.All().ByStatus
	var parts []string
	if n := by[schema.StatusMissing]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s without a prediction", n, plural(r.All().Tasks, "task", "tasks")))
	}
	if n := by[schema.StatusInfra]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d could not be run; evaluate again to complete them", n))
	}
	return strings.Join(parts, "; ")
}

func capital(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// states are those of a task, in the order in which tables have them; others follow.
var states = []string{schema.StatusResolved, schema.StatusUnresolved, schema.StatusDisputed, schema.StatusUnbuilt,
	schema.StatusRejected, schema.StatusEmpty, schema.StatusTimeout, schema.StatusPatchFailed,
	schema.StatusPatchUnsafe, schema.StatusInjectionFailed, schema.StatusInconsistent, schema.StatusInfra,
	schema.StatusMissing}

// inOrder gives the states that something is in.
func inOrder(by map[string]int) (list []string) {
	for _, s := range states {
		if by[s] > 0 {
			list = append(list, s)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(by)) {
		if by[s] > 0 && !slices.Contains(states, s) {
			list = append(list, s)
		}
	}
	return list
}

// Sentences sum the series up.
func (res *Result) Sentences() (list []string) {
	for _, s := range res.Series {
		sum := s.Score().Summary
		text := fmt.Sprintf("%s resolves %d of %s (%s", s.Title(), sum.TasksResolved, plural(sum.Tasks, "task", "tasks"),
			percent(rates[0].of(sum)))
		if i, known := s.interval(sum); known {
			text += fmt.Sprintf("; 95\u00a0%% interval %.2f to %.2f", 100*i.Low, 100*i.High)
		} else if len(s.Attempts) > 1 {
			text += fmt.Sprintf(", over %d attempts", len(s.Attempts))
		}
		tasks, _ := s.counts()
		if !tasks.unknown {
			text += fmt.Sprintf("; %d as submitted", tasks.asSubmitted)
		}
		text += fmt.Sprintf("), and at least one repository in %s.", percent(schema.Tally{Passed: sum.TasksAnyResolved,
			Total: sum.Tasks}))
		list = append(list, text)
	}
	for _, c := range res.comparisons {
		q := tasksOf(c.pairs)
		text := fmt.Sprintf("%s: of %s in both modes, joint runs resolve %d and independent ones %d; %d change their outcome",
			c.configuration,
			plural(q.total(), "task", "tasks"), q.both+q.jointOnly, q.both+q.independentOnly, q.jointOnly+q.independentOnly)
		if c.attempts == 1 {
			text += fmt.Sprintf(" (McNemar's p %s)", pValue(stats.McNemar(q.jointOnly, q.independentOnly)))
		}
		list = append(list, text+".")
	}
	return list
}
