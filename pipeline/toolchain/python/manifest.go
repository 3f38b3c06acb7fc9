package python

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

var (
	pythonManifestNames = regexp.MustCompile(`^(?:pyproject\.toml|setup\.py|setup\.cfg|MANIFEST\.in|Pipfile(?:\.lock)?|` +
		`(?:poetry|pdm|uv|pylock\S*)\.(?:lock|toml)|.*(?:requirements|constraints).*\.(?:txt|in)|\.python-version|` +
		`tox\.(?:ini|toml)|hatch\.toml)$`)
	pythonInclude = regexp.MustCompile(`(?m)^\s*(?:-r|-c|--requirement|--constraint)[ =]*(\S+)`)
)

// pythonManifests are the files that decide what setup installs: manifests, lock and
// requirements files of every project of the tree, what they include or name, and
// the packages' __init__.py, which give names and versions to an installation from
// the tree. A recipe with a setup of its own may read any file.
func pythonManifests(setup []string, t kit.Tree) []string {
	root := readPythonProject(t, ".")
	if !slices.Equal(setup, root.install()) {
		return nil
	}
	dirs := []string{"."}
	for _, p := range pythonProjects(t) {
		dirs = append(dirs, p.dir)
	}
	taken := map[string]bool{}
	var queue []string
	take := func(name string) {
		if name = path.Clean(name); !taken[name] && len(taken) < kit.MaxManifests && kit.Has(t, name) {
			taken[name] = true
			queue = append(queue, name)
		}
	}
	for _, name := range t.Files() {
		if pythonManifestNames.MatchString(path.Base(name)) && belongs(name, dirs) || packageOf(name, dirs) {
			take(name)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, name := range pythonNames(queue[0], kit.Read(t, queue[0])) {
			take(path.Join(path.Dir(queue[0]), name))
			take(name)
		}
	}
	files := make([]string, 0, len(taken))
	for name := range taken {
		files = append(files, name)
	}
	sort.Strings(files)
	return files
}

// belongs says that a file lies in a project's folder or at most one below it.
func belongs(name string, dirs []string) bool {
	dir := path.Dir(name)
	return slices.Contains(dirs, dir) || slices.Contains(dirs, path.Dir(dir))
}

// packageOf says that a file makes a folder a package that the project installs.
func packageOf(name string, dirs []string) bool {
	if path.Base(name) != "__init__.py" {
		return false
	}
	above := path.Dir(path.Dir(name))
	return slices.Contains(dirs, above) || path.Base(above) == "src" && slices.Contains(dirs, path.Dir(above))
}

// pythonNames are the names that a manifest gives to other files: includes of a
// requirements file, strings of a project file.
func pythonNames(name, text string) (names []string) {
	switch path.Ext(name) {
	case ".txt", ".in":
		for _, m := range pythonInclude.FindAllStringSubmatch(text, 100) {
			names = append(names, strings.Trim(m[1], `"'`))
		}
	case ".py", ".toml":
		if path.Base(name) == "__init__.py" {
			return nil
		}
		for _, m := range kit.Quoted.FindAllStringSubmatch(text, 2000) {
			names = append(names, m[1]+m[2])
		}
	case ".cfg":
		names = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,=:", r) })
	}
	return slices.DeleteFunc(names, func(s string) bool {
		return s == "" || len(s) > 200 || strings.ContainsAny(s,
			"\x00*")
	})
}
