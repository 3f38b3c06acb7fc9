package php

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests PHP packages: composer installs, PHPUnit or Pest tests.
type Toolchain struct{}

//go:embed lay.php
var phpLay string

// The runners, a unit's runner.
const (
	phpunitRunner = "phpunit"
	pestRunner    = "pest"
)

// Name is the recipe's word.
func (Toolchain) Name() string { return "php" }

// phpPackage is one composer.json, as far as it matters here.
type phpPackage struct {
	dir, manifest string
	name          string
	version       string
	alias         string // the version that its branch stands for
	require       map[string]string
	suggests      []string // extensions
	replaces      bool
	vendor        string
	scripts       string
	php           string // config.platform.php
}

// phpPackages lists the packages of a tree, the root first.
func phpPackages(t kit.Tree) (list []phpPackage) {
	for _, name := range t.Files() {
		if path.Base(name) == "composer.json" && !phpNotOurs.MatchString(path.Dir(name)+"/") {
			list = append(list, readPhpPackage(t, name))
		}
	}
	sort.SliceStable(list, func(i, k int) bool {
		a, b := strings.Count(list[i].manifest, "/"), strings.Count(list[k].manifest, "/")
		return a < b || a == b && list[i].dir < list[k].dir
	})
	return list
}

var phpNotOurs = regexp.MustCompile(`(^|/)(vendor|vendor-bin|node_modules|_*[Ff]ixtures?_*|[Tt]est-?[Ff]ixtures?|` +
	`testdata|[Ss]tubs?|[Ee]xamples?|tools|\.[\w-]+)/`)

func readPhpPackage(t kit.Tree, manifest string) phpPackage {
	p := phpPackage{dir: path.Dir(manifest), manifest: manifest, require: map[string]string{}, vendor: "vendor"}
	var m struct {
		Name    string          `json:"name"`
		Version string          `json:"version"`
		Require json.RawMessage `json:"require"`
		Dev     json.RawMessage `json:"require-dev"`
		Replace json.RawMessage `json:"replace"`
		Suggest json.RawMessage `json:"suggest"`
		Scripts json.RawMessage `json:"scripts"`
		Config  json.RawMessage `json:"config"`
		Extra   json.RawMessage `json:"extra"`
	}
	if json.Unmarshal([]byte(kit.Read(t, manifest)), &m) != nil {
		return p
	}
	p.name, p.version = strings.ToLower(m.Name), m.Version
	for _, section := range []json.RawMessage{m.Dev, m.Require} {
		var deps map[string]string
		if json.Unmarshal(section, &deps) == nil {
			for name, version := range deps {
				p.require[strings.ToLower(name)] = version
			}
		}
	}
	var suggested map[string]string
	if json.Unmarshal(m.Suggest, &suggested) == nil {
		p.suggests = kit.SortedKeys(suggested)
	}
	p.replaces = len(m.Replace) > 4
	p.scripts = strings.ReplaceAll(string(m.Scripts), `\/`, "/")
	var config struct {
		Vendor   string            `json:"vendor-dir"`
		Platform map[string]string `json:"platform"`
	}
	if json.Unmarshal(m.Config, &config) == nil {
		p.php = config.Platform["php"]
		if v := path.Clean(config.Vendor); config.Vendor != "" && kit.SafeDir.MatchString(v) && !strings.HasPrefix(v, "/") &&
			!strings.HasPrefix(v, "..") && v != "." {
			p.vendor = v
		}
	}
	var extra struct {
		Alias map[string]string `json:"branch-alias"`
	}
	if json.Unmarshal(m.Extra, &extra) == nil {
		for _, branch := range kit.SortedKeys(extra.Alias) {
			p.alias = extra.Alias[branch]
		}
	}
	return p
}

var phpConfigNames = []string{"phpunit.xml", "phpunit.dist.xml", "phpunit.xml.dist"}

