package php

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

// phpInstall is one package's installation.
type phpInstall struct {
	p     phpPackage
	slug  string // names its folder in the cache
	wired []string
}

// phpFunctions are the shell's words of a plan. Composer works in the tree, so that
// what it generates finds its way from there, with a copy of the manifest that lies
// outside; what it installed is put away and laid back before a run.
const phpFunctions = `php_key() { php "$lay" key . "$@"; }
php_compose() { mode=$1; work=$2; vendor=$3; names=$4; shift 4
  mkdir -p "$work"; rm -rf "$vendor"; php "$lay" wire . "$work" "$mode" "$@"
  what=install; if [ -n "$names" ] && [ -e "$work/composer.lock" ]; then what="update $names --with-all-dependencies"; fi
  echo "composer $what $composer_with"; COMPOSER_BIN_DIR="$vendor/bin" COMPOSER="$work/composer.json" composer $what --no-progress --no-scripts --prefer-dist $composer_with </dev/null; }
php_install() { vendor=$1 store=$2 names=$3; shift 3; key=$(php_key "$@"); store="$store/$key"
  if [ -d "$store/vendor" ]; then return 0; fi
  rm -rf "$store"; mkdir -p "$store"; mode=full
  { composer_with=--ignore-platform-req=php+; php_compose full "$store" "$vendor" "$names" "$@"; } ||
    { composer_with=--ignore-platform-reqs; php_compose full "$store" "$vendor" "$names" "$@"; } ||
    { composer_with='--ignore-platform-reqs --no-plugins'; php_compose full "$store" "$vendor" "$names" "$@"; } ||
    { mode=bare; composer_with='--ignore-platform-reqs --no-plugins'; echo "composer could not install: what the distribution has stands in"; php_compose bare "$store" "$vendor" '' "$@"; } ||
    { rm -rf "$store"; return 1; }
  echo "$mode" >"$store/mode"; mkdir -p "$vendor"; cp -a "$vendor" "$store/vendor"; rm -rf "$vendor"; }
php_lay() { vendor=$1 store=$2; shift 2; key=$(php_key "$@"); from="$store/$key"
  if [ ! -d "$from/vendor" ]; then from=$(ls -td "$store"/*/ 2>/dev/null | head -n 1); from=${from%/}; echo "nothing was installed for this manifest: what was for another is laid"; fi
  if [ ! -d "$from/vendor" ]; then echo "nothing was installed"; return 1; fi
  rm -rf "$vendor"; mkdir -p "$(dirname "$vendor")"; cp -a "$from/vendor" "$vendor"
  work="$from/work"; rm -rf "$work"; mkdir -p "$work"; php "$lay" wire . "$work" "$(cat "$from/mode")" "$@"
  COMPOSER="$work/composer.json" composer dump-autoload --no-scripts --quiet </dev/null || echo "the autoloader could not be written anew"; }`

// Plan writes the commands. Every test file has a runner of its own: one that dies
// takes no other with it.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe), Report: "phpunit"}
	list := phpPackages(j.Tree)
	installs, notes := phpInstalls(j, list)
	p.Notes = notes
	p.Wire = append([]string{
		`cache="${WIDESWE_CACHE:-$HOME/.cache/wideswe}/php"; mkdir -p "$cache" "$WIDESWE_TMP/php"; ` +
			`lay="$WIDESWE_TMP/php/lay.php"`,
		`printf '%s' ` + kit.Quote(phpLay) + ` >"$lay"`,
		`export COMPOSER_CACHE_DIR="$WIDESWE_TMP/php/cache"; unset COMPOSER COMPOSER_VENDOR_DIR COMPOSER_BIN_DIR PHPRC ` +
			`PHP_INI_SCAN_DIR`,
		phpFunctions,
	}, kit.PathLines(j.Recipe)...)
	for _, in := range installs {
		names := make([]string, 0, len(in.wired))
		words := make([]string, 0, len(in.wired))
		for _, w := range in.wired {
			name, rest, _ := strings.Cut(w, "=")
			folder, version, _ := strings.Cut(rest, "=")
			names, words = append(names, name), append(words, kit.Quote(name+"=")+kit.Under("WIDESWE_WORKSPACE", folder)+
				kit.Quote("="+version))
		}
		at, args := "cd "+kit.Under("WIDESWE_REPO", in.p.dir), strings.Join(words, " ")
		store := `"$cache"/` + in.slug
		p.Setup = append(p.Setup, "("+at+" && php_install "+kit.Quote(in.p.vendor)+" "+store+" "+kit.Quote(strings.Join(names,
			" "))+" "+args+")")
		p.Build = append(p.Build, "("+at+" && COMPOSER_DISABLE_NETWORK=1 php_lay "+kit.Quote(in.p.vendor)+" "+store+" "+args+
			")")
	}
	p.Setup = append(p.Setup, j.Recipe.Setup...)
	p.Warm = slices.Clone(j.Recipe.Warm)
	p.Build = append(p.Build, j.Recipe.Build...)
	p.Manifests = phpManifests(j.Tree)
	return phpRun(p, j, phpPackages(j.RunnerTree()))
}

