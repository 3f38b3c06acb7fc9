package rust

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// rustRun is one test program of a plan.
type rustRun struct {
	dir     string
	unit    string // as ids name it
	kind    string // lib, bin, test, example, doc
	args    string // cargo's, which choose and build it
	first   string // builds it; cargo has no such flag for doc tests
	filter  []string
	harness bool
	single  bool // one test at a time, so that the one that dies is known
	root    string
	top     string // the folder of its workspace, from which the compiler names files
	wrapper string // of the compiler, as a shell word, where it lays tests in
}

// Plan writes the commands. The sources of every package that has a tree are
// compiled anew in each run: cargo knows a changed file by its time, and all files
// of a run have one time, so what was built of a tree before is forgotten.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	tree := readRust(j.Tree)
	w := wireRust(j, tree)
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Report: "libtest", Notes: w.notes}
	p.Wire = append([]string{
		`cache="${WIDESWE_CACHE:-$HOME/.cache/wideswe}"`,
		`export CARGO_HOME="$cache/cargo" CARGO_TARGET_DIR="$cache/target"`,
		`mkdir -p "$CARGO_HOME" "$cache/locks"`,
		// The image's compiler, whatever a rust-toolchain file says.
		`if command -v rustup >/dev/null; then RUSTUP_TOOLCHAIN="$(rustup default | cut -d' ' -f1)"; export ` +
			`RUSTUP_TOOLCHAIN; fi`,
	}, w.lines()...)
	p.Wire = append(p.Wire, kit.PathLines(j.Recipe)...)
	p.Manifests = rustManifests(j.Tree)
	p.Setup = slices.Clone(j.Recipe.Setup)
	locks := tree.locks(j, w)
	for _, l := range locks {
		in := "cd " + kit.Under("WIDESWE_REPO", l.root)
		p.Setup = append(p.Setup, "("+in+` && cargo fetch --target "$(rustc -vV | sed -n 's/^host: //p')" && cp Cargo.lock `+
			`"$cache/locks/`+l.key+`")`)
	}
	runs := readRust(j.RunnerTree()).runs(j, tree)
	offline := append([]string{"export CARGO_NET_OFFLINE=true"}, rustBuild(j, locks)...)
	p.Build = append(slices.Clone(offline), j.Recipe.Build...)
	p.Warm = offline
	for _, line := range j.Recipe.Build {
		p.Warm = append(p.Warm, "("+line+") || true")
	}
	for _, r := range runs {
		p.Warm = append(p.Warm, "(cd "+kit.Under("WIDESWE_REPO", r.dir)+" && "+r.first+" >/dev/null) || true")
	}
	p.Warm = append(kit.Unique(append(p.Warm, j.Recipe.Warm...)), `forget`)
	return cargoTest(p, j, runs, locks)
}

// rustManifests are the files that decide what is fetched.
func rustManifests(t kit.Tree) (out []string) {
	for _, name := range t.Files() {
		switch path.Base(name) {
		case "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml":
			out = append(out, name)
		case "config", "config.toml":
			if path.Base(path.Dir(name)) == ".cargo" {
				out = append(out, name)
			}
		}
	}
	return out
}

// rustBuild makes cargo forget what it built of the trees, and lays the lock files
// that setup made.
func rustBuild(j kit.Job, locks []rustLock) []string {
	names := map[string]bool{}
	trees := []kit.Tree{j.Tree}
	for _, s := range j.Siblings {
		trees = append(trees, s.Tree)
	}
	for _, t := range trees {
		for _, m := range readRust(t).roots {
			if m.Package != nil && safeCrate.MatchString(m.Package.Name) {
				names[m.Package.Name] = true
			}
		}
	}
	lines := []string{
		"forget() {",
		`  for crate in ` + strings.Join(slices.Sorted(maps.Keys(names)), " ") + `; do`,
		`    hash='????????????????'; lib=lib$(echo "$crate" | tr - _)`,
		`    for at in "$CARGO_TARGET_DIR"/* "$CARGO_TARGET_DIR"/*/*; do`,
		`      if [ -d "$at/.fingerprint" ]; then rm -rf "$at/.fingerprint/$crate"-$hash "$at/build/$crate"-$hash ` +
			`"$at/incremental" "$at/deps/$lib"-$hash.*; fi`,
		`    done`,
		`  done`,
		// Programs are as large as all they are linked of.
		`  if [ -d "$CARGO_TARGET_DIR" ]; then find "$CARGO_TARGET_DIR" -type f -perm -u+x ! -name '*.*' ! -path ` +
			`'*/build/*' -exec rm -f {} +; fi`,
		"}",
		"forget",
		`mkdir -p "$WIDESWE_TMP/cargo"`,
	}
	for n, l := range locks {
		if l.kept {
			continue
		}
		file := kit.Under("WIDESWE_REPO", path.Join(l.root, "Cargo.lock"))
		old := fmt.Sprintf(`"$WIDESWE_TMP/cargo/lock.%d"`, n)
		lines = append(lines,
			"rm -f "+old+"; if [ -f "+file+" ]; then cp "+file+" "+old+"; fi",
			`if [ -f "$cache/locks/`+l.key+`" ]; then rm -f `+file+`; cp "$cache/locks/`+l.key+`" `+file+"; fi")
	}
	return []string{strings.Join(lines, "\n")}
}

