package report

import (
	"slices"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/settled"
	"github.com/wideswe/wideswe/schema"
)

// open tells whether a state says that a target resolves as submitted and not in the
// second run.
func open(status string) bool {
	return status == schema.StatusDisputed || status == schema.StatusUnbuilt
}

// settle joins a row with people's decisions on it. A decision on other patches, or on a
// verdict that is no longer open, does not count.
func (r *Row) settle(run schema.RunKey, decisions []settled.Decision, warn func(string, ...any)) {
	for i, x := range r.Targets {
		d := settled.Of(decisions, run, r.ID, x.Repository)
		if d == nil {
			continue
		}
		digest, err := settled.Digest(r.from.Folder, r.Verdict.Patches, x.Repository)
		if err != nil || digest != d.Patches || !open(x.Verdict.Status) {
			warn("%s: the decision of %s on %s is about other patches or another verdict; it is not counted",
				r.ID, line(d.By, maxTitle), x.Repository)
			continue
		}
		r.Targets[i].Settled = &Settlement{Resolved: d.Resolved, Reason: line(d.Reason, maxID), By: line(d.By, maxTitle),
			Date: line(d.Date, maxTitle)}
	}
}

// Settlement is a person's decision on an open verdict.
type Settlement struct {
	Resolved bool   `json:"resolved"`
	Reason   string `json:"reason"`
	By       string `json:"by"`
	Date     string `json:"date,omitempty"`
}

// counts are both counts of tasks or of repositories, and what became of the verdicts
// between them.
type counts struct {
	total, resolved, asSubmitted, disputed, unbuilt int
	settledResolved, settledUnresolved              int
	unknown                                         bool // as submitted is not known of every verdict
}

// add counts one verdict. settlement is nil where nobody decided.
func (c *counts) add(status string, resolved, asSubmitted bool, settlement *bool) {
	c.total++
	c.resolved += oneIf(resolved)
	c.asSubmitted += oneIf(asSubmitted)
	c.disputed += oneIf(status == schema.StatusDisputed)
	c.unbuilt += oneIf(status == schema.StatusUnbuilt)
	if settlement != nil {
		c.settledResolved += oneIf(*settlement)
		c.settledUnresolved += oneIf(!*settlement)
	}
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// settlement is what people's decisions make of a task: resolved where every open target
// is settled as resolved and all others are resolved, unresolved where one target is
// settled as unresolved, nil where neither holds.
func (r Row) settlement() *bool {
	if !open(r.Verdict.Status) {
		return nil
	}
	all := true
	for _, x := range r.Targets {
		switch {
		case x.Settled != nil && !x.Settled.Resolved:
			return new(bool)
		case x.Settled == nil && !x.Verdict.Resolved:
			all = false
		}
	}
	if !all {
		return nil
	}
	return &all
}

// counts gives a series' two counts, over tasks and over repositories.
func (s Series) counts() (tasks, repositories counts) {
	for _, r := range s.rows(all) {
		tasks.unknown = tasks.unknown || r.rules == ""
		tasks.add(r.Verdict.Status, r.Verdict.Resolved, r.Verdict.AsSubmitted, r.settlement())
		for _, x := range r.Targets {
			var decided *bool
			if x.Settled != nil {
				decided = &x.Settled.Resolved
			}
			repositories.add(x.Verdict.Status, x.Verdict.Resolved, x.Verdict.AsSubmitted, decided)
		}
	}
	repositories.unknown = tasks.unknown
	return tasks, repositories
}

// submitted is the share that resolves as submitted; where it is not known, nothing.
func (c counts) submitted() schema.Tally {
	if c.unknown {
		return schema.Tally{}
	}
	return schema.Tally{Passed: c.asSubmitted, Total: c.total}
}

// twoCountsTable sets the strict count beside the paper's rule, and people's decisions
// on the verdicts between them.
func (res *Result) twoCountsTable() Table {
	t := Table{Name: "two-counts", Title: "Resolved and resolved as submitted", Incomplete: res.incomplete(),
		Head: []string{"Configuration", "Of", "Resolved", "As submitted", "Disputed", "Unbuilt", "Settled as resolved",
			"Settled as unresolved", "Not settled"},
		Note: "Resolved is strict: as submitted and in a second run, which puts back what the patch changes of how tests " +
			"run. As submitted is the paper's rule. " +
			"Disputed: a test fails in the second run; unbuilt: its tree does not build. People settle such verdicts (wideswe " +
			"evaluate settle); " +
			"what they decide is counted here alone."}
	for _, s := range res.Series {
		tasks, repositories := s.counts()
		for _, part := range []struct {
			title string
			counts
		}{{"tasks", tasks}, {"repositories", repositories}} {
			c := part.counts
			settled := c.settledResolved + c.settledUnresolved
			t.add(word(s.Title()), word(part.title), shareOf(c.resolved, c.total), tallied(c.submitted()), count(c.disputed),
				count(c.unbuilt), count(c.settledResolved), count(c.settledUnresolved), count(c.disputed+c.unbuilt-settled))
		}
	}
	return t
}

// disputedPart gives the sections of a patch that change the files which the second run
// replaces.
func disputedPart(text []byte, files []string) (part []byte) {
	for _, s := range sections(text) {
		list, err := patch.Parse(s)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(list, func(f patch.File) bool {
			return slices.ContainsFunc(f.Paths(), func(p string) bool { return slices.Contains(files, p) })
		}) {
			part = append(part, s...)
		}
	}
	return part
}

// sections divides a patch at the heads of its files.
func sections(text []byte) (list [][]byte) {
	const head = "diff --git "
	begin := 0
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && text[end] != '\n' {
			end++
		}
		if at > begin && len(text)-at >= len(head) && string(text[at:at+len(head)]) == head {
			list, begin = append(list, text[begin:at]), at
		}
		at = end + 1
	}
	if begin < len(text) {
		list = append(list, text[begin:])
	}
	return list
}
