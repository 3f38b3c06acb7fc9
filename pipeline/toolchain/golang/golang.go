package golang

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
	"golang.org/x/mod/modfile"
)

// Toolchain builds and tests Go modules.
type Toolchain struct{}

// Name is the recipe's word.
func (Toolchain) Name() string { return "go" }

// goModule is one go.mod of a tree.
type goModule struct {
	dir  string // "." for the root
	file *modfile.File
}

func (m goModule) path() string {
	if m.file.Module == nil {
		return ""
	}
	return m.file.Module.Mod.Path
}

// goModules lists the modules of a tree, the root first. What the go command
// does not look into (vendor, testdata, _x, .x) holds none.
func goModules(t kit.Tree) []goModule {
	var mods []goModule
	for _, name := range t.Files() {
		if path.Base(name) != "go.mod" || !goSees(path.Dir(name)) {
			continue
		}
		data := []byte(kit.Read(t, name))
		f, err := modfile.Parse(name, data, nil)
		if err != nil {
			if f, err = modfile.ParseLax(name, data, nil); err != nil {
				continue
			}
		}
		mods = append(mods, goModule{path.Dir(name), f})
	}
	sort.SliceStable(mods, func(i, j int) bool { return mods[i].dir == "." && mods[j].dir != "." })
	return mods
}

func goSees(dir string) bool {
	for _, part := range strings.Split(dir, "/") {
		if part == "vendor" || part == "testdata" || part != "." && (part[0] == '_' || part[0] == '.') {
			return false
		}
	}
	return true
}

// goModuleOf finds the module a folder belongs to.
func goModuleOf(mods []goModule, dir string) (goModule, bool) {
	for {
		for _, m := range mods {
			if m.dir == dir {
				return m, true
			}
		}
		if dir == "." {
			return goModule{}, false
		}
		dir = path.Dir(dir)
	}
}

// Detect recognises a go.mod.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	mods := goModules(t)
	if len(mods) == 0 {
		return schema.Recipe{}, false
	}
	r := schema.Recipe{
		Toolchain: "go", Report: "gotest", Image: kit.DistroImage,
		Packages: []string{"ca-certificates", "git"},
		Env:      map[string]string{"GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false"},
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain go: %s", path.Join(mods[0].dir, "go.mod"))
	w := goWanted(t, mods)
	r.Runtime = w.version
	because("runtime %s: %s", w.version, w.from)
	r.Packages = append(r.Packages, "golang-"+distroGo)
	if w.release == "" {
		because("package golang-%s: the distribution's Go is new enough", distroGo)
	} else {
		r.Env["GOTOOLCHAIN"] = w.release
		because("GOTOOLCHAIN=%s: the distribution's Go %s is older; it fetches this release during setup (%s)", w.release,
			distroPatch, w.releaseFrom)
	}
	if why := needsC(t, mods); why != "" {
		r.Packages = append(r.Packages, "build-essential", "pkg-config")
		r.Env["CGO_ENABLED"] = "1"
		because("CGO_ENABLED=1, build-essential: %s", why)
	} else {
		r.Env["CGO_ENABLED"] = "0"
		because("CGO_ENABLED=0: nothing imports C")
	}
	if mods[0].dir == "." && !kit.Has(t, "vendor/modules.txt") {
		r.Setup = []string{goDownload}
	}
	return r, true
}

// Modules that do nothing without a C compiler.
var cgoModules = []string{
	"github.com/mattn/go-sqlite3", "github.com/marcboeker/go-duckdb", "github.com/confluentinc/confluent-kafka-go",
	"github.com/DataDog/zstd", "github.com/valyala/gozstd", "github.com/cockroachdb/c-deps", "github.com/libgit2/git2go",
}

var importC = regexp.MustCompile(`(?m)^import "C"|^\t"C"$`)

func needsC(t kit.Tree, mods []goModule) string {
	for _, m := range mods {
		for _, req := range m.file.Require {
			if req.Indirect { // most often listed, not built
				continue
			}
			for _, c := range cgoModules {
				if req.Mod.Path == c || strings.HasPrefix(req.Mod.Path, c+"/") {
					return path.Join(m.dir, "go.mod") + " requires " + c
				}
			}
		}
	}
	for _, name := range t.Files() {
		if path.Ext(name) == ".go" && goSees(path.Dir(name)) && importC.MatchString(kit.Read(t, name)) {
			return name + ` imports "C"`
		}
	}
	return ""
}

