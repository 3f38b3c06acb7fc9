package python

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// pythonLocks are the lock files that are read, the first that is there.
var pythonLocks = []string{"uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock"}

// maxLocked bounds the packages of a lock file.
const maxLocked = 3000

var (
	lockPackage  = regexp.MustCompile(`(?m)^\[\[packages?\]\][ \t]*\r?$`)
	lockName     = regexp.MustCompile(`(?m)^name\s*=\s*"([A-Za-z0-9._-]+)"`)
	lockVersion  = regexp.MustCompile(`(?m)^version\s*=\s*"([A-Za-z0-9._+!-]+)"`)
	lockRequires = regexp.MustCompile(`(?m)^(?:requires-python|python-versions|requires_python)\s*=\s*"([^"\n]+)"`)
	// lockElsewhere marks a package that no index brings: a folder, a repository, a file.
	lockElsewhere = regexp.MustCompile(`(?m)^(?:source\s*=\s*\{\s*(?:editable|virtual|directory|path|git|url)|` +
		`type\s*=\s*"(?:directory|git|file|url)"|(?:path|git|vcs|directory)\s*=)`)
)

// pythonLock is a project's lock file: the versions that its developers ran.
type pythonLock struct {
	file     string
	requires string            // the Python it was made for
	versions map[string]string // by normalised name
}

func readPythonLock(t kit.Tree, dir string) pythonLock {
	for _, name := range pythonLocks {
		file := path.Join(dir, name)
		if !kit.Has(t, file) {
			continue
		}
		l := pythonLock{file: file}
		if text := kit.Read(t, file); name == "Pipfile.lock" {
			l.pipenv(text)
		} else {
			l.tables(text)
		}
		return l
	}
	return pythonLock{}
}

// tables reads the [[package]] tables that uv, poetry, pdm and PEP 751 have. A name
// with several versions is for several platforms or Pythons and pins nothing.
func (l *pythonLock) tables(text string) {
	blocks := lockPackage.Split(text, maxLocked+2)
	l.requires = kit.FirstGroup(lockRequires, blocks[0])
	if path.Base(l.file) == "poetry.lock" { // which has it at the end
		l.requires = kit.FirstGroup(lockRequires, text[max(0, strings.LastIndex(text, "[metadata]")):])
	}
	several := map[string]bool{}
	l.versions = map[string]string{}
	for _, block := range blocks[1:min(len(blocks), maxLocked+1)] {
		name, version := normal(kit.FirstGroup(lockName, block)), kit.FirstGroup(lockVersion, block)
		if name == "" || version == "" || lockElsewhere.MatchString(block) {
			continue
		}
		if old, seen := l.versions[name]; seen && old != version {
			several[name] = true
		}
		l.versions[name] = version
	}
	maps.DeleteFunc(l.versions, func(name, _ string) bool { return several[name] })
}

func (l *pythonLock) pipenv(text string) {
	var lock struct {
		Meta struct {
			Requires struct {
				Version string `json:"python_version"`
			} `json:"requires"`
		} `json:"_meta"`
		Default, Develop map[string]struct{ Version string }
	}
	if json.Unmarshal([]byte(text), &lock) != nil {
		return
	}
	l.versions = map[string]string{}
	for _, table := range []map[string]struct{ Version string }{lock.Develop, lock.Default} {
		for name, p := range table {
			if m := pinned.FindStringSubmatch(p.Version); m != nil && len(l.versions) < maxLocked {
				l.versions[normal(name)] = m[1]
			}
		}
	}
	if v := lock.Meta.Requires.Version; plainVersion.MatchString(v) {
		l.requires = "==" + v + ".*"
	}
}

var (
	pinned       = regexp.MustCompile(`^==([A-Za-z0-9._+!-]+)$`)
	plainVersion = regexp.MustCompile(`^3\.\d+$`)
)

// lockedFile holds the constraints that [locked] applies.
const lockedFile = `"$WIDESWE_TMP"/locked.txt`

// locked puts a command under a project's lock file: what was locked for another
// Python or another platform may not be had, and the newest then is better than none.
func (p pythonInfo) locked(command string) string {
	if len(p.lock.versions) == 0 {
		return command
	}
	return "locked " + command
}

// lockLines define the word locked and lay the root's constraints. What the
// workspace itself brings is no part of them.
func (l pythonLock) lines(ours map[string]bool) []string {
	var pins []string
	for _, name := range slices.Sorted(maps.Keys(l.versions)) {
		if !ours[name] {
			pins = append(pins, name+"=="+l.versions[name])
		}
	}
	return []string{
		"printf '%s\\n' " + cmp.Or(kit.QuoteAll(pins), "''") + " >" + lockedFile,
		`locked() { PIP_CONSTRAINT=` + lockedFile + ` "$@" || "$@"; }`,
	}
}
