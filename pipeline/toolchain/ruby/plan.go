package ruby

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// rubyFunctions are the shell's words of a plan. Gems and the Gemfile that a run works
// with lie outside the tree, the latter under a key of the manifests.
const rubyFunctions = `ruby_key() { { echo "$1"; for f in Gemfile gems.rb Gemfile.lock gems.locked ./*.gemspec; do if [ -f "$f" ]; then echo "$f"; cat "$f"; fi; done; } | sha256sum | cut -c 1-24; }
ruby_use() { export BUNDLE_GEMFILE="$1/Gemfile"; unset BUNDLE_PATH BUNDLE_PATH__SYSTEM
  if [ -e "$1/system" ]; then export BUNDLE_PATH__SYSTEM=true; else export BUNDLE_PATH="$cache/gems"; fi; }
ruby_lock() { for f in gems.locked Gemfile.lock; do if [ -f "$f" ]; then sed '/^BUNDLED WITH/,$d; /^RUBY VERSION/,/^$/d' "$f" >"$1/Gemfile.lock"; fi; done; }
ruby_install() { dir=$1 wired=$2 runners=$3 store="$cache/$4"; store="$store/$(ruby_key "$wired")"
  if [ -e "$store/done" ]; then return 0; fi
  rm -rf "$store"; mkdir -p "$store"; cp "$WIDESWE_TMP/ruby/Gemfile" "$store/Gemfile"
  echo "$dir" >"$store/dir"; printf '%s' "$wired" >"$store/wired"; printf '%s' "$runners" >"$store/runners"; ruby_lock "$store"
  ruby_use "$store"
  bundle install --jobs 2 --retry 2 || { rm -f "$store/Gemfile.lock"; bundle install --jobs 2 --retry 1; } ||
    { echo "bundler could not install: the gems that the distribution has stand in"; rm -f "$store/Gemfile.lock"; : >"$store/system"; ruby_use "$store"; bundle install --local; } ||
    { rm -rf "$store"; return 1; }
  : >"$store/done"; }
ruby_begin() { store="$cache/$2"; from="$store/$(ruby_key "$1")"
  if [ ! -e "$from/done" ]; then from=$(ls -td "$store"/*/ 2>/dev/null | head -n 1); from=${from%/}; echo "nothing was installed for this manifest: what was for another is used"; fi
  if [ ! -e "$from/done" ]; then echo "nothing was installed"; return 1; fi
  ruby_use "$from"; RUBYLIB=; if [ -e "$from/system" ]; then RUBYLIB="$3"; fi; export RUBYLIB; }`

// rubyInstall is what one package's installation is told.
type rubyInstall struct {
	p       rubyPackage
	slug    string
	wired   string // a gem and its folder a line
	runners string
	lib     []string // the load path where nothing is installed
}

// Plan writes the commands. Every test file has a runner of its own: one that dies
// takes no other with it.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Report: "ruby"}
	list := rubyPackages(j.Tree)
	installs, notes := rubyInstalls(j, list)
	p.Notes = notes
	p.Wire = append([]string{
		`cache="${WIDESWE_CACHE:-$HOME/.cache/wideswe}/ruby"; mkdir -p "$cache" "$WIDESWE_TMP/ruby"`,
		`printf '%s' ` + kit.Quote(rubyGemfile) + ` >"$WIDESWE_TMP/ruby/Gemfile"`,
		`printf '%s' ` + kit.Quote(rubyRSpec) + ` >"$WIDESWE_TMP/ruby/rspec.rb"`,
		`printf '%s' ` + kit.Quote(rubyMinitest) + ` >"$WIDESWE_TMP/ruby/minitest.rb"`,
		`printf '%s' ` + kit.Quote(rubyQuiet) + ` >"$WIDESWE_TMP/ruby/quiet.rb"`,
		`unset RUBYOPT RUBYLIB SPEC_OPTS TESTOPTS MT_COMPAT GEM_HOME GEM_PATH BUNDLE_WITHOUT BUNDLE_DEPLOYMENT ` +
			`BUNDLE_FROZEN COVERAGE`,
		`export BUNDLE_APP_CONFIG="$WIDESWE_TMP/ruby/bundle"`,
		rubyFunctions,
	}, kit.PathLines(j.Recipe)...)
	for _, in := range installs {
		p.Setup = append(p.Setup, "(cd "+kit.Under("WIDESWE_REPO", in.p.dir)+" && ruby_install "+
			kit.QuoteAll([]string{in.p.dir, in.wired, in.runners, in.slug})+")")
	}
	p.Setup = append(p.Setup, j.Recipe.Setup...)
	p.Warm, p.Build = slices.Clone(j.Recipe.Warm), slices.Clone(j.Recipe.Build)
	p.Manifests = rubyManifests(j.Tree)
	return rubyRun(p, j, installs)
}