// phpConfig is the PHPUnit configuration of a package: one that PHPUnit finds itself,
// one that the package's scripts name, one beside its tests.
func phpConfig(t kit.Tree, p phpPackage) (file string, found bool) {
	for _, name := range phpConfigNames {
		if file := path.Join(p.dir, name); kit.Has(t, file) {
			return file, true
		}
	}
	for _, m := range phpConfigOption.FindAllStringSubmatch(p.scripts, 10) {
		if file := path.Join(p.dir, m[1]); kit.Has(t, file) {
			return file, false
		}
		for _, name := range phpConfigNames {
			if file := path.Join(p.dir, m[1], name); kit.Has(t, file) {
				return file, false
			}
		}
	}
	for _, dir := range []string{"tests", "test", "build", "app"} {
		for _, name := range phpConfigNames {
			if file := path.Join(p.dir, dir, name); kit.Has(t, file) {
				return file, false
			}
		}
	}
	return "", false
}

var phpConfigOption = regexp.MustCompile(`phpunit[^"&|;]*?\s(?:-c|--configuration)[ =]?([\w./-]+)`)

// Detect recognises a composer.json, at the root or at most two folders below it, or
// a configuration of PHPUnit at the root.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	list := phpPackages(t)
	root := phpPackage{dir: ".", manifest: "phpunit.xml", vendor: "vendor"}
	if len(list) > 0 {
		root = list[0]
	} else if _, ok := phpConfig(t, root); !ok {
		return schema.Recipe{}, false
	}
	if strings.Count(root.manifest, "/") > 2 || !slices.ContainsFunc(t.Files(),
		func(f string) bool { return path.Ext(f) == ".php" }) {
		return schema.Recipe{}, false
	}
	r := schema.Recipe{
		Toolchain: "php", Report: "phpunit", Image: kit.DistroImage,
		Packages: []string{"ca-certificates", "composer", "git", "php-cli", "php-curl", "php-mbstring", "php-xml", "phpunit",
			"unzip"},
		Env: map[string]string{
			"CI": "1", "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "80", "XDEBUG_MODE": "off",
			"COMPOSER_ALLOW_SUPERUSER": "1", "COMPOSER_NO_INTERACTION": "1", "COMPOSER_PROCESS_TIMEOUT": "1200",
			"COMPOSER_NO_AUDIT": "1",
		},
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain php: %s", root.manifest)
	r.Runtime = distroPHP
	because("runtime %s: %s", r.Runtime, phpWanted(t, root))
	for _, p := range phpExtensions(t, list) {
		if !slices.Contains(r.Packages, p.name) {
			r.Packages = append(r.Packages, p.name)
			because("package %s: %s", p.name, p.why)
		}
	}
	r.Packages = append(r.Packages, phpBeside(list)...)
	sort.Strings(r.Packages)
	switch {
	case kit.Has(t, path.Join(root.dir, root.vendor, "autoload.php")):
		because("nothing is installed: the tree has %s", path.Join(root.dir, root.vendor, "autoload.php"))
	case kit.Has(t, path.Join(root.dir, "composer.lock")):
		because("composer installs what %s names", path.Join(root.dir, "composer.lock"))
	default:
		because("composer installs the newest that %s admits: there is no lock file", root.manifest)
	}
	because("package phpunit: where composer can fetch nothing, the distribution's PHPUnit and PHP packages stand in: " +
		"add those that the tests need to packages")
	runner, why := phpRunner(root)
	because("runner %s: %s", runner, why)
	return r, true
}

// phpRunner is who runs a package's tests.
func phpRunner(p phpPackage) (runner, why string) {
	if v, ok := p.require["pestphp/pest"]; ok {
		return pestRunner, p.manifest + " asks for pestphp/pest " + v
	}
	if v, ok := p.require["phpunit/phpunit"]; ok {
		return phpunitRunner, p.manifest + " asks for phpunit/phpunit " + v
	}
	return phpunitRunner, "nothing names another"
}

