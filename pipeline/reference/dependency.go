package reference

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// DependencyVersion of the rules for dependency evidence.
const DependencyVersion = "1"

// DependencyKind is how a change names a commit of another repository.
type DependencyKind string

// The kinds.
const (
	Submodule       DependencyKind = "submodule"         // a submodule's commit moved
	GoPseudoVersion DependencyKind = "go_pseudo_version" // v0.0.0-20240102030405-0123456789ab in go.mod
	GitReference    DependencyKind = "git_reference"     // a lock file or manifest names a git address and a commit
)

// Dependency is a commit of another repository that a change begins to use. It is
// no reference in a text: nobody wrote that the two changes belong together.
type Dependency struct {
	Kind        DependencyKind
	Owner, Name string // as written; '' where the file names no repository of the host
	Module      string // the Go module, the submodule's path or the address, as written
	SHA         string // lower case; 12 digits of a pseudo-version, else 40
	PreviousSHA string // '' where the change shows none
}

// Bounds on what is read of one file's change.
const (
	maxDependencyText = 4 << 20
	maxDependencies   = 200
	rememberedLines   = 8 // how far below an address its commit may stand
)

var dependencyFiles = setOf(`go.mod package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock
	Cargo.toml Cargo.lock pyproject.toml poetry.lock uv.lock pdm.lock Pipfile Pipfile.lock setup.py setup.cfg
	Gemfile Gemfile.lock composer.json composer.lock flake.lock Package.swift Package.resolved mix.exs mix.lock
	pubspec.yaml pubspec.lock WORKSPACE WORKSPACE.bazel MODULE.bazel deps.bzl`)

var requirementsFile = regexp.MustCompile(`^(?:requirements|constraints)[\w.-]*\.txt$`)

// DependencyFile says whether a path is a manifest or lock file that can name
// commits of other repositories.
func DependencyFile(p string) bool {
	base := path.Base(p)
	return dependencyFiles[base] || requirementsFile.MatchString(base) || requirementsFile.MatchString(path.Base(path.Dir(p))+".txt") && strings.HasSuffix(base, ".txt")
}

var (
	pseudoVersion = regexp.MustCompile(`(?:^|[\s"])([A-Za-z0-9][\w.-]*\.[\w./~-]+)\s+v\d+\.\d+\.\d+-(?:[0-9A-Za-z.-]+\.)?\d{14}-([0-9a-f]{12})(?:\+incompatible)?(?:$|[\s")])`)
	gitAddress    = regexp.MustCompile(`(?i)(?:(?:^|[^A-Za-z0-9_-])github\.com[:/]|api\.github\.com/repos/|\bgithub:)([A-Za-z0-9][A-Za-z0-9-]{0,38})/([A-Za-z0-9._-]{1,100})`)
	commitHash    = regexp.MustCompile(`(?:^|[^0-9A-Za-z])([0-9a-f]{40})(?:$|[^0-9A-Za-z])`)
	commitKey     = regexp.MustCompile(`(?i)(?:\b|_)(?:rev|revision|ref|reference|commit|sha|tag)"?\s*[:=]`)
	flakeKey      = regexp.MustCompile(`^\s*"(owner|repo)":\s*"([A-Za-z0-9._-]{1,100})"`)
	subproject    = regexp.MustCompile(`^Subproject commit ([0-9a-f]{40})(?:-dirty)?$`)
)

// Dependencies finds the commits of other repositories that a file's change
// begins to use: patch is its unified diff, with or without headers. Text of
// unbounded size is cut, and so is the list.
func Dependencies(p, patch string) []Dependency {
	if len(patch) > maxDependencyText {
		patch = patch[:maxDependencyText]
	}
	r := dependencyReader{path: p, before: map[string]string{}, seen: map[Dependency]bool{}}
	for line := range strings.Lines(patch) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	if r.changed > 2 { // a submodule's change is of one line: this is a file that speaks of one
		r.found = slices.DeleteFunc(r.found, func(d Dependency) bool { return d.Kind == Submodule })
	}
	for i := range r.found {
		if sha := r.before[r.found[i].key()]; sha != r.found[i].SHA {
			r.found[i].PreviousSHA = sha
		}
	}
	return r.found
}

// key tells the dependency whose commit changed.
func (d Dependency) key() string { return string(d.Kind) + " " + strings.ToLower(d.Module) }

type dependencyReader struct {
	path        string
	inHunk      bool
	changed     int    // lines of hunks
	owner, name string // of the address last seen
	flakeOwner  string
	age         int // lines since then
	before      map[string]string
	found       []Dependency
	seen        map[Dependency]bool
}