// rubyInstalls are the packages that the units lie in.
func rubyInstalls(j kit.Job, list []rubyPackage) (installs []rubyInstall, notes []string) {
	units := j.Selection.Units
	if len(units) == 0 && len(list) > 0 { // the image of a repository: nothing is selected
		units = []kit.Unit{{Dir: list[0].dir}}
		for _, r := range rubyRunners(j.Tree, list) {
			units = append(units, kit.Unit{Dir: list[0].dir, Runner: r})
		}
	}
	for _, p := range list {
		in := rubyInstall{p: p, slug: kit.StoreName("ruby", p.dir)}
		mine := false
		for _, u := range units {
			if u.Dir == p.dir {
				mine = true
				if u.Runner != "" && !strings.Contains(in.runners, u.Runner+"\n") {
					in.runners += u.Runner + "\n"
				}
			}
		}
		if mine {
			notes = append(notes, in.wire(j)...)
			installs = append(installs, in)
		}
	}
	return installs, notes
}

var rubySafe = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// wire finds the siblings' gems that the package, or one of them, asks for.
func (in *rubyInstall) wire(j kit.Job) (notes []string) {
	in.lib = []string{kit.Under("WIDESWE_REPO", path.Join(in.p.dir, "lib"))}
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(i, k int) bool { return siblings[i].Repository < siblings[k].Repository })
	taken := map[string]bool{}
	for texts := []string{in.p.text + kit.Read(j.Tree, in.p.lock)}; len(texts) > 0; texts = texts[1:] {
		for _, s := range siblings {
			if s.Repository == j.Repository {
				continue
			}
			known := map[string]bool{}
			for _, q := range rubyPackages(s.Publisher()) {
				for _, gem := range q.gems {
					known[gem] = true
				}
			}
			for _, q := range rubyPackages(s.Tree) {
				for _, gem := range q.gems {
					folder := path.Join(s.Repository, q.dir)
					if taken[gem] || !known[gem] || !rubySafe.MatchString(gem) || !kit.SafeDir.MatchString(folder) ||
						!rubyAsks(texts[0], gem) || !kit.Has(s.Tree, path.Join(q.dir, gem+".gemspec")) {
						continue
					}
					taken[gem] = true
					in.wired += gem + " " + folder + "\n"
					in.lib = append(in.lib, kit.Under("WIDESWE_WORKSPACE", path.Join(folder, "lib")))
					notes = append(notes, fmt.Sprintf("the gem %s is the tree of %s", gem, s.Repository))
					texts = append(texts, q.text)
				}
			}
		}
	}
	return notes
}

// rubyAsks says that manifests or a lock file name exactly this gem as wanted.
func rubyAsks(text, gem string) bool {
	g := regexp.QuoteMeta(gem)
	re, err := regexp.Compile(`(?m)(?:\bgem|add_(?:runtime_|development_)?dependency)[\s(]+["']` + g + `["']|^\s+` + g +
		`(?: \(|!?$)`)
	return err == nil && re.MatchString(text)
}

// rubyManifests are the files that decide what is installed: manifests, lock files,
// what Gemfiles read in, and the versions that gemspecs take from the code.
func rubyManifests(t kit.Tree) []string {
	var names []string
	for _, name := range t.Files() {
		base := path.Base(name)
		switch {
		case base == "Gemfile", base == "Gemfile.lock", base == "gems.rb", base == "gems.locked",
			path.Ext(base) == ".gemspec", base == "version.rb", base == "VERSION",
			strings.HasPrefix(base, "Gemfile"), base == ".ruby-version", base == ".tool-versions", strings.Contains("/"+name,
				"/gemfiles/"):
			names = append(names, name)
		}
	}
	if len(names) > kit.MaxManifests {
		return nil
	}
	for _, name := range names {
		if text := kit.Read(t, name); strings.HasPrefix(path.Base(name), "Gemfile") &&
			(strings.Contains(text, "eval_gemfile") || strings.Contains(text, "instance_eval")) && !strings.Contains(text,
			"gemfiles/") {
			return nil // any file may be read
		}
	}
	return names
}