var (
	phpAbstract = regexp.MustCompile(`(?m)^\s*(?:abstract\s+class|trait|interface)\s+\w`)
	phpClass    = regexp.MustCompile(`(?m)^\s*(?:(?:final|readonly)\s+)*class\s+\w+\s+extends\s+\\?[\w\\]+`)
	phpPest     = regexp.MustCompile(`(?m)^\s*(?:test|it|describe|arch|todo)\s*\(`)
	phpInTests  = regexp.MustCompile(`(^|/)([Tt]ests?|spec)(/|$)`)
	phpSuffix   = regexp.MustCompile(`suffix="([\w.-]*\.php)"`)
)

// phpTests lists the files that hold tests: those named so, or as the configuration
// says, and those that call Pest's functions.
func phpTests(t kit.Tree, list []phpPackage) []string {
	suffixes := []string{"Test.php"}
	for _, p := range append(slices.Clone(list), phpPackage{dir: "."}) {
		if file, _ := phpConfig(t, p); file != "" {
			for _, m := range phpSuffix.FindAllStringSubmatch(kit.Read(t, file), 20) {
				if m[1] != ".php" && !slices.Contains(suffixes, m[1]) {
					suffixes = append(suffixes, m[1])
				}
			}
		}
	}
	pest := slices.ContainsFunc(list, func(p phpPackage) bool { r, _ := phpRunner(p); return r == pestRunner })
	var tests []string
	for _, name := range t.Files() {
		if path.Ext(name) != ".php" || phpNotOurs.MatchString(path.Dir(name)+"/") {
			continue
		}
		named := slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
		if !named && !(pest && phpInTests.MatchString(path.Dir(name))) {
			continue
		}
		text := kit.Read(t, name)
		switch {
		case pest && phpPest.MatchString(text):
			tests = append(tests, name)
		case named && (phpClass.MatchString(text) || !phpAbstract.MatchString(text)):
			tests = append(tests, name)
		}
	}
	return tests
}

// phpPackageOf is the package whose tests a file belongs to: the nearest that
// configures a runner or asks for one, unless one above replaces it, as the root of a
// repository of many packages does.
func phpPackageOf(t kit.Tree, list []phpPackage, file string) phpPackage {
	best := phpPackage{dir: ".", vendor: "vendor"}
	if len(list) > 0 && list[0].dir == "." {
		best = list[0]
		if file, _ := phpConfig(t, best); best.replaces && file != "" {
			return best
		}
	}
	for _, p := range list { // the deepest is last
		if p.dir == "." || !strings.HasPrefix(file, p.dir+"/") {
			continue
		}
		_, unit := p.require["phpunit/phpunit"]
		_, pest := p.require["pestphp/pest"]
		config, _ := phpConfig(t, p)
		if unit || pest || config != "" || best.manifest == "" {
			best = p
		}
	}
	return best
}

// Select runs the hidden test files, each in the package and by the runner it belongs
// to; a fixture or a base class the tests of the nearest folder, unless one of them is
// selected already.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	list := phpPackages(t)
	s, err := kit.PickFiles(t, r, phpTests(t, list), hidden, "no test file stands beside it")
	if err != nil {
		return s, err
	}
	byDir := map[string]int{}
	for _, file := range s.Files {
		p := phpPackageOf(t, list, file)
		i, ok := byDir[p.dir]
		if !ok {
			runner, _ := phpRunner(p)
			i = len(s.Units)
			byDir[p.dir] = i
			s.Units = append(s.Units, kit.Unit{Dir: p.dir, Runner: runner})
		}
		s.Units[i].Files = append(s.Units[i].Files, file)
	}
	s.Files = nil
	sort.Slice(s.Units, func(i, k int) bool { return s.Units[i].Dir < s.Units[k].Dir })
	return s, nil
}