// restoreLocks lays the tree's own lock files again.
func restoreLocks(locks []rustLock) (lines []string) {
	for n, l := range locks {
		if l.kept {
			continue
		}
		file := kit.Under("WIDESWE_REPO", path.Join(l.root, "Cargo.lock"))
		old := fmt.Sprintf(`"$WIDESWE_TMP/cargo/lock.%d"`, n)
		lines = append(lines, "rm -f "+file+"; if [ -f "+old+" ]; then cp "+old+" "+file+"; fi")
	}
	return lines
}

// runs are the test programs of a job's selection. Features that the tree which is built
// does not declare are not asked for: cargo would build nothing.
func (r rustTree) runs(j kit.Job, built rustTree) (runs []rustRun) {
	s := &rustSelection{rustTree: r, reached: map[*rustCrate][]map[string]rustFile{}}
	for _, u := range j.Selection.Units {
		c := r.crateOf(path.Join(u.Dir, "Cargo.toml"))
		if c == nil || c.dir != u.Dir || !safeCrate.MatchString(c.name) {
			continue
		}
		kind, name, _ := strings.Cut(u.Target, "/")
		run := rustRun{root: r.rootOf(u), top: r.workspaceOf(u.Dir), dir: u.Dir, unit: r.unitOf(c, u.Target), kind: kind,
			harness: true, single: len(j.Only) > 0, args: "--" + kind}
		if t, ok := c.target(u.Target); ok && kind != "doc" {
			run.harness = t.harness
		}
		if name != "" {
			run.args += " " + kit.Quote(name)
		}
		more := r.featureFlag(j.Recipe, built.declared(c.dir, s.needs(c, u)))
		if c.workspace && c.defaults {
			more = " -p " + c.name + more
		}
		run.args += more
		run.first = "cargo test --no-run " + run.args
		if kind == "doc" {
			run.first = "cargo build --lib" + more
		}
		if run.choose(u, j) {
			runs = append(runs, run)
		}
	}
	return runs
}

// declared leaves the features that the package of a folder declares.
func (r rustTree) declared(dir string, features []string) []string {
	c := r.crateOf(path.Join(dir, "Cargo.toml"))
	if c == nil || c.dir != dir {
		return nil
	}
	return slices.DeleteFunc(features, func(f string) bool {
		return !c.features[f] && !slices.Contains(targetNeeds(c),
			f)
	})
}

// unitOf names a test program as nextest does, but for its double colon.
func (r rustTree) unitOf(c *rustCrate, target string) string {
	name := c.name
	for _, other := range r.crates {
		if other != c && other.name == c.name {
			name = path.Join(c.dir, c.name)
		}
	}
	switch kind, target, _ := strings.Cut(target, "/"); kind {
	case "lib":
		return name
	case "doc":
		return name + ":doc/lib"
	case "test":
		return name + ":" + target
	default:
		return name + ":" + kind + "/" + target
	}
}