// rubyRun writes the test script.
func rubyRun(p kit.Plan, j kit.Job, installs []rubyInstall) (kit.Plan, error) {
	if j.Recipe.Test != "" {
		var begin []string
		if len(installs) > 0 {
			begin = []string{installs[0].begin(), `cd "$WIDESWE_REPO"`}
		}
		return kit.OwnPlan(p, j, j.Selection.AllFiles(), begin...)
	}
	lines := []string{
		kit.ScriptBegin,
		`close() { echo "$code" >"$report.end"; cat "$report.log"; worse; }`,
		`rspec() { report="$out/$1"; shift; mkdir -p "$(dirname "$report")"; code=0`,
		`  bundle exec rspec --no-color --no-fail-fast ` + rspecOrder(j) +
			` --require "$WIDESWE_TMP/ruby/rspec.rb" --format json --out "$report" --format WidesweRunning --out ` +
			`"$report.running" --format progress "$@" >"$report.log" 2>&1 </dev/null || code=$?`,
		`  close; }`,
		`mini() { report="$out/$1"; shift; mkdir -p "$(dirname "$report")"; code=0; include=; for d in lib test tests spec ` +
			`.; do if [ -d "$d" ]; then include="$include -I $d"; fi; done`,
		`  SEED=` + fmt.Sprint(uint64(j.Shuffle)%0xFFFF) +
			` WIDESWE_TAP="$report" bundle exec ruby $include -r "$WIDESWE_TMP/ruby/minitest.rb" "$@" >"$report.log" 2>&1 ` +
			`</dev/null || code=$?`,
		`  close; }`,
	}
	for _, u := range j.Selection.Units {
		for _, in := range installs {
			if in.p.dir == u.Dir {
				lines = append(lines, in.begin())
				if usesSimplecov(j.RunnerTree(), u.Dir) {
					lines = append(lines, `export RUBYOPT="-r$WIDESWE_TMP/ruby/quiet.rb"`)
				} else {
					lines = append(lines, "unset RUBYOPT")
				}
			}
		}
		for _, file := range kit.ShuffledFiles(u.Files, j.Shuffle) {
			if !kit.WantsFile(j.Only, file) {
				continue
			}
			report, line, note := rubyFileRun(j, u, file)
			lines = append(lines, line)
			p.Files = append(p.Files, report, report+".log", report+".end")
			if u.Runner == rspecRunner {
				p.Files = append(p.Files, report+".running")
			}
			if note != "" {
				p.Notes = append(p.Notes, note)
			}
		}
	}
	p.Test = kit.Script(lines)
	return p, nil
}

// usesSimplecov says that the tests of a package measure their coverage.
func usesSimplecov(t kit.Tree, dir string) bool {
	return slices.ContainsFunc(rubyPackages(t), func(p rubyPackage) bool {
		return p.dir == dir && strings.Contains(p.text+kit.Read(t, p.lock), "simplecov")
	})
}

// begin goes to the package and uses what was installed for it.
func (in rubyInstall) begin() string {
	return "cd " + kit.Under("WIDESWE_REPO", in.p.dir) + "\nruby_begin " + kit.Quote(in.wired) + " " + in.slug + " " +
		strings.Join(in.lib, ":")
}

func rspecOrder(j kit.Job) string {
	if j.Shuffle != 0 {
		return fmt.Sprintf("--order rand:%d", uint64(j.Shuffle)%0xFFFF)
	}
	return "--order defined"
}

// rubyFileRun is the command of one file.
func rubyFileRun(j kit.Job, u kit.Unit, file string) (report, line, note string) {
	short := kit.Quote(kit.RelativeTo(u.Dir, file))
	names := func(ids []string) []string {
		var list []string
		for _, id := range ids {
			if unit, name := schema.SplitTestID(id); unit == file {
				list = append(list, kit.RepeatSuffix.ReplaceAllString(name, ""))
			}
		}
		sort.Strings(list)
		return kit.Unique(list)
	}
	skip, only := names(j.Skip), names(j.Only)
	if u.Runner == rspecRunner {
		report = file + ".json"
		before := ""
		for _, list := range []struct {
			variable string
			names    []string
		}{{"WIDESWE_SKIP", skip}, {"WIDESWE_ONLY", only}} {
			if len(list.names) > 0 {
				at := `"$WIDESWE_TMP/ruby/` + list.variable + `"`
				before += `printf '%s\n' ` + kit.QuoteAll(list.names) + " >" + at + "; export " + list.variable + "=" + at + "; "
			}
		}
		return report, before + "rspec " + kit.Quote(report) + " " + short + "; unset WIDESWE_SKIP WIDESWE_ONLY", ""
	}
	report = file + ".tap"
	args := []string{"mini", kit.Quote(report), short}
	switch {
	case u.Runner == minitestRunner && len(only) > 0:
		args = append(args, "-n", kit.Quote(rubyPattern(only)))
	case u.Runner == testUnitRunner && len(skip)+len(only) > 0:
		note = "single tests of test-unit are not chosen: " + file + " runs whole"
	}
	if u.Runner == minitestRunner && len(skip) > 0 {
		args = append(args, "-e", kit.Quote(rubyPattern(skip)))
	}
	return report, strings.Join(args, " "), note
}

// rubyPattern matches minitest's names, the class before them.
func rubyPattern(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = regexp.QuoteMeta(n)
	}
	return "/^(?:" + strings.Join(words, "|") + ")$/"
}