// phpInstalls are the packages whose dependencies the units need.
func phpInstalls(j kit.Job, list []phpPackage) (installs []phpInstall, notes []string) {
	units := j.Selection.Units
	if len(units) == 0 && len(list) > 0 { // the image of a repository: nothing is selected
		units = []kit.Unit{{Dir: list[0].dir}}
	}
	for _, u := range units {
		for _, p := range list {
			if p.dir != u.Dir {
				continue
			}
			if kit.Has(j.Tree, path.Join(p.dir, p.vendor, "autoload.php")) {
				notes = append(notes, path.Join(p.dir, p.vendor)+" is the tree's own: nothing is installed, no sibling is wired")
				continue
			}
			in := phpInstall{p: p, slug: kit.StoreName("php", p.dir)}
			var said []string
			in.wired, said = phpWired(j, p)
			notes = append(notes, said...)
			installs = append(installs, in)
		}
	}
	return installs, notes
}

var phpSafe = regexp.MustCompile(`^[a-z0-9_.-]+/[a-z0-9_.-]+$`)

// phpWired lists the siblings' packages that a package, or one of them, asks for.
func phpWired(j kit.Job, p phpPackage) (wired, notes []string) {
	siblings := slices.Clone(j.Siblings)
	sort.SliceStable(siblings, func(i, k int) bool { return siblings[i].Repository < siblings[k].Repository })
	locked := phpLockedVersions(kit.Read(j.Tree, path.Join(p.dir, "composer.lock")))
	taken := map[string]bool{}
	for queue := []phpPackage{p}; len(queue) > 0; queue = queue[1:] {
		for _, s := range siblings {
			if s.Repository == j.Repository {
				continue
			}
			known := kit.NameSet(phpPackages(s.Publisher()), func(q phpPackage) string { return q.name })
			for _, q := range phpPackages(s.Tree) {
				constraint, asked := queue[0].require[q.name]
				if !asked && locked[q.name] == "" || taken[q.name] || !known[q.name] || !phpSafe.MatchString(q.name) {
					continue
				}
				taken[q.name] = true
				version := phpStandIn(locked[q.name], constraint, q)
				wired = append(wired, q.name+"="+path.Join(s.Repository, q.dir)+"="+version)
				notes = append(notes, fmt.Sprintf("%s is the tree of %s, as version %s", q.name, s.Repository, version))
				queue = append(queue, q)
			}
		}
	}
	sort.Strings(wired)
	return wired, notes
}

var phpLockedPackage = regexp.MustCompile(`"name":\s*"([^"]+)",\s*"version":\s*"([^"]+)"`)

func phpLockedVersions(lock string) map[string]string {
	m := map[string]string{}
	for _, f := range phpLockedPackage.FindAllStringSubmatch(lock, 5000) {
		m[strings.ToLower(f[1])] = f[2]
	}
	return m
}

var (
	phpStable  = regexp.MustCompile(`\d+(?:\.\d+){0,3}`)
	phpVersion = regexp.MustCompile(`^[\w.+-]+$`)
)

// phpStandIn is the version that a sibling's tree stands for: the locked one, its own,
// or the least that the newest part of the constraint admits.
func phpStandIn(locked, constraint string, q phpPackage) string {
	parts := strings.Split(strings.ReplaceAll(constraint, "||", "|"), "|")
	last := strings.TrimSpace(strings.Split(parts[len(parts)-1], "@")[0])
	number := phpStable.FindString(last)
	switch {
	case locked != "" && phpVersion.MatchString(locked):
		return locked
	case strings.HasPrefix(last, "dev-") && phpVersion.MatchString(last), strings.HasSuffix(last, "-dev") &&
		phpVersion.MatchString(last):
		return last
	case q.version != "" && phpVersion.MatchString(q.version):
		return q.version
	case number != "":
		for strings.Count(number, ".") < 2 {
			number += ".0"
		}
		return number
	case q.alias != "" && phpVersion.MatchString(q.alias):
		return q.alias
	}
	return "1.0.0"
}

// phpManifests are the files that decide what is installed.
func phpManifests(t kit.Tree) []string {
	var names []string
	for _, name := range t.Files() {
		switch path.Base(name) {
		case "composer.json", "composer.lock", "auth.json", "symfony.lock":
			names = append(names, name)
		}
	}
	if len(names) > kit.MaxManifests {
		return nil
	}
	return names
}

var phpStops = regexp.MustCompile(`\bstopOn(?:Failure|Error|Defect|Warning|Risky)="true"`)

