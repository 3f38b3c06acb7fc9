package python

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// pythonInfo is what a project's files say, read for what we need of them: no
// code of the project runs, so a setup.py is searched, not understood.
type pythonInfo struct {
	dir      string
	manifest string // the file that made it a project
	name     string // the distribution's, normalised
	place    string // shell word of its folder
	requires string // requires-python
	// requiresFrom is the file that says so.
	requiresFrom string
	extras       []string // those for tests
	groups       []string // dependency groups for tests
	files        []string // requirements files, from dir
	names        []string // requirements that only a tool's own tables give
	tox          toxEnv
	lock         pythonLock
	build        []string // build-system requires
	scm          string   // what takes the version from git
	compiled     string   // why it has to be built again after a patch
	text         string   // every manifest, for who depends on whom
	installs     bool     // pip can install it
	why          []string
}

var (
	setupName     = regexp.MustCompile(`\bname\s*=\s*["']([A-Za-z0-9._-]+)["']`)
	setupRequires = regexp.MustCompile(`python_requires\s*=\s*["']?([^"'\n]+)`)
	setupExtra    = regexp.MustCompile(`["']([A-Za-z][\w.-]*)["']\s*:\s*(?:\[|\w)`)
	setupTests    = regexp.MustCompile(`(?s)\btests_require\s*=\s*[\[(](.*?)[\])]`)
	scmWords      = []string{"setuptools_scm", "setuptools-scm", "hatch-vcs", "flit_scm", "pbr", "versioningit",
		"poetry-dynamic-versioning", "pdm-backend"}
	scmVariables = []string{"SETUPTOOLS_SCM_PRETEND_VERSION", "PBR_VERSION", "POETRY_DYNAMIC_VERSIONING_BYPASS",
		"PDM_BUILD_SCM_VERSION"}
	compiledWords = []string{"ext_modules", "setuptools_rust", "setuptools-rust", "maturin", "mesonpy", "meson-python",
		"scikit-build", "scikit_build", "cythonize", "cffi_modules"}
)

func readPythonProject(t kit.Tree, dir string) pythonInfo {
	p := pythonInfo{dir: dir, place: kit.Under("WIDESWE_REPO", dir)}
	at := func(name string) string { return path.Join(dir, name) }
	toml := sections(kit.Read(t, at("pyproject.toml")))
	cfg := sections(kit.Read(t, at("setup.cfg")))
	setup := kit.Read(t, at("setup.py"))
	for _, name := range []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini",
		"pytest.ini"} {
		if kit.Has(t, at(name)) && p.manifest == "" {
			p.manifest = at(name)
		}
	}
	if p.manifest == "" {
		p.manifest = "requirements files"
	}
	p.installs = setup != "" || toml["build-system"] != nil || toml["project"] != nil || toml["tool.poetry"] != nil ||
		cfg["metadata"] != nil && cfg["options"] != nil
	first := func(values ...string) string {
		for _, v := range values {
			if v = strings.Trim(strings.TrimSpace(v), `"'`); v != "" {
				return v
			}
		}
		return ""
	}
	p.name = normal(first(toml["project"]["name"], toml["tool.poetry"]["name"], cfg["metadata"]["name"],
		kit.FirstGroup(setupName, setup)))
	p.lock = readPythonLock(t, dir)
	p.requires = first(toml["project"]["requires-python"], toml["tool.poetry.dependencies"]["python"],
		cfg["options"]["python_requires"], kit.FirstGroup(setupRequires, setup))
	if p.requiresFrom = p.manifest; p.requires == "" {
		p.requires, p.requiresFrom = p.lock.requires, p.lock.file
	}
	minor, _ := pythonVersion(kit.Map{}, p)
	p.tox = readTox(t, dir, minor)
	p.chooseFiles(t)
	p.chooseExtras(pythonSources(t, dir, toml, cfg, setup))
	p.build = kit.QuotedStrings(toml["build-system"]["requires"])
	if len(p.build) == 0 {
		p.build = []string{"setuptools", "wheel"}
	}
	p.text = kit.Read(t, at("pyproject.toml")) + "\n" + kit.Read(t, at("setup.cfg")) + "\n" + setup
	for _, word := range scmWords {
		if p.scm == "" && strings.Contains(p.text, word) {
			p.scm = word
		}
	}
	for _, word := range compiledWords {
		if p.compiled == "" && strings.Contains(p.text, word) {
			p.compiled = p.manifest + " mentions " + word
		}
	}
	for _, f := range p.files {
		p.text += "\n" + kit.Read(t, at(f))
	}
	p.text += "\n" + kit.Read(t, at("requirements.txt"))
	return p
}

func (p *pythonInfo) note(what string, list []string) {
	if len(list) > 0 {
		p.why = append(p.why, what+": "+strings.Join(list, ", "))
	}
}

// install fetches a project's dependencies and installs it from its tree.
func (p pythonInfo) install() []string {
	var lines []string
	here := func(words string) string {
		return "(cd " + p.place + " && " + p.locked("python -m pip install "+words) + ")"
	}
	for _, f := range p.files {
		lines = append(lines, here("-r "+kit.Quote(f)))
	}
	if p.installs {
		lines = append(lines, p.backend())
		extras := ""
		if len(p.extras) > 0 {
			extras = "'[" + strings.Join(p.extras, ",") + "]'"
		}
		lines = append(lines, p.locked("python -m pip install -e "+p.place+extras))
	}
	for _, g := range p.groups {
		lines = append(lines, here("--group "+kit.Quote(g)))
	}
	if len(p.names) > 0 {
		lines = append(lines, p.locked("python -m pip install "+kit.QuoteAll(p.names)))
	}
	if len(p.tox.deps) > 0 {
		lines = append(lines, here(kit.QuoteAll(p.tox.deps)))
	}
	return lines
}

