package dotnet

import (
	"bytes"
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

// dotnetFlags go to every build: nothing is looked for on the network, a warning is no
// error, and what is built depends on nothing but the tree.
const dotnetFlags = `-p:NuGetAudit=false -p:TreatWarningsAsErrors=false -p:RestoreIgnoreFailedSources=true ` +
	`-p:RestoreLockedMode=false -p:EnableSourceLink=false -p:Deterministic=true ` +
	`-p:CustomAfterMicrosoftCommonTargets="$wire" --nologo -v:minimal`

// Plan writes the commands. Packages are kept outside the tree, where a build without
// the network finds them; a project is built once, and its classes run in one process.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Report: "trx"}
	list := dotnetProjects(j.Tree)
	wire, notes := dotnetWire(j, list)
	p.Notes = notes
	p.Wire = append([]string{
		`export NUGET_PACKAGES="${WIDESWE_CACHE:-$HOME/.cache/wideswe}/nuget" DOTNET_CLI_HOME="$WIDESWE_TMP/dotnet"; mkdir ` +
			`-p "$NUGET_PACKAGES" "$WIDESWE_TMP/dotnet"`,
		`wire="$WIDESWE_TMP/dotnet/wire.targets"`,
		wire,
		`flags() { dotnet "$@" ` + dotnetFlags + ` </dev/null; }`,
	}, kit.PathLines(j.Recipe)...)
	units := j.Selection.Units
	if len(units) == 0 { // the image of a repository: nothing is selected
		for _, project := range list {
			if project.test != "" {
				units = append(units, kit.Unit{Dir: project.dir, Target: project.file})
			}
		}
	}
	for _, u := range units {
		project, framework := kit.Quote("./"+u.Target), dotnetFramework(list, u)
		p.Setup = append(p.Setup, "flags restore "+project)
		p.Warm = append(p.Warm, "flags build "+project+framework)
	}
	p.Setup = append(p.Setup, j.Recipe.Setup...)
	p.Warm = append(p.Warm, j.Recipe.Warm...)
	p.Build = slices.Clone(j.Recipe.Build)
	p.Manifests = dotnetManifests(j.Tree)
	return dotnetRun(p, j, dotnetProjects(j.RunnerTree()))
}

func dotnetFramework(list []dotnetProject, u kit.Unit) string {
	for _, p := range list {
		if name, _ := p.target(); p.file == u.Target && len(p.targets) > 1 && name != "" {
			return " -f " + kit.Quote(name)
		}
	}
	return ""
}

// dotnetManifests are the files that decide what restore fetches.
func dotnetManifests(t kit.Tree) []string {
	var names []string
	for _, name := range t.Files() {
		base := strings.ToLower(path.Base(name))
		switch {
		case isDotnetProject(name), path.Ext(base) == ".props", path.Ext(base) == ".targets", base == "nuget.config",
			base == "global.json", base == "packages.lock.json", base == "packages.config":
			names = append(names, name)
		}
	}
	if len(names) > kit.MaxManifests {
		return nil
	}
	return names
}

