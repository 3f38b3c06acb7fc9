package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

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
	v.Targets = nil // the rows hold them
	return v
}

func tidyTarget(v schema.TargetReport) schema.TargetReport {
	v.Status, v.Reason, v.Log = line(v.Status, maxTitle), line(v.Reason, maxID), line(v.Log, maxID)
	v.Flags, v.Replaced = lines(v.Flags, maxID), lines(v.Replaced, maxID)
	v.Failing = slices.Clone(v.Failing[:min(len(v.Failing), schema.MaxFailing)])
	for i, f := range v.Failing {
		v.Failing[i] = schema.FailingTest{ID: line(f.ID, maxID), Class: f.Class, Outcome: f.Outcome, Message: tail(f.Message, maxMessage)}
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
	return fmt.Sprintf("%.2f%%", 100*float64(t.Passed)/float64(t.Total))
}

// figures are the columns of a table of scores, in their order.
func figures(s schema.ReportSummary) []schema.Tally {
	return []schema.Tally{
		{Passed: s.TasksResolved, Total: s.Tasks},
		{Passed: s.TargetsResolved, Total: s.Targets},
		s.F2PComplete,
		s.P2PPreserved,
		s.F2P,
		s.P2P,
		{Passed: s.TasksAnyResolved, Total: s.Tasks},
	}
}

var figureNames = []string{"Tasks resolved", "Repositories resolved", "F2P-complete", "P2P-preserved", "F2P tests", "P2P tests", "Tasks with a repository resolved"}

// Title names a run.
func (r Run) Title() string {
	parts := []string{r.Model}
	if r.Model == "" {
		parts[0] = "predictions"
	}
	if r.Mode != "" {
		parts = append(parts, r.Mode)
	}
	if r.Attempt > 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", r.Attempt))
	}
	return strings.Join(parts, ", ")
}

// Unjudged says why a run is incomplete, ” where it is not.
func (r Run) Unjudged() string {
	by := r.All().ByStatus
	var parts []string
	if n := by[schema.StatusMissing]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tasks have no prediction", n, r.All().Tasks))
	}
	if n := by[schema.StatusInfra]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d could not be run; evaluate again to complete them", n))
	}
	return strings.Join(parts, "; ")
}

func (s Slice) title() string {
	if s.Value == "" {
		return "all tasks"
	}
	return s.Property + ": " + s.Value
}