// Plan writes the commands. Tests run one package a command, each with its own
// report: a package that dies takes no other with it. Without vet, whose findings
// would stop a package that builds, and differ between versions of Go.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	mods := goModules(j.Tree)
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Report: "gotest"}
	w := wireGo(j, mods)
	p.Wire, p.Notes = w.lines, w.notes
	p.Setup, p.Manifests = slices.Clone(j.Recipe.Setup), goManifests(j.Recipe.Setup, j.Tree, mods)
	offline := "export GOPROXY=off GOSUMDB=off"
	p.Warm = []string{offline}
	p.Build = append([]string{offline}, j.Recipe.Build...)
	for _, line := range j.Recipe.Build {
		p.Warm = append(p.Warm, "("+line+") || true")
	}
	for _, g := range j.Selection.Units {
		env, here := w.env(g.Module), goPattern(g)
		in := "cd " + kit.Under("WIDESWE_REPO", g.Module) + " && "
		if g.Module != "." {
			p.Setup = append(p.Setup, "("+in+env+"go mod download)")
		}
		// Of the whole module, so that tasks that run other tests share what was fetched.
		p.Setup = append(p.Setup, "("+in+env+"go list -e -deps -test"+tagFlag(g)+" ./... >/dev/null)")
		p.Warm = append(p.Warm, "("+in+env+"go test -vet=off -count=1 -run '^$'"+tagFlag(g)+" "+here+" >/dev/null) || true")
	}
	p.Setup = kit.Unique(p.Setup)
	p.Warm = kit.Unique(append(p.Warm, j.Recipe.Warm...))
	return goTest(p, j, goModules(j.RunnerTree()), w)
}

// goTest writes the test script.
func goTest(p kit.Plan, j kit.Job, mods []goModule, w goWiring) (kit.Plan, error) {
	if j.Recipe.Test != "" {
		var dirs []string
		for _, g := range j.Selection.Units {
			dirs = append(dirs, "./"+g.Dir)
		}
		return kit.OwnPlan(p, j, kit.Unique(dirs))
	}
	seconds := j.Recipe.Timeout
	if seconds <= 0 {
		seconds = 600
	}
	lines := []string{
		"export GOPROXY=off GOSUMDB=off",
		// The tests themselves don't learn where the reports lie.
		kit.ScriptBegin,
		`run() { name=$1; dir=$2; shift 2; code=0`,
		`  (cd "$dir" && exec "$@") >"$out/$name.json" 2>"$out/$name.stderr" </dev/null || code=$?`,
		`  cat "$out/$name.stderr" >&2`,
		`  worse; }`,
	}
	n := 0
	for _, g := range j.Selection.Units {
		unit := goUnit(mods, g)
		run, skip, any := goPatterns(g, unit, j)
		if !any {
			continue
		}
		n++
		name := fmt.Sprintf("%03d", n)
		c, ok := newGoCanary(j, g, name)
		if ok {
			run = c.run(run)
			lines, p.Canaries = append(lines, c.setup...), append(p.Canaries, c.Canary)
		}
		command := fmt.Sprintf("run %s %s env %sgo test -json -count=1 -failfast=false -vet=off -timeout=%ds%s%s%s -run "+
			"%s%s %s", name, kit.Under("WIDESWE_REPO", g.Module),
			w.env(g.Module), seconds, tagFlag(g), shuffleFlag(j.Shuffle), c.flag, kit.Quote(run), skip, goPattern(g))
		if j.Sources {
			lines = append(lines, goSources(g, w.env(g.Module), name))
			p.Sources = append(p.Sources, kit.SourceList{File: name + ".sources", Dir: g.Module})
		}
		lines = append(lines, command)
		p.Files = append(p.Files, name+".json", name+".stderr")
	}
	p.Test = kit.Script(lines)
	return p, nil
}

// goSources lists the files of a package's tests as the go command finds them.
func goSources(g kit.Unit, env, name string) string {
	const of = `{{range .%[1]s}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`
	format := ""
	for _, files := range []string{"GoFiles", "CgoFiles", "TestGoFiles", "XTestGoFiles", "EmbedFiles", "TestEmbedFiles",
		"XTestEmbedFiles"} {
		format += fmt.Sprintf(of, files)
	}
	return "(cd " + kit.Under("WIDESWE_REPO", g.Module) + " && exec env " + env + "go list -e -f " + kit.Quote(format) +
		tagFlag(g) +
		" " + goPattern(g) + ") >\"$out/" + name + ".sources\" 2>/dev/null </dev/null || true"
}

func shuffleFlag(seed int64) string {
	if seed == 0 {
		return ""
	}
	return fmt.Sprintf(" -shuffle=%d", seed)
}

func tagFlag(g kit.Unit) string {
	if len(g.Tags) == 0 {
		return ""
	}
	return " -tags=" + kit.Quote(strings.Join(g.Tags, ","))
}

// goPattern names the package from its module's folder.
func goPattern(g kit.Unit) string {
	if g.Module == "." {
		return kit.Quote("./" + g.Dir)
	}
	return kit.Quote("./" + strings.TrimPrefix(strings.TrimPrefix(g.Dir, g.Module), "/"))
}

// goUnit is the package's import path.
func goUnit(mods []goModule, g kit.Unit) string {
	for _, m := range mods {
		if m.dir == g.Module {
			return path.Join(m.path(), strings.TrimPrefix(strings.TrimPrefix(g.Dir, strings.TrimSuffix(g.Module, ".")), "/"))
		}
	}
	return ""
}
