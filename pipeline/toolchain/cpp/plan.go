package cpp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// cppArgs is what one unit's helper is told, see cpp_run.py.
type cppArgs struct {
	Kind    string              `json:"kind"`
	Dir     string              `json:"dir"`
	Key     string              `json:"key"`
	Args    []string            `json:"args"`
	Define  map[string]string   `json:"define"`
	Prefix  []string            `json:"prefix"`
	Lay     [][2]string         `json:"lay"`
	Files   []string            `json:"files"`
	Beside  []string            `json:"beside"`
	Skip    map[string][]string `json:"skip"`
	Only    map[string][]string `json:"only"`
	Target  string              `json:"target"`
	Timeout int                 `json:"timeout"`
}

// cppTimeout ends one test program that does not end itself, in seconds.
const cppTimeout = 600

// Plan writes the commands. The build lies outside the tree; what it fetches is
// fetched by setup, and compilers' results are kept by content, so that a run
// compiles anew what a patch changed, and no clock decides it.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Report: "cpp", Manifests: cppManifests(j.Tree)}
	delete(p.Env, CppOptions)
	p.Wire = append([]string{
		`mkdir -p "$WIDESWE_TMP" && printf '%s' ` + kit.Quote(cppRun) + ` >"$WIDESWE_TMP/cpp_run.py"`,
		`cpp() { python3 -B "$WIDESWE_TMP/cpp_run.py" "$@"; }`,
	}, kit.PathLines(j.Recipe)...)
	w := wireCpp(j)
	p.Notes = w.notes
	p.Setup = slices.Clone(j.Recipe.Setup)
	units := j.Selection.Units
	if len(units) == 0 { // the image of a repository: nothing is selected
		for _, r := range cppRoots(j.Tree)[:min(1, len(cppRoots(j.Tree)))] {
			units = []kit.Unit{{Dir: r.dir, Runner: r.runner, Target: r.target}}
		}
	}
	if len(units) > 1 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d folders are built one after the other", len(units)))
	}
	p.Build = slices.Clone(j.Recipe.Build)
	lines := []string{kit.ScriptBegin}
	for n, u := range units {
		text, err := json.Marshal(w.args(j, u))
		if err != nil {
			return kit.Plan{}, fmt.Errorf("writing the arguments of %s: %w", u.Dir, err)
		}
		word, report := kit.Quote(string(text)), fmt.Sprintf("%03d.jsonl", n+1)
		p.Setup = append(p.Setup, "cpp configure "+word)
		p.Warm = append(p.Warm, "cpp build "+word)
		p.Files = append(p.Files, report)
		// Each has the same build folder, one after the other: the first is built before
		// the tests, so that a build that takes long is seen for one.
		if n == 0 {
			p.Build = append(p.Build, "cpp build "+word)
		} else {
			lines = append(lines, "cpp build "+word)
		}
		lines = append(lines, `code=0; cpp test `+word+` "$out/`+report+`" || code=$?; worse`)
		if u.Runner == autotoolsRunner || u.Runner == makeRunner {
			p.Notes = append(p.Notes, "make "+u.Target+" runs whole in "+u.Dir+
				": which of its tests a file belongs to can't be told")
		}
	}
	p.Warm = append(p.Warm, j.Recipe.Warm...)
	p.Test = kit.Script(lines)
	if j.Recipe.Test != "" {
		p.Build, p.Warm, p.Files = slices.Clone(j.Recipe.Build), slices.Clone(j.Recipe.Warm), nil
		return kit.OwnPlan(p, j, j.Selection.AllFiles())
	}
	return p, nil
}

// args are one unit's. What is fetched is kept under a key of the manifests.
func (w cppWiring) args(j kit.Job, u kit.Unit) cppArgs {
	h := sha256.New()
	for _, f := range cppManifests(j.Tree) {
		fmt.Fprintf(h, "%q %q\n", f, kit.Read(j.Tree, f))
	}
	fmt.Fprintf(h, "%q", w.define)
	a := cppArgs{Kind: u.Runner, Dir: u.Dir, Key: hex.EncodeToString(h.Sum(nil)[:12]),
		Args: strings.Fields(j.Recipe.Env[CppOptions]), Define: map[string]string{},
		Prefix: []string{}, Lay: w.lay, Files: []string{}, Beside: []string{}, Skip: cppNames(j.Skip), Only: cppNames(j.Only),
		Target: u.Target, Timeout: cppTimeout}
	if a.Args == nil {
		a.Args = []string{}
	}
	if u.Runner == cmakeRunner {
		a.Define, a.Prefix = w.define, w.prefix
	}
	for _, f := range u.Files {
		a.Files = append(a.Files, strings.TrimPrefix(f, strings.TrimPrefix(u.Dir+"/", "./")))
	}
	for _, f := range u.Tests {
		a.Beside = append(a.Beside, strings.TrimPrefix(f, strings.TrimPrefix(u.Dir+"/", "./")))
	}
	if j.Recipe.Timeout > 0 {
		a.Timeout = min(a.Timeout, j.Recipe.Timeout)
	}
	return a
}

// cppNames groups ids by their unit.
func cppNames(ids []string) map[string][]string {
	m := map[string][]string{}
	for _, id := range ids {
		unit, name := schema.SplitTestID(kit.RepeatSuffix.ReplaceAllString(id, ""))
		if unit == "ctest" || unit == "meson" {
			unit = ""
		}
		if !slices.Contains(m[unit], name) {
			m[unit] = append(m[unit], name)
		}
	}
	return m
}
