package report

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/stats"
	"github.com/wideswe/wideswe/schema"
)

// The categories of unresolved runs (section 4.1, appendix B.3).
const (
	Scope    = "scope"     // a necessary change is not recognized
	Delivery = "delivery"  // it is recognized, and not delivered
	PostEdit = "post-edit" // every target has substantive code changes, and the run fails all the same
)

var categories = []struct{ key, title string }{
	{Scope, "Incomplete scope identification"}, {Delivery, "Recognized work without delivery"},
	{PostEdit, "Post-edit failure"},
}

// Failure is one unresolved run: a joint attempt at a task that was judged.
type Failure struct {
	Configuration string `json:"configuration"`
	Task          string `json:"task_id"`
	Attempt       int    `json:"attempt"`
	// Proposed is [PostEdit] where the rule sees substantive code changes in every
	// target, '' where it does not: people tell the other two apart.
	Proposed string `json:"proposed"`
	// Unchanged are the targets without a substantive code change.
	Unchanged []string `json:"unchanged,omitempty"`
	// Unread says that the evaluation did not keep a patch that it judged.
	Unread  bool              `json:"unread,omitempty"`
	Answers map[string]string `json:"answers,omitempty"` // annotators'
	// Category is what is decided: by agreement of two or more annotators, or after
	// a disagreement by their common decision; '' is undecided.
	Category string `json:"category"`
}

// Failures are all unresolved runs, with how far the annotators agree.
type Failures struct {
	Runs      []Failure  `json:"runs"`
	Agreement []Coupling `json:"agreement,omitempty"`
}

// Coupling is the agreement of two annotators.
type Coupling struct {
	Annotators [2]string `json:"annotators"`
	stats.Agreement
}

// classify proposes and reads a category for every unresolved joint run.
func classify(series []Series, notes *annotations, warn func(string, ...any)) *Failures {
	f := &Failures{}
	for _, s := range series {
		if s.Mode != schema.Joint {
			continue
		}
		for _, run := range s.Attempts {
			for _, r := range run.Tasks {
				if failedRun(r) {
					f.Runs = append(f.Runs, notes.decide(propose(s.Configuration, run.Attempt, r), warn))
				}
			}
		}
	}
	f.Agreement = agreements(f.Runs)
	return f
}

// propose applies the first stage of the protocol.
func propose(configuration string, attempt int, r Row) Failure {
	f := Failure{Configuration: configuration, Task: r.ID, Attempt: attempt}
	for _, t := range r.Targets {
		text, known := r.patch(t.Repository)
		files, err := patch.Parse(text)
		f.Unread = f.Unread || !known || err != nil
		if err != nil || !substantive(files, t.code) {
			f.Unchanged = append(f.Unchanged, t.Repository)
		}
	}
	if len(f.Unchanged) == 0 && !f.Unread {
		f.Proposed = PostEdit
	}
	return f
}

// substantive says whether a patch changes code: a line that is neither blank nor a
// comment in a file of one of the roles.
func substantive(files []patch.File, roles []filerole.Role) bool {
	return slices.ContainsFunc(files, func(f patch.File) bool {
		return slices.Contains(roles, filerole.Of(f.Path())) && changesCode(f)
	})
}

func changesCode(f patch.File) bool {
	in := false
	for l := range strings.Lines(string(f.Raw)) {
		switch {
		case strings.HasPrefix(l, "@@"):
			in = true
		case in && (l[0] == '+' || l[0] == '-') && isCode(f.Path(), l[1:]):
			return true
		}
	}
	return f.Binary && f.BinaryData
}

// hashes are the extensions whose comments begin with #, which is code elsewhere.
var hashes = strings.Fields(".py .rb .sh .bash .pl .pm .r .ex .exs .nim .jl .cmake .tcl .ps1 .yml .yaml .toml .cfg .mk")

func isCode(name, text string) bool {
	text = strings.TrimSpace(text)
	marks := []string{"//", "/*", "*/", "* ", "<!--"}
	switch ext := strings.ToLower(path.Ext(name)); {
	case slices.Contains(hashes, ext) || ext == "":
		marks = []string{"#"}
	case ext == ".sql" || ext == ".lua" || ext == ".hs" || ext == ".elm":
		marks = []string{"--"}
	}
	return text != "" && text != "*" && !slices.ContainsFunc(marks, func(m string) bool {
		return strings.HasPrefix(text,
			m)
	})
}

// agreements compares every two annotators that have runs in common.
func agreements(runs []Failure) (list []Coupling) {
	names := map[string]bool{}
	for _, r := range runs {
		for n := range r.Answers {
			names[n] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	for i, a := range sorted {
		for _, b := range sorted[i+1:] {
			var pairs [][2]string
			for _, r := range runs {
				if r.Answers[a] != "" && r.Answers[b] != "" {
					pairs = append(pairs, [2]string{r.Answers[a], r.Answers[b]})
				}
			}
			if len(pairs) > 0 {
				list = append(list, Coupling{[2]string{a, b}, stats.Agree(pairs)})
			}
		}
	}
	return list
}

// failureTable is the paper's table 2.
func (res *Result) failureTable() Table {
	t := Table{Name: "table2", Paper: "Table 2", Title: "Failure categories", Incomplete: res.incomplete(),
		Head: []string{"Configuration", "Unresolved runs"}}
	for _, c := range categories {
		t.Head = append(t.Head, c.title)
	}
	t.Head = append(t.Head, "Undecided", "The rule proposes post-edit")
	undecided := 0
	for _, s := range res.Series {
		if s.Mode != schema.Joint {
			continue
		}
		by, proposed, n := map[string]int{}, 0, 0
		for _, r := range res.Failures.Runs {
			if r.Configuration != s.Configuration {
				continue
			}
			n++
			by[r.Category]++
			if r.Proposed == PostEdit {
				proposed++
			}
		}
		undecided += by[""]
		row := []Cell{word(s.Configuration), count(n)}
		for _, c := range categories {
			row = append(row, shareOf(by[c.key], n))
		}
		t.add(append(row, shareOf(by[""], n), shareOf(proposed, n))...)
	}
	t.Note = res.Failures.note(undecided)
	return t
}

func (f *Failures) note(undecided int) string {
	text := "Unresolved joint runs that were judged. The rule looks for substantive code changes in every target; two " +
		"annotators decide, and tell apart what it does not propose."
	if undecided > 0 {
		text += fmt.Sprintf(" %s no decision yet: wideswe report annotate writes the sheets.", plural(undecided, "run has",
			"runs have"))
	}
	for _, a := range f.Agreement {
		kappa := "is not defined"
		if a.Defined {
			kappa = fmt.Sprintf("%.2f", a.Kappa)
		}
		text += fmt.Sprintf(" %s and %s agree on %.1f %% of %s (Cohen's kappa %s).", a.Annotators[0], a.Annotators[1],
			100*a.Share, plural(a.Items, "run", "runs"), kappa)
	}
	return text
}

// find gives the failure of one run, nil where it is none.
func (f *Failures) find(configuration, task string, attempt int) *Failure {
	if f == nil {
		return nil
	}
	i := slices.IndexFunc(f.Runs, func(r Failure) bool {
		return cmp.Or(cmp.Compare(r.Configuration, configuration), cmp.Compare(r.Task, task), cmp.Compare(r.Attempt,
			attempt)) == 0
	})
	if i < 0 {
		return nil
	}
	return &f.Runs[i]
}