// phpRun writes the test script.
func phpRun(p kit.Plan, j kit.Job, list []phpPackage) (kit.Plan, error) {
	if j.Recipe.Test != "" {
		return kit.OwnPlan(p, j, j.Selection.AllFiles())
	}
	order := "--order-by=default"
	if j.Shuffle != 0 {
		order = fmt.Sprintf("--order-by=random --random-order-seed=%d", uint64(j.Shuffle)%1_000_000)
	}
	lines := []string{
		"export COMPOSER_DISABLE_NETWORK=1",
		kit.ScriptBegin,
		// Versions differ in what they can be told: each is told what its help knows.
		`runner() { program=phpunit; for p in "$@"; do if [ -e "$p" ]; then program="php -d memory_limit=-1 $p"; break; ` +
			`fi; done; help=$($program --help 2>/dev/null </dev/null || true); options=`,
		`  for o in --colors=never --do-not-cache-result --no-logging --do-not-fail-on-risky --do-not-fail-on-warning ` +
			`--do-not-fail-on-deprecation --do-not-fail-on-notice --do-not-fail-on-incomplete --do-not-fail-on-skipped ` +
			order + `; do`,
		`    case "$help" in *"${o%%=*}"*) options="$options $o";; esac; done; }`,
		`run() { report="$out/$1"; shift; mkdir -p "$(dirname "$report")"; code=0`,
		`  $program $options --no-coverage --log-junit "$report" --log-teamcity "$report.running" "$@" >"$report.log" 2>&1 ` +
			`</dev/null || code=$?`,
		`  echo "$code" >"$report.end"; cat "$report.log"; worse; }`,
	}
	for _, u := range j.Selection.Units {
		unit := phpUnit{Unit: u, p: phpPackage{dir: u.Dir, vendor: "vendor"}}
		for _, q := range list {
			if q.dir == u.Dir {
				unit.p = q
			}
		}
		lines = append(lines, unit.begin(j.RunnerTree())...)
		for _, file := range kit.ShuffledFiles(u.Files, j.Shuffle) {
			if kit.WantsFile(j.Only, file) {
				lines = append(lines, unit.run(j, file))
				report := file + ".xml"
				p.Files = append(p.Files, report, report+".log", report+".running", report+".end")
			}
		}
		if config, _ := phpConfig(j.RunnerTree(), unit.p); config != "" && phpStops.MatchString(kit.Read(j.RunnerTree(),
			config)) {
			p.Notes = append(p.Notes, config+" stops at the first failure: tests behind it in the same file don't run")
		}
	}
	p.Test = kit.Script(lines)
	return p, nil
}

// phpUnit is the run of one package's tests.
type phpUnit struct {
	kit.Unit
	p      phpPackage
	config string
}

func (u *phpUnit) begin(t kit.Tree) []string {
	bin := path.Join(u.p.vendor, "bin")
	programs := []string{path.Join(bin, "phpunit"), path.Join(u.p.vendor, "phpunit/phpunit/phpunit"), path.Join(bin,
		"simple-phpunit")}
	if u.Runner == pestRunner {
		programs = append([]string{path.Join(bin, "pest"), path.Join(u.p.vendor, "pestphp/pest/bin/pest")}, programs...)
	}
	config, found := phpConfig(t, u.p)
	switch {
	case config == "":
		u.config = "--no-configuration --bootstrap " + kit.Quote(path.Join(u.p.vendor, "autoload.php"))
	case !found:
		u.config = "--configuration " + kit.Quote(kit.RelativeTo(u.Dir, config))
	}
	if config != "" && !strings.Contains(kit.Read(t, config), "bootstrap=") {
		u.config = strings.TrimSpace(u.config + " --bootstrap " + kit.Quote(path.Join(u.p.vendor, "autoload.php")))
	}
	return []string{"cd " + kit.Under("WIDESWE_REPO", u.Dir), "runner " + kit.QuoteAll(programs)}
}

func (u *phpUnit) run(j kit.Job, file string) string {
	words := []string{"run", kit.Quote(file + ".xml")}
	if u.config != "" {
		words = append(words, u.config)
	}
	if filter := phpFilter(j, file); filter != "" {
		words = append(words, "--filter "+kit.Quote(filter))
	}
	return strings.Join(append(words, kit.Quote(kit.RelativeTo(u.Dir, file))), " ")
}

// phpFilter matches the names of the tests that run, the class before them.
func phpFilter(j kit.Job, file string) string {
	of := func(ids []string) string {
		var list []string
		for _, id := range ids {
			if unit, name := schema.SplitTestID(id); unit == file {
				list = append(list, strings.ReplaceAll(regexp.QuoteMeta(kit.RepeatSuffix.ReplaceAllString(name, "")), "/", `\/`))
			}
		}
		sort.Strings(list)
		return strings.Join(kit.Unique(list), "|")
	}
	only, skip := of(j.Only), of(j.Skip)
	filter := ""
	if skip != "" {
		filter = "(?!(?:" + skip + ")$)"
	}
	if only != "" {
		filter += "(?:" + only + ")$"
	}
	if filter == "" {
		return ""
	}
	return "/^" + filter + "/"
}
