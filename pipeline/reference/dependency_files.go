package reference

import (
	"path"
	"regexp"
	"strings"
)

// addressFiles are manifests and lock files that name git addresses with commits.
var addressFiles = setOf(`package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock
	Cargo.toml Cargo.lock pyproject.toml poetry.lock uv.lock pdm.lock pylock.toml Pipfile Pipfile.lock setup.py setup.cfg
	environment.yml environment.yaml .pre-commit-config.yaml Gemfile Gemfile.lock composer.json composer.lock
	flake.lock Package.swift Package.resolved mix.exs mix.lock pubspec.yaml pubspec.lock
	WORKSPACE WORKSPACE.bazel WORKSPACE.bzlmod MODULE.bazel CMakeLists.txt conanfile.py DEPS
	jsonnetfile.json jsonnetfile.lock.json kustomization.yaml kustomization.yml Gopkg.toml Gopkg.lock
	cabal.project stack.yaml stack.yaml.lock build.zig.zon lake-manifest.json lakefile.toml lakefile.lean Move.toml Move.lock deps.edn`)

// addressSuffixes are names that a project gives to files of such kinds.
var addressSuffixes = []string{".bzl", ".cmake", ".wrap", ".gemspec", ".tf", ".nix"}

var (
	requirementsFile = regexp.MustCompile(`^(?:[\w.-]*[-_.])?(?:requirements|constraints)[\w.-]*\.(?:txt|in|pip)$`)
	workflowFile     = regexp.MustCompile(`(?:^|/)\.github/(?:workflows|actions)/.*\.ya?ml$|(?:^|/)action\.ya?ml$`)
)

// DependencyFile says whether a path is a manifest or lock file that can name
// commits of other repositories.
func DependencyFile(p string) bool {
	return goFile(p) || workflowFile.MatchString(p) || addressFile(p)
}

// goFile says whether a file pins Go modules. Sums are of no use: they keep what
// was, and are of what go.mod says.
func goFile(p string) bool {
	base := path.Base(p)
	return base == "go.mod" || base == "go.work" || base == "modules.txt" && path.Base(path.Dir(p)) == "vendor"
}

func addressFile(p string) bool {
	base := path.Base(p)
	if addressFiles[base] || requirementsFile.MatchString(base) {
		return true
	}
	for _, s := range addressSuffixes {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	folder := path.Base(path.Dir(p))
	return (folder == "requirements" || folder == "constraints") && (strings.HasSuffix(base, ".txt") ||
		strings.HasSuffix(base, ".in"))
}

// readerOf chooses how a file's lines are read.
func readerOf(p string) lineReader {
	switch {
	case goFile(p):
		return &goReader{}
	case workflowFile.MatchString(p):
		return workflowReader{}
	case addressFile(p):
		return &addressReader{manifest: path.Base(p) == "package.json"}
	}
	return submoduleReader{path: cutText(p)}
}

// uses is a step or a job of a workflow that is another repository's, at a commit.
var uses = regexp.MustCompile(`^\s*(?:-\s+)?["']?uses["']?\s*:\s*["']?(([A-Za-z0-9][A-Za-z0-9-]{0,38})/([A-Za-z0-9._-]{1,100})(?:/[\w./@-]*)?)@([0-9a-f]{40})["']?\s*(?:#.*)?$`)

// workflowReader reads workflows and the files of actions.
type workflowReader struct{}

func (workflowReader) hunk(string) {}

func (workflowReader) line(text string, changed bool) (d Dependency, fresh, ok bool) {
	m := uses.FindStringSubmatch(text)
	if m == nil {
		return d, false, false
	}
	return Dependency{Kind: WorkflowAction, Owner: m[2], Name: m[3], Module: cutText(m[1]), SHA: m[4]}, changed, true
}

// submoduleReader reads the one line that a submodule's change is of.
type submoduleReader struct{ path string }

var subproject = regexp.MustCompile(`^Subproject commit ([0-9a-f]{40})(?:-dirty)?$`)

func (submoduleReader) hunk(string) {}

func (r submoduleReader) line(text string, changed bool) (d Dependency, fresh, ok bool) {
	m := subproject.FindStringSubmatch(text)
	if m == nil {
		return d, false, false
	}
	return Dependency{Kind: Submodule, Module: r.path, SHA: m[1]}, changed, true
}

var gitmodule = regexp.MustCompile(`^\s*(path|url)\s*=\s*"?(\S.*?)"?\s*$`)

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
				at = strings.TrimSuffix(m[2], "/")
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