func (r *dependencyReader) line(line string) {
	switch {
	case strings.HasPrefix(line, "@@"):
		r.inHunk, r.owner, r.name, r.flakeOwner = true, "", "", ""
		return
	case strings.HasPrefix(line, "diff --git "):
		r.inHunk = false
		return
	case !r.inHunk || line == "":
		return
	}
	r.changed++
	d, ok := r.dependency(line[1:])
	if !ok || line[0] != '+' && line[0] != '-' {
		return
	}
	if line[0] == '-' {
		r.before[d.key()] = d.SHA
		return
	}
	if !r.seen[d] && len(r.found) < maxDependencies {
		r.seen[d] = true
		r.found = append(r.found, d)
	}
}

// dependency reads one line of the old or new file.
func (r *dependencyReader) dependency(text string) (Dependency, bool) {
	if m := subproject.FindStringSubmatch(text); m != nil {
		return Dependency{Kind: Submodule, Module: cutText(r.path), SHA: m[1]}, true
	}
	if !DependencyFile(r.path) || len(text) > 4096 {
		return Dependency{}, false
	}
	if path.Base(r.path) == "go.mod" {
		return goDependency(text)
	}
	return r.gitReference(text)
}

func goDependency(text string) (Dependency, bool) {
	text, _, _ = strings.Cut(text, "//")
	m := pseudoVersion.FindStringSubmatch(text)
	if m == nil {
		return Dependency{}, false
	}
	d := Dependency{Kind: GoPseudoVersion, Module: cutText(m[1]), SHA: m[2]}
	if parts := strings.Split(m[1], "/"); len(parts) >= 3 && strings.EqualFold(parts[0], "github.com") && len(parts[1]) <= 39 && len(parts[2]) <= 100 {
		d.Owner, d.Name = parts[1], parts[2]
	}
	return d, true
}

// gitReference reads an address and a commit, on one line or the commit a few
// lines below the address.
func (r *dependencyReader) gitReference(text string) (Dependency, bool) {
	r.age++
	at := 0
	if m := gitAddress.FindStringSubmatchIndex(text); m != nil {
		r.owner, r.name, r.age = text[m[2]:m[3]], strings.TrimSuffix(text[m[4]:m[5]], ".git"), 0
		at = m[5]
	} else if m := flakeKey.FindStringSubmatch(text); m != nil {
		if m[1] == "owner" {
			r.flakeOwner, r.owner = m[2], ""
		} else if r.flakeOwner != "" && len(r.flakeOwner) <= 39 {
			r.owner, r.name, r.age = r.flakeOwner, m[2], 0
		}
		return Dependency{}, false
	}
	if r.owner == "" || r.name == "" || r.age > rememberedLines || r.age > 0 && !commitKey.MatchString(text) {
		return Dependency{}, false
	}
	m := commitHash.FindStringSubmatch(text[at:])
	if m == nil {
		return Dependency{}, false
	}
	return Dependency{Kind: GitReference, Owner: r.owner, Name: r.name, Module: r.owner + "/" + r.name, SHA: m[1]}, true
}

// cutText bounds a stranger's name.
func cutText(s string) string {
	if len(s) > 300 {
		s = s[:300]
	}
	return strings.ToValidUTF8(s, "?")
}

var gitmodule = regexp.MustCompile(`^\s*(path|url)\s*=\s*(\S.*?)\s*$`)

// Submodules reads a file .gitmodules: which repository is at which path, as
// owner/name. An address relative to the source's own is resolved; one of another
// host is left out.
func Submodules(gitmodules string, src Source) map[string]string {
	if len(gitmodules) > MaxText {
		gitmodules = gitmodules[:MaxText]
	}
	at, out := "", map[string]string{}
	address := ""
	keep := func() {
		if name := submoduleName(address, src); at != "" && name != "" {
			out[at] = name
		}
	}
	for line := range strings.Lines(gitmodules) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			keep()
			at, address = "", ""
		} else if m := gitmodule.FindStringSubmatch(line); m != nil {
			if m[1] == "path" {
				at = m[2]
			} else {
				address = m[2]
			}
		}
	}
	keep()
	return out
}

func submoduleName(address string, src Source) string {
	if m := gitAddress.FindStringSubmatch(address); m != nil {
		return m[1] + "/" + strings.TrimSuffix(m[2], ".git")
	}
	if !strings.HasPrefix(address, "../") {
		return ""
	}
	full := path.Join(src.Owner, src.Name, address)
	owner, name, ok := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(full, "/"), ".git"), "/")
	if !ok || owner == ".." || strings.Contains(name, "/") {
		return ""
	}
	return owner + "/" + name
}
