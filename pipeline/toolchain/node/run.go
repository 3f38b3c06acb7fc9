package node

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// nodeRun writes the test script: one process a file, each with a report of its
// own beside which its output lies. The list is of the packages that say how they call
// their runner.
func nodeRun(p kit.Plan, j kit.Job, list []nodePackage) (kit.Plan, error) {
	p.Report = "node"
	if j.Recipe.Test != "" {
		return kit.OwnPlan(p, j, j.Selection.AllFiles())
	}
	lines := []string{
		"export npm_config_offline=true YARN_ENABLE_NETWORK=0",
		kit.ScriptBegin,
		`begin() { mkdir -p "$(dirname "$out/$1")"; here="$2"; code=0; cd "$here"; ` +
			`PATH="$here/node_modules/.bin:$WIDESWE_REPO/node_modules/.bin:$path"; export PATH; }`,
		`end() { cat "$out/$1.log"; worse; cd "$WIDESWE_REPO"; PATH="$path"; }`,
		`path="$PATH"`,
		// A program of a package, by the script it is.
		`program() { program=$("$ownnode" "$lay" bin "$1" "$2" "$here"); }`,
		`run() { report=$1; shift; ("$@") >"$out/$report.log" 2>&1 </dev/null || code=$?; }`,
		`runtap() { report=$1; shift; ("$@") >"$out/$report" 2>"$out/$report.log" </dev/null || code=$?; }`,
	}
	for _, u := range j.Selection.Units {
		for _, file := range u.Files {
			if kit.WantsFile(j.Only, file) {
				n := nodeFileRun{unit: u, file: file, runtime: kit.LeadingInt(j.Recipe.Runtime)}
				if own, ok := nodePackageOf(list, u.Dir); ok {
					n.command, _ = nodeScript(own, u.Runner)
				}
				n.match, n.partial = namePattern(j, file)
				script, files := n.lines()
				lines, p.Files = append(lines, script...), append(p.Files, files...)
				if n.partial && u.Runner != "jest" && u.Runner != "vitest" && u.Runner != "mocha" {
					p.Whole = true
					p.Notes = append(p.Notes, "single tests of "+u.Runner+" are not chosen: "+file+" runs whole")
				}
			}
		}
	}
	p.Notes = kit.Unique(p.Notes)
	p.Test = kit.Script(lines)
	return p, nil
}

// nodeFileRun is the run of one test file.
type nodeFileRun struct {
	unit    kit.Unit
	file    string
	command nodeCommand
	match   string // of full names; "" runs all
	partial bool
	runtime int
}

// lines are the commands, and the report files they write.
func (n nodeFileRun) lines() (script, files []string) {
	report := n.file + ".json"
	if slices.Contains([]string{"node", "ava", "tap", "tape"}, n.unit.Runner) {
		report = n.file + ".tap"
	}
	dir, word := kit.Under("WIDESWE_REPO", n.unit.Dir), kit.Quote(report)
	script = append(script, "begin "+word+" "+dir)
	command, before := n.words(`"$out"/` + word)
	script = append(script, before...)
	how := "run "
	if n.unit.Runner == "ava" || n.unit.Runner == "tap" || n.unit.Runner == "tape" {
		how = "runtap "
	}
	env := ""
	if len(n.command.env) > 0 {
		env = "env " + kit.QuoteAll(n.command.env) + " "
	}
	if n.unit.Runner == "node" {
		env = "env " + strings.TrimPrefix(env, "env ") + `WIDESWE_DONE="$out"/` + kit.Quote(report+".done") + " "
	}
	script = append(script, how+word+" "+env+command)
	if n.partial && (n.unit.Runner == "jest" || n.unit.Runner == "vitest") {
		// The runner lists what the pattern left out as skipped.
		script = append(script, `"$ownnode" "$lay" filter "$out"/`+word+" "+kit.Quote(n.match))
	}
	files = []string{report, report + ".log", report + ".running"}
	if n.unit.Runner == "node" {
		files = append(files, report+".done")
	}
	return append(script, "end "+word), files
}

