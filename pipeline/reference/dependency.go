package reference

import (
	"slices"
	"strings"
)

// DependencyVersion of the rules for dependency evidence.
const DependencyVersion = "2"

// DependencyKind is how a change names a commit of another repository.
type DependencyKind string

// The kinds.
const (
	Submodule       DependencyKind = "submodule"         // a submodule's commit moved
	GoPseudoVersion DependencyKind = "go_pseudo_version" // v0.0.0-20240102030405-0123456789ab of a Go module
	GitReference    DependencyKind = "git_reference"     // a lock file or manifest names a git address and a commit
	// a workflow uses owner/name@commit: of the build, not of the product
	WorkflowAction DependencyKind = "workflow_action"
)

// Dependency is a commit of another repository that a change begins to use. It is
// no reference in a text: nobody wrote that the two changes belong together.
type Dependency struct {
	Kind        DependencyKind
	Owner, Name string // as written; '' where the file names no repository of the host
	Module      string // the Go module, the submodule's path or the address, as written
	SHA         string // lower case; 12 digits of a pseudo-version, else 40, or the 7 to 39 that were written
	PreviousSHA string // '' where the change shows none
}

// Bounds on what is read of one file's change.
const (
	maxDependencyText = 4 << 20
	maxDependencyLine = 4096
	maxDependencies   = 200
	rememberedLines   = 8 // how far apart an address and its commit may stand
)

// Dependencies finds the commits of other repositories that a file's change
// begins to use: patch is its unified diff, with or without headers. Text of
// unbounded size is cut, and so is the list.
func Dependencies(p, patch string) []Dependency {
	if len(patch) > maxDependencyText {
		patch = patch[:strings.LastIndexByte(patch[:maxDependencyText], '\n')+1]
	}
	d := dependencies{before: map[string]string{}, seen: map[Dependency]bool{}}
	d.old, d.new = side{read: readerOf(p)}, side{read: readerOf(p)}
	for line := range strings.Lines(patch) {
		d.line(strings.TrimRight(line, "\r\n"))
	}
	if d.changed > 2 { // a submodule's change is of one line: this is a file that speaks of one
		d.found = slices.DeleteFunc(d.found, func(d Dependency) bool { return d.Kind == Submodule })
	}
	for i := range d.found {
		if sha := d.before[d.found[i].key()]; sha != d.found[i].SHA {
			d.found[i].PreviousSHA = sha
		}
	}
	return d.found
}

// key tells the dependency whose commit changed.
func (d Dependency) key() string { return string(d.Kind) + " " + strings.ToLower(d.Module) }

// dependencies reads a diff as the two files it shows, since an address and its
// commit stand on lines of their own and either may be the one that changed.
type dependencies struct {
	old, new side
	inHunk   bool
	changed  int // lines of hunks
	before   map[string]string
	found    []Dependency
	seen     map[Dependency]bool
}

// side is the old or the new file, as far as a hunk shows it.
type side struct{ read lineReader }

// lineReader reads a file line by line and says what a line completes; fresh says
// that a line it hangs on is not in the other file.
type lineReader interface {
	hunk(heading string)
	line(text string, changed bool) (d Dependency, fresh, ok bool)
}

func (d *dependencies) line(line string) {
	switch {
	case strings.HasPrefix(line, "@@"):
		d.inHunk = true
		_, heading, _ := strings.Cut(line[2:], "@@")
		d.old.read.hunk(strings.TrimSpace(heading))
		d.new.read.hunk(strings.TrimSpace(heading))
		return
	case strings.HasPrefix(line, "diff --git "):
		d.inHunk = false
		return
	case !d.inHunk || line == "" || line[0] == '\\':
		return
	}
	d.changed++
	text, sign := line[1:], line[0]
	if len(text) > maxDependencyLine {
		return
	}
	if sign != '+' {
		if was, fresh, ok := d.old.read.line(text, sign == '-'); ok && fresh {
			d.before[was.key()] = was.SHA
		}
	}
	if sign != '-' {
		if now, fresh, ok := d.new.read.line(text, sign == '+'); ok && fresh {
			d.add(now)
		}
	}
}

func (d *dependencies) add(found Dependency) {
	if !d.seen[found] && len(d.found) < maxDependencies {
		d.seen[found] = true
		d.found = append(d.found, found)
	}
}

// cutText bounds a stranger's name.
func cutText(s string) string {
	if len(s) > 300 {
		s = s[:300]
	}
	return strings.ToValidUTF8(s, "?")
}
