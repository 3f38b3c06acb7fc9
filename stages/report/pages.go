package report

import (
	"strings"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/schema"
)

// Bounds of what the page repeats of patches, logs and prompts. All patches and logs
// have a bound too, which each has its share of: a page of many runs shows less of each.
const (
	maxPatch  = 16 << 10
	maxLog    = 4 << 10
	maxPrompt = 8 << 10
	maxPage   = 8 << 20
)

// taskPage is one task with what every run did to it.
type taskPage struct {
	DataTask
	Prompt     string
	Runs       []runView
	Prev, Next string // ids
}

type runView struct {
	Title   string
	Row     Row
	Sums    schema.ReportSummary
	Targets []targetView
	Failure *Failure
}

type targetView struct {
	TargetRow
	Changed bool
	Stats   string
	Patch   []piece
	File    string // of the whole patch, under the evaluation's folder
	Cut     bool   // the patch goes on there
	Log     string
	// Disputed is the part of the patch that the second run replaces, where the verdict is
	// open by it.
	Disputed    []piece
	DisputedCut bool
}

// piece is lines of a patch that look alike.
type piece struct{ Class, Text string }

// taskPages collects the pages of all tasks. With a release alone they describe it.
func (res *Result) taskPages() (list []taskPage) {
	room := res.share()
	for i, t := range res.Data.Tasks {
		p := taskPage{DataTask: t, Prompt: head(t.prompt, maxPrompt)}
		if i > 0 {
			p.Prev = res.Data.Tasks[i-1].ID
		}
		if i+1 < len(res.Data.Tasks) {
			p.Next = res.Data.Tasks[i+1].ID
		}
		for _, s := range res.Series {
			for _, run := range s.Attempts {
				v := runView{Title: s.runTitle(run), Row: run.Tasks[i], Sums: run.Tasks[i].sums()}
				if s.Mode == schema.Joint {
					v.Failure = res.Failures.find(s.Configuration, t.ID, run.Attempt)
				}
				for _, x := range v.Row.Targets {
					v.Targets = append(v.Targets, v.Row.view(x, room))
				}
				p.Runs = append(p.Runs, v)
			}
		}
		list = append(list, p)
	}
	return list
}

// bounds are how much of one patch and of one log is shown.
type bounds struct{ patch, log int }

// share divides the page's room among all patches and logs.
func (res *Result) share() bounds {
	views := 0
	for _, s := range res.Series {
		views += len(s.Attempts) * res.Data.Counts.Targets
	}
	each := maxPage / max(1, views)
	return bounds{min(maxPatch, each*3/4), min(maxLog, each/4)}
}

// view reads as much of a target's patch and log as there is room for.
func (r Row) view(x TargetRow, room bounds) targetView {
	v := targetView{TargetRow: x, Changed: r.changes(x.Repository)}
	for _, k := range r.Verdict.Patches {
		if k.Repository == x.Repository && (k.Target == "" || k.Target == x.Repository) {
			v.File = line(k.File, maxID)
		}
	}
	text, _ := r.patch(x.Repository)
	if files, err := patch.Parse(text); err == nil && len(files) > 0 {
		s := patch.Stat(files)
		v.Stats = plural(s.Files, "file", "files") + ", +" + grouped(int64(s.Added)) + " −" + grouped(int64(s.Deleted))
	}
	v.Cut = len(text) > room.patch
	v.Patch = pieces(head(string(text), room.patch))
	if open(x.Verdict.Status) {
		part := disputedPart(text, r.Verdict.PutBack[x.Repository])
		v.DisputedCut = len(part) > room.patch
		v.Disputed = pieces(head(string(part), room.patch))
	}
	v.Log = end(r.log(x, int64(room.log)), room.log)
	return v
}

// end is a text's last lines, whole ones where it was cut.
func end(s string, most int) string {
	if i := strings.IndexByte(s, '\n'); len(s) >= most && i >= 0 && i < most/2 {
		s = "…" + s[i:]
	}
	return tail(s, most+8)
}

// head is the beginning of a text, bounded.
func head(s string, most int) string {
	if len(s) > most {
		s = s[:most]
		if i := strings.LastIndexByte(s, '\n'); i > most/2 {
			s = s[:i+1]
		}
	}
	return clean(s)
}

// pieces divides a patch into runs of lines that look alike.
func pieces(text string) (list []piece) {
	inHunk := false
	for l := range strings.Lines(text) {
		class := ""
		switch {
		case strings.HasPrefix(l, "diff --git "):
			class, inHunk = "file", false
		case strings.HasPrefix(l, "@@"):
			class, inHunk = "hunk", true
		case !inHunk:
			class = "file"
		case strings.HasPrefix(l, "+"):
			class = "plus"
		case strings.HasPrefix(l, "-"):
			class = "minus"
		}
		if n := len(list); n > 0 && list[n-1].Class == class {
			list[n-1].Text += l
			continue
		}
		list = append(list, piece{class, l})
	}
	return list
}

// F2P counts the task's F2P tests.
func (p taskPage) F2P() int { return p.tests(f2pOf) }

// P2P counts the task's P2P tests.
func (p taskPage) P2P() int { return p.tests(p2pOf) }

// Solved is how many targets are resolved.
func (v runView) Solved() string {
	return rate(schema.Tally{Passed: v.Row.solved(), Total: len(v.Row.Targets)})
}

// Why says in a line why the run is not resolved: what is said of the run as a whole,
// or the first test that should have passed.
func (v runView) Why() *why {
	switch {
	case v.Row.Verdict.Resolved:
		return nil
	case v.Row.Verdict.Reason != "":
		return &why{Reason: v.Row.Verdict.Reason}
	}
	for _, t := range v.Targets {
		if list := t.Verdict.Failing; len(list) > 0 {
			more := v.Sums.F2P.Total - v.Sums.F2P.Passed + v.Sums.P2P.Total - v.Sums.P2P.Passed - 1
			return &why{Repository: t.Repository, Test: &list[0], More: more}
		}
	}
	for _, t := range v.Targets {
		if t.Verdict.Reason != "" {
			return &why{Repository: t.Repository, Reason: t.Verdict.Reason}
		}
	}
	return nil
}

// why is what a run's line says of its verdict.
type why struct {
	Repository string
	Test       *schema.FailingTest
	More       int // other tests that should have passed
	Reason     string
}

// Rank orders runs by how far they came: resolved, then by repositories and tests.
func (v runView) Rank() float64 {
	rank := float64(v.Row.solved())/float64(max(1, len(v.Row.Targets))) + share(v.Sums.F2P)/1e4
	if v.Row.Verdict.Resolved {
		rank += 10
	}
	if unfinished(v.Row.Verdict.Status) {
		rank -= 10
	}
	return rank
}

// RunTitle names one attempt for the page.
func (s Series) RunTitle(r Run) string { return s.runTitle(r) }