// words is the command of the file's runner.
func (n nodeFileRun) words(out string) (command string, before []string) {
	file := kit.Quote(strings.TrimPrefix(n.file, strings.TrimSuffix(n.unit.Dir, ".")+"/"))
	if n.unit.Dir == "." {
		file = kit.Quote(n.file)
	}
	node := "node " + join(kit.QuoteAll(n.command.node))
	args := join(kit.QuoteAll(n.command.args))
	name := func(flag string) string {
		if n.match == "" {
			return ""
		}
		return flag + "=" + kit.Quote(n.match) + " "
	}
	switch n.unit.Runner {
	case "jest":
		return node + `"$program" ` + args + "--ci --json --outputFile=" + out +
				` --reporters=default --reporters="$WIDESWE_TMP/node/jest.js" --coverage=false --watchAll=false --bail=0 ` +
				`--runInBand --forceExit --no-watchman --cacheDirectory="$WIDESWE_TMP/jest" ` +
				name("--testNamePattern") + "--runTestsByPath " + file,
			[]string{`program jest jest; [ -n "$program" ] || program jest-cli jest`}
	case "vitest":
		return node + `"$program" run ` + args + "--reporter=json --reporter=\"$WIDESWE_TMP/node/vitest.mjs\" --outputFile=" +
				out + " --coverage.enabled=false --no-color --watch=false --retry=0 --bail=0 " + name("--testNamePattern") + file,
			[]string{"program vitest vitest"}
	case "mocha":
		config := ""
		for i, a := range n.command.args {
			if given, ok := strings.CutPrefix(a, "--config="); ok {
				config, args = kit.Quote(given), join(kit.QuoteAll(slices.Delete(slices.Clone(n.command.args), i, i+1)))
			} else if a == "--config" && i+1 < len(n.command.args) {
				config, args = kit.Quote(n.command.args[i+1]), join(kit.QuoteAll(slices.Delete(slices.Clone(n.command.args), i, i+
					2)))
			}
		}
		return node + `"$program" ` + args + `--config="$WIDESWE_TMP/node/mocharc.json" --no-package --exit --no-color ` +
				`--reporter="$WIDESWE_TMP/node/mocha.js" --reporter-option output=` + out + " " + name("--grep") + file,
			[]string{"program mocha mocha", `"$ownnode" "$lay" mocharc "$here" "$WIDESWE_TMP/node/mocharc.json" ` + config}
	case "node":
		return node + `--require "$WIDESWE_TMP/node/done.js" --test --test-reporter=tap --test-reporter-destination=` + out +
			" " + file, nil
	case "ava":
		return node + `"$program" ` + args + "--tap --no-fail-fast " + file, []string{"program ava ava"}
	case "tap":
		if strings.Contains(path.Ext(n.file), "ts") {
			return node + `"$program" --reporter=tap --disable-coverage --allow-incomplete-coverage ` + file,
				[]string{"program tap tap"}
		}
	}
	return node + args + file, nil
}

func join(words string) string {
	if words == "" {
		return ""
	}
	return words + " "
}

// NameSep stands between suites and names in ids of Node's tests.
const nodeNameSep = " > "

// namePattern matches the full names of the tests that run; runners join suites
// and names by a space, or by our own separator.
func namePattern(j kit.Job, file string) (pattern string, partial bool) {
	of := func(ids []string) []string {
		var list []string
		for _, id := range ids {
			if unit, name := schema.SplitTestID(id); unit == file {
				name = regexp.QuoteMeta(kit.RepeatSuffix.ReplaceAllString(name, ""))
				list = append(list, strings.ReplaceAll(name, nodeNameSep, "(?: > | )"))
			}
		}
		sort.Strings(list)
		return kit.Unique(list)
	}
	only, skip := of(j.Only), of(j.Skip)
	if len(skip) > 0 {
		pattern = "(?!(?:" + strings.Join(skip, "|") + ")$)"
	}
	switch {
	case len(only) > 0:
		pattern = "^" + pattern + "(?:" + strings.Join(only, "|") + ")$"
	case pattern != "":
		pattern = "^" + pattern
	}
	return pattern, pattern != ""
}