// backend installs what builds the project, so that it can be built again offline.
func (p pythonInfo) backend() string { return "python -m pip install " + kit.QuoteAll(p.build) }

// rebuild builds the project again without the network.
func (p pythonInfo) rebuild() string {
	return "python -m pip install --no-index --no-build-isolation --no-deps -e " + p.place
}

// pythonProjects lists the projects of a tree that pip can install.
func pythonProjects(t kit.Tree) []pythonInfo {
	var found []pythonInfo
	seen := map[string]bool{}
	for _, name := range t.Files() {
		base, dir := path.Base(name), path.Dir(name)
		if base != "pyproject.toml" && base != "setup.py" && base != "setup.cfg" || seen[dir] || strings.Count(dir,
			"/") > 3 || kit.InTestFolder(name) {
			continue
		}
		seen[dir] = true
		if p := readPythonProject(t, dir); p.installs {
			found = append(found, p)
		}
	}
	return found
}

// pythonMembers are the projects below the root that the root takes from its own
// tree: members of uv's workspace, folders that its sources name. An index may have
// other versions of them, or none.
func pythonMembers(t kit.Tree) (found []pythonInfo) {
	sources := map[string]bool{}
	for name, value := range sections(kit.Read(t, "pyproject.toml"))["tool.uv.sources"] {
		sources[normal(name)] = memberSource.MatchString(value)
	}
	if len(sources) == 0 {
		return nil
	}
	for _, p := range pythonProjects(t) {
		if p.dir != "." && sources[p.name] {
			found = append(found, p)
		}
	}
	return found
}

var memberSource = regexp.MustCompile(`\bworkspace\s*=\s*true|\bpath\s*=`)

// nestedInstalls installs the projects below the root that selected files belong to.
func nestedInstalls(j kit.Job) []string {
	var lines []string
	for _, p := range pythonProjects(j.Tree) {
		for _, file := range j.Selection.Files {
			if p.dir != "." && strings.HasPrefix(file, p.dir+"/") {
				lines = append(lines, p.install()...)
				break
			}
		}
	}
	return lines
}

// pythonSiblings are the siblings' projects that the target depends on, itself or
// through one of them.
func pythonSiblings(j kit.Job) []pythonInfo {
	var all, found []pythonInfo
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(i, k int) bool { return siblings[i].Repository < siblings[k].Repository })
	for _, s := range siblings {
		if s.Repository == j.Repository {
			continue
		}
		known := kit.NameSet(pythonProjects(s.Publisher()), func(p pythonInfo) string { return p.name })
		for _, p := range pythonProjects(s.Tree) {
			if !known[p.name] {
				continue
			}
			p.place = kit.Under("WIDESWE_WORKSPACE", path.Join(s.Repository, p.dir))
			all = append(all, p)
		}
	}
	texts := []string{readPythonProject(j.Tree, ".").text}
	for _, p := range pythonProjects(j.Tree) {
		texts = append(texts, p.text)
	}
	taken := map[string]bool{}
	for len(texts) > 0 {
		for _, p := range all {
			if p.name != "" && !taken[p.place] && mentions(texts[0], p.name) {
				taken[p.place] = true
				found = append(found, p)
				texts = append(texts, p.text)
			}
		}
		texts = texts[1:]
	}
	sort.Slice(found, func(i, k int) bool { return found[i].place < found[k].place })
	return found
}

// workspaceNames are the distributions that the workspace itself brings: the
// target's and those of every sibling.
func workspaceNames(j kit.Job) map[string]bool {
	ours := map[string]bool{}
	trees := []kit.Tree{j.Tree}
	for _, s := range j.Siblings {
		trees = append(trees, s.Tree)
	}
	for _, t := range trees {
		for _, p := range pythonProjects(t) {
			ours[p.name] = true
		}
	}
	return ours
}

// mentions says that a manifest names a distribution, in any spelling of it.
func mentions(text, name string) bool {
	spelling := strings.ReplaceAll(regexp.QuoteMeta(name), "-", "[-_.]+")
	re, err := regexp.Compile(`(?im)(?:^|["'\s,])` + spelling + `(?:$|["'\s,;=<>!~\[@(])`)
	return err == nil && re.MatchString(text)
}

var separators = regexp.MustCompile(`[-_.]+`)

// normal is a distribution's name as indexes compare it.
func normal(name string) string { return separators.ReplaceAllString(strings.ToLower(name), "-") }

// sections reads the keys of a TOML or INI file, values as written; one that runs
// over several lines is joined. It is no full reader of either: dotted and quoted
// keys, which the tables read here don't use, are kept as they stand.
func sections(text string) map[string]map[string]string {
	out := map[string]map[string]string{}
	section, key, open := "", "", 0
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		inside := open > 0 || key != "" && line != "" && (line[0] == ' ' || line[0] == '\t')
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case !inside && trimmed[0] == '[':
			section, key = strings.Trim(strings.TrimRight(strings.SplitN(trimmed, "#", 2)[0], " "), "[] "), ""
			if out[section] == nil {
				out[section] = map[string]string{}
			}
		case inside:
			out[section][key] += "\n" + trimmed
			open += strings.Count(trimmed, "[") - strings.Count(trimmed, "]")
		default:
			k, v, ok := strings.Cut(trimmed, "=")
			if !ok {
				continue
			}
			if out[section] == nil {
				out[section] = map[string]string{}
			}
			key = strings.Trim(strings.TrimSpace(k), `"'`)
			out[section][key] = strings.TrimSpace(v)
			open = strings.Count(v, "[") - strings.Count(v, "]")
		}
	}
	return out
}
