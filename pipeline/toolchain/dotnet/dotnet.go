package dotnet

import (
	"encoding/xml"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests .NET projects: dotnet restores, builds and tests what
// xUnit, NUnit and MSTest find.
type Toolchain struct{}

// Name is the recipe's word.
func (Toolchain) Name() string { return "dotnet" }

// dotnetProject is one project file.
type dotnetProject struct {
	file, dir string
	name      string   // the package's, or the assembly's
	targets   []string // target frameworks, as written
	packages  []string // the packages that it refers to
	projects  []string // the project files that it refers to, from the repository's root
	test      string   // why its tests can be run
}

var (
	dotnetNotOurs = regexp.MustCompile(`(?i)(^|/)(bin|obj|packages|node_modules|testassets|templates?|\.[\w-]+)/`)
	dotnetRunners = regexp.MustCompile(`(?i)^(?:Microsoft\.NET\.Test\.Sdk|xunit(?:\.v3)?|NUnit|MSTest(?:\.TestFramework|` +
		`\.Sdk)?|TUnit)$`)
)

func isDotnetProject(name string) bool {
	ext := path.Ext(name)
	return (ext == ".csproj" || ext == ".fsproj" || ext == ".vbproj") && !dotnetNotOurs.MatchString(path.Dir(name)+"/")
}

// dotnetProjects lists the project files of a tree.
func dotnetProjects(t kit.Tree) (list []dotnetProject) {
	for _, name := range t.Files() {
		if isDotnetProject(name) {
			list = append(list, readDotnetProject(t, name))
		}
	}
	return list
}

func readDotnetProject(t kit.Tree, file string) dotnetProject {
	p := dotnetProject{file: file, dir: path.Dir(file), name: strings.TrimSuffix(path.Base(file), path.Ext(file))}
	above := []string{}
	for dir := p.dir; ; dir = path.Dir(dir) { // the nearest alone is read by MSBuild
		if f := path.Join(dir, "Directory.Build.props"); kit.Has(t, f) {
			above = append(above, f)
			break
		}
		if dir == "." {
			break
		}
	}
	for _, f := range append(above, file) {
		p.read(kit.Read(t, f))
	}
	if p.test == "" {
		for _, name := range p.packages {
			if dotnetRunners.MatchString(name) {
				p.test = file + " refers to " + name
				break
			}
		}
	}
	return p
}

// read takes in one MSBuild file. Conditions are not judged: what stands in it counts.
func (p *dotnetProject) read(text string) {
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	element := ""
	for n := 0; n < 100_000; n++ {
		token, err := d.RawToken()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			element = t.Name.Local
			for _, a := range t.Attr {
				p.item(element, a.Name.Local, a.Value)
			}
		case xml.EndElement:
			element = ""
		case xml.CharData:
			p.property(element, strings.TrimSpace(string(t)))
		}
	}
}