// featureFlag chooses the features: the recipe's, else the tests' own.
func (r rustTree) featureFlag(recipe schema.Recipe, needs []string) string {
	switch chosen := recipe.Env[RustFeatures]; chosen {
	case "":
	case "all":
		return " --all-features"
	default:
		needs = append(needs, strings.FieldsFunc(chosen, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	if len(needs) == 0 {
		return ""
	}
	sort.Strings(needs)
	return " --features " + kit.Quote(strings.Join(slices.Compact(needs), ","))
}

// choose sets the arguments for libtest that run the job's tests and no others;
// false where none of them is in this program.
func (run *rustRun) choose(u kit.Unit, j kit.Job) bool {
	only, skip := testsOf(run.unit, j.Only), testsOf(run.unit, j.Skip)
	if len(j.Only) > 0 && len(only) == 0 {
		return false
	}
	if !run.harness { // it takes no names
		return true
	}
	exact := run.kind != "doc" // whose names hold lines
	run.filter = only
	if len(only) == 0 && (len(skip) == 0 || !exact) {
		run.filter, exact = nil, false
		for _, module := range u.Tests {
			if run.kind == "doc" {
				run.filter = append(run.filter, module+" - ")
			} else {
				run.filter = append(run.filter, module+"::")
			}
		}
	}
	for _, name := range skip {
		run.filter = append(run.filter, "--skip", name)
	}
	if exact {
		run.filter = append([]string{"--exact"}, run.filter...)
	}
	return true
}

// testsOf are the names of a unit's tests among ids.
func testsOf(unit string, ids []string) (names []string) {
	for _, id := range ids {
		if u, name := schema.SplitTestID(kit.RepeatSuffix.ReplaceAllString(id, "")); u == unit {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return slices.Compact(names)
}

// The files that one test program's run leaves, beside its standard output.
var rustFiles = []string{".unit", ".build", ".list", ".log", ".stderr", ".exit", ".txt"}

// cargoTest writes the test script. A program is built, then lists its tests, then
// runs them, so that a failure to compile, a crash and a failed test can't be taken
// for one another. Results are read from libtest's own log, into which what tests
// print does not fall: the JSON that libtest could write is an unstable feature,
// and asking for it changes what tests that call the compiler see.
func cargoTest(p kit.Plan, j kit.Job, runs []rustRun, locks []rustLock) (kit.Plan, error) {
	if j.Recipe.Test != "" {
		var targets []string
		for _, r := range runs {
			targets = append(targets, r.args)
		}
		return kit.OwnPlan(p, j, targets)
	}
	sources := ""
	if j.Sources {
		// What the compiler says that it read, of all that was built since the run began.
		sources = `find "$CARGO_TARGET_DIR" -name '*.d' -newer "$WIDESWE_TMP/cargo/begun" -exec cat {} + ` +
			`>"$out/$name.sources"; `
	}
	lines := []string{
		// The tests themselves don't learn where the reports lie.
		kit.ScriptBegin,
		`run() { name=$1; how=$2; dir=$3; unit=$4; first=$5; args=$6; shift 6; code=0`,
		`  printf '%s\n%s\n' "$unit" "$how" >"$out/$name.unit"`,
		`  (cd "$dir"; if [ "$wrapper" ]; then RUSTC_WRAPPER=$wrapper; export RUSTC_WRAPPER; fi; exec $first) ` +
			`>"$out/$name.build" 2>&1 </dev/null || code=$?`,
		`  cat "$out/$name.build" >&2`,
		`  if [ "$code" -eq 0 ]; then rm -f "$out/$name.build"; ` + sources +
			`(cd "$dir"; test_one "$@") || code=$?; cat "$out/$name.txt" "$out/$name.stderr" >&2; fi`,
		`  echo "$code" >"$out/$name.exit"`,
		`  worse; }`,
		`test_one() { code=0; case $how in`,
		`  own) cargo test $args >"$out/$name.txt" 2>"$out/$name.stderr" </dev/null || code=$?;;`,
		`  doc) cargo test $args -- --list --format pretty "$@" >"$out/$name.list" 2>/dev/null </dev/null || true`,
		`    cargo test $args -- --color never --format pretty "$@" >"$out/$name.txt" 2>"$out/$name.stderr" </dev/null || ` +
			`code=$?;;`,
		`  *) cargo test $args -- --list --format pretty "$@" >"$out/$name.list" 2>/dev/null </dev/null || true`,
		`    log='--logfile /dev/fd/3'; if [ "$how" = one ]; then log="$log --test-threads=1"; fi`,
		`    cargo test $args -- $log --color never --format pretty "$@" >"$out/$name.txt" 2>"$out/$name.stderr" ` +
			`3>"$out/$name.log" </dev/null || code=$?;;`,
		`  esac; return "$code"; }`,
	}
	for n, r := range runs {
		how := "all"
		switch {
		case !r.harness:
			how = "own"
		case r.kind == "doc":
			how = "doc"
		case r.single:
			how = "one"
		}
		name := fmt.Sprintf("%03d", n+1)
		if c, ok := newRustCanary(j, r, r.root, name); ok {
			p.Canaries = append(p.Canaries, c.Canary)
			lines = append(lines, c.setup)
			r.filter, r.wrapper = c.filtered(r.filter), c.place
		}
		lines = append(lines, "wrapper="+r.wrapper, strings.Join([]string{"run", name, how, kit.Under("WIDESWE_REPO", r.dir),
			kit.Quote(r.unit), kit.Quote(r.first), kit.Quote(r.args), kit.QuoteAll(r.filter)}, " "))
		for _, ext := range rustFiles {
			p.Files = append(p.Files, name+ext)
		}
		if j.Sources && r.kind != "doc" {
			p.Sources = append(p.Sources, kit.SourceList{File: name + ".sources", Dir: r.top})
		}
		if !r.harness && len(j.Skip)+len(j.Only) > 0 {
			p.Notes = append(p.Notes, r.unit+" has a runner of its own: its tests can't be run or left out one by one")
		}
	}
	if j.Sources {
		lines = slices.Insert(lines, 1, `: >"$WIDESWE_TMP/cargo/begun"`)
	}
	lines = append(lines, restoreLocks(locks)...)
	p.Test = kit.Script(lines)
	return p, nil
}