var dotnetSafe = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,200}$`)

// dotnetWire writes the file that MSBuild reads after every project: a reference to a
// package that a sibling's project makes becomes a reference to that project.
func dotnetWire(j kit.Job, list []dotnetProject) (line string, notes []string) {
	wanted := map[string]bool{}
	for _, p := range list {
		for _, name := range p.packages {
			wanted[strings.ToLower(name)] = true
		}
	}
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(i, k int) bool { return siblings[i].Repository < siblings[k].Repository })
	var items strings.Builder
	for _, s := range siblings {
		if s.Repository == j.Repository {
			continue
		}
		known := kit.NameSet(dotnetProjects(s.Publisher()), func(p dotnetProject) string { return p.name })
		for _, p := range dotnetProjects(s.Tree) {
			folder := path.Join(s.Repository, p.file)
			if p.test != "" || !known[p.name] || !wanted[strings.ToLower(p.name)] || !dotnetSafe.MatchString(p.name) ||
				!kit.SafeDir.MatchString(folder) {
				continue
			}
			delete(wanted, strings.ToLower(p.name))
			fmt.Fprintf(&items, "<ItemGroup><ProjectReference Include=\"$(WIDESWE_WORKSPACE)/%[2]s\" "+
				"Condition=\"'@(PackageReference->WithMetadataValue('Identity', '%[1]s'))' != ''\" /><PackageReference "+
				"Remove=\"%[1]s\" /></ItemGroup>\n", p.name, xmlText(folder))
			notes = append(notes, fmt.Sprintf("the package %s is the tree of %s", p.name, s.Repository))
		}
	}
	return `printf '%s' ` + kit.Quote("<Project>\n"+items.String()+"</Project>\n") + ` >"$wire"`, notes
}

func xmlText(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}

// dotnetRun writes the test script. A project is built in the test, so that one that
// does not compile hides no other.
func dotnetRun(p kit.Plan, j kit.Job, list []dotnetProject) (kit.Plan, error) {
	if j.Recipe.Test != "" {
		return kit.OwnPlan(p, j, j.Selection.AllFiles())
	}
	lines := []string{
		kit.ScriptBegin,
		`run() { report="$1" project="$2" framework="$3" filter="$4"; code=0`,
		`  { flags build "$project" $framework && dotnet test "$project" $framework --no-build --no-restore --nologo ` +
			`--logger "trx;LogFileName=$report" --results-directory "$out" ${filter:+--filter "$filter"} </dev/null; } ` +
			`>"$out/$report.log" 2>&1 || code=$?`,
		`  echo "$code" >"$out/$report.end"; cat "$out/$report.log"; worse; }`,
	}
	for n, u := range j.Selection.Units {
		filter, any := dotnetFilter(j, u)
		if !any {
			continue
		}
		report := fmt.Sprintf("%03d.trx", n+1)
		framework := strings.TrimSpace(dotnetFramework(list, u))
		lines = append(lines, "run "+kit.QuoteAll([]string{report, "./" + u.Target, framework, filter}))
		p.Files = append(p.Files, report, report+".log", report+".end")
	}
	p.Test = kit.Script(lines)
	return p, nil
}

// dotnetFilter chooses a unit's classes, or single tests of them. What one test does
// to the process the others of its project feel: leaving it out is by its name
// without arguments.
func dotnetFilter(j kit.Job, u kit.Unit) (filter string, any bool) {
	mine := func(ids []string) (names []string) {
		for _, id := range ids {
			class, name := schema.SplitTestID(kit.RepeatSuffix.ReplaceAllString(id, ""))
			for _, c := range u.Tests {
				if class == c || strings.HasPrefix(class, c+"+") {
					name, _, _ = strings.Cut(name, "(")
					names = append(names, class+"."+strings.TrimSpace(name))
					break
				}
			}
		}
		sort.Strings(names)
		return kit.Unique(names)
	}
	var parts []string
	only := mine(j.Only)
	switch {
	case len(j.Only) > 0 && len(only) == 0:
		return "", false
	case len(only) > 0:
		for _, name := range only {
			parts = append(parts, "FullyQualifiedName="+dotnetEscape(name))
		}
	default:
		for _, class := range u.Tests {
			// A class within it is joined by +.
			parts = append(parts, "FullyQualifiedName~"+dotnetEscape(class+"."), "FullyQualifiedName~"+dotnetEscape(class+"+"))
		}
	}
	filter = strings.Join(parts, "|")
	if skip := mine(j.Skip); len(skip) > 0 {
		if filter != "" {
			filter = "(" + filter + ")"
		}
		for _, name := range skip {
			if filter != "" {
				filter += "&"
			}
			filter += "FullyQualifiedName!=" + dotnetEscape(name)
		}
	}
	return filter, true
}

var dotnetSpecial = regexp.MustCompile(`[\\()&|=!~]`)

func dotnetEscape(s string) string { return dotnetSpecial.ReplaceAllString(s, `\$0`) }