func (p *dotnetProject) item(element, attribute, value string) {
	switch {
	case element == "Project" && attribute == "Sdk" && strings.HasPrefix(value, "MSTest.Sdk"):
		p.test = p.file + " is of " + value
	case attribute != "Include":
	case element == "PackageReference":
		for name := range strings.SplitSeq(value, ";") {
			p.packages = append(p.packages, strings.TrimSpace(name))
		}
	case element == "ProjectReference":
		p.projects = append(p.projects, path.Join(p.dir, strings.ReplaceAll(value, `\`, "/")))
	}
}

func (p *dotnetProject) property(element, value string) {
	switch element {
	case "TargetFramework", "TargetFrameworks":
		if value != "" && !strings.Contains(value, "$(") {
			p.targets = nil
			for f := range strings.SplitSeq(value, ";") {
				if f = strings.TrimSpace(f); f != "" {
					p.targets = append(p.targets, f)
				}
			}
		}
	case "PackageId", "AssemblyName":
		if value != "" && !strings.Contains(value, "$(") {
			p.name = value
		}
	case "IsTestProject":
		if strings.EqualFold(value, "true") {
			p.test = p.file + " says IsTestProject"
		}
	}
}

var (
	dotnetCore = regexp.MustCompile(`^net(?:coreapp)?(\d+)\.(\d+)$`)
	globalSDK  = regexp.MustCompile(`"version"\s*:\s*"(\d+)\.(\d+)\.`)
)

// target is the framework that a project's tests run under: the newest that runs on
// Linux, "" where the project file does not say.
func (p dotnetProject) target() (name string, major int) {
	for _, f := range p.targets {
		if m := dotnetCore.FindStringSubmatch(f); m != nil && (name == "" || kit.LeadingInt(m[1]) >= major) {
			name, major = f, kit.LeadingInt(m[1])
		}
	}
	return name, major
}

// newestSDK is the SDK where nothing asks for another; it builds for what is older.
const newestSDK = 8

// dotnetSDK is the version of the SDK, and why.
func dotnetSDK(t kit.Tree, list []dotnetProject) (version, from string) {
	if m := globalSDK.FindStringSubmatch(kit.Read(t, "global.json")); m != nil {
		return m[1] + "." + m[2], "global.json"
	}
	most, from := 0, ""
	for _, p := range list {
		if name, major := p.target(); major > most {
			most, from = major, p.file+" is for "+name
		}
	}
	if most < 6 {
		return fmt.Sprintf("%d.0", newestSDK), "nothing asks for a newer one"
	}
	return fmt.Sprintf("%d.0", most), from
}

// Detect recognises a project whose tests can be run.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	list := dotnetProjects(t)
	i := slices.IndexFunc(list, func(p dotnetProject) bool { return p.test != "" })
	if i < 0 {
		return schema.Recipe{}, false
	}
	version, from := dotnetSDK(t, list)
	r := schema.Recipe{
		Toolchain: "dotnet", Report: "trx", Runtime: version, Image: "dotnet/sdk:" + version,
		Packages: []string{"ca-certificates", "git"},
		Env: map[string]string{
			"CI": "true", "TERM": "dumb", "NO_COLOR": "1", "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1",
			"DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
			"DOTNET_CLI_UI_LANGUAGE":            "en", "DOTNET_ROLL_FORWARD": "Major",
			"DOTNET_GENERATE_ASPNET_CERTIFICATE": "false", "MSBUILDDISABLENODEREUSE": "1",
			"NUGET_XMLDOC_MODE": "skip", "VSTEST_CONNECTION_TIMEOUT": "300", "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
		},
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain dotnet: %s", list[i].test)
	because("runtime %s: %s", version, from)
	because("image %s must bring dotnet, which the distribution does not have: name yours in images: of the "+
		"configuration, or in the recipe", r.Image)
	return r, true
}

var (
	dotnetSpace = regexp.MustCompile(`(?m)^\s*namespace\s+([\w.]+)`)
	dotnetClass = regexp.MustCompile(`(?m)^([ \t]*)(?:(?:public|internal|sealed|partial|static|abstract)\s+)*(?:class|` +
		`record|module)\s+(\w+)`)
	dotnetTest = regexp.MustCompile(`\[(?:[\w.]+\.)?(?:\w*Fact|\w*Theory|Test|TestCase|TestCaseSource|TestMethod|` +
		`DataTestMethod|Property)\b|\[<(?:Fact|Theory|Test|TestCase|TestMethod|Property)`)
)

// dotnetClasses are the names of the classes in a file by which tests are chosen.
func dotnetClasses(text string) (classes []string) {
	space := ""
	if m := dotnetSpace.FindStringSubmatch(text); m != nil {
		space = m[1] + "."
	}
	for _, m := range dotnetClass.FindAllStringSubmatch(text, 200) {
		classes = append(classes, space+m[2])
	}
	sort.Strings(classes)
	return slices.Compact(classes)
}

// dotnetProjectOf is the nearest test project above a file.
func dotnetProjectOf(list []dotnetProject, file string) (best dotnetProject, ok bool) {
	for _, p := range list {
		if p.test != "" && (p.dir == "." || strings.HasPrefix(file, p.dir+"/")) && (!ok || len(p.dir) > len(best.dir)) {
			best, ok = p, true
		}
	}
	return best, ok
}

// Select runs the classes that hidden files hold, in the project that they lie in. A
// fixture or a helper selects all of its project, unless a class of it is selected
// already.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	if r.Select != nil {
		chosen, err := kit.ChosenFiles(t, r.Select)
		if err != nil {
			return kit.Selection{}, err
		}
		hidden = chosen.Files
	}
	list := dotnetProjects(t)
	var s kit.Selection
	units := map[string]*kit.Unit{}
	var beside []string
	for _, f := range kit.CleanPaths(hidden) {
		p, ok := dotnetProjectOf(list, f)
		text := kit.Read(t, f)
		switch {
		case !kit.Has(t, f):
			s.Left = append(s.Left, kit.Left{Path: f, Reason: "the tree does not have it"})
		case !ok:
			s.Left = append(s.Left, kit.Left{Path: f, Reason: "no test project stands above it"})
		case !dotnetTest.MatchString(text) || len(dotnetClasses(text)) == 0:
			beside = append(beside, p.file)
		default:
			u := units[p.file]
			if u == nil {
				u = &kit.Unit{Dir: p.dir, Runner: "dotnet", Target: p.file}
				units[p.file] = u
			}
			u.Files = append(u.Files, f)
			u.Tests = kit.Unique(append(u.Tests, dotnetClasses(text)...))
		}
	}
	for _, file := range beside {
		if units[file] == nil {
			units[file] = &kit.Unit{Dir: path.Dir(file), Runner: "dotnet", Target: file}
		}
	}
	for _, u := range units {
		sort.Strings(u.Tests)
		s.Units = append(s.Units, *u)
	}
	sort.Slice(s.Units, func(i, k int) bool { return s.Units[i].Target < s.Units[k].Target })
	return s, nil
}
