package ruby

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests gems and applications: bundler installs, rspec, minitest
// and test-unit test.
type Toolchain struct{}

var (
	//go:embed gemfile.rb
	rubyGemfile string
	//go:embed rspec.rb
	rubyRSpec string
	//go:embed minitest.rb
	rubyMinitest string
	//go:embed quiet.rb
	rubyQuiet string
)

// The runners, a unit's runner.
const (
	rspecRunner    = "rspec"
	minitestRunner = "minitest"
	testUnitRunner = "test-unit"
)

// Name is the recipe's word.
func (Toolchain) Name() string { return "ruby" }

// rubyPackage is a folder with a Gemfile or a gemspec.
type rubyPackage struct {
	dir      string
	manifest string
	gems     []string // the names that its gemspecs give
	text     string   // its manifests, for who depends on whom
	lock     string
	requires string // required_ruby_version
	ruby     string // the Gemfile's
}

var (
	rubyNotOurs = regexp.MustCompile(`(^|/)(vendor|node_modules|_*fixtures?_*|templates?|examples?|gemfiles|dummy|` +
		`\.[\w-]+)/`)
	rubyGemName  = regexp.MustCompile(`(?m)\.name\s*=\s*["']([\w.-]+)["']`)
	rubyRequired = regexp.MustCompile(`(?m)required_ruby_version\s*=?\s*(?:Gem::Requirement\.new\()?\s*\[?((?:\s*["'][^"'\n]+["'],?)+)`)
	rubyEval     = regexp.MustCompile(`(?m)^\s*eval_gemfile[\s(]+["']([\w./-]+)["']`)
	rubyGemfileV = regexp.MustCompile(`(?m)^\s*ruby\s*\(?((?:\s*["'][^"'\n]+["'],?)+)`)
)

// rubyPackages lists the packages of a tree, the root first.
func rubyPackages(t kit.Tree) (list []rubyPackage) {
	found := map[string]*rubyPackage{}
	for _, name := range t.Files() {
		base, dir := path.Base(name), path.Dir(name)
		spec := path.Ext(base) == ".gemspec"
		if base != "Gemfile" && base != "gems.rb" && !spec || rubyNotOurs.MatchString(dir+"/") {
			continue
		}
		p := found[dir]
		if p == nil {
			p = &rubyPackage{dir: dir, manifest: name}
			found[dir] = p
		}
		text := kit.Read(t, name)
		p.text += text + "\n"
		if spec {
			gem := strings.TrimSuffix(base, ".gemspec")
			if m := rubyGemName.FindStringSubmatch(text); m != nil {
				gem = m[1]
			}
			p.gems = append(p.gems, gem)
			p.requires += rubyWords(rubyRequired.FindStringSubmatch(text))
		} else {
			p.manifest = name
			p.ruby = rubyWords(rubyGemfileV.FindStringSubmatch(text))
			for _, m := range rubyEval.FindAllStringSubmatch(text, 10) {
				p.text += kit.Read(t, path.Join(dir, m[1])) + "\n"
			}
		}
	}
	for _, p := range found {
		for _, lock := range []string{"Gemfile.lock", "gems.locked"} {
			if kit.Has(t, path.Join(p.dir, lock)) {
				p.lock = path.Join(p.dir, lock)
			}
		}
		list = append(list, *p)
	}
	sort.Slice(list, func(i, k int) bool {
		a, b := strings.Count(list[i].manifest, "/"), strings.Count(list[k].manifest, "/")
		return a < b || a == b && list[i].dir < list[k].dir
	})
	return list
}

// rubyWords joins the quoted words of a match by commas.
func rubyWords(m []string) string {
	if m == nil {
		return ""
	}
	return strings.Join(kit.QuotedStrings(m[1]), ", ")
}

// Detect recognises a Gemfile or a gemspec, at the root or at most two folders below.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	list := rubyPackages(t)
	if len(list) == 0 || strings.Count(list[0].manifest, "/") > 2 || !slices.ContainsFunc(t.Files(),
		func(f string) bool { return path.Ext(f) == ".rb" }) {
		return schema.Recipe{}, false
	}
	root := list[0]
	r := schema.Recipe{
		Toolchain: "ruby", Report: "ruby", Image: kit.DistroImage,
		Packages: []string{"build-essential", "ca-certificates", "git", "libffi-dev", "libssl-dev", "libyaml-dev",
			"pkg-config", "zlib1g-dev"},
		Env: map[string]string{
			"CI": "true", "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "80", "RACK_ENV": "test", "RAILS_ENV": "test",
			"PARALLEL_WORKERS": "1", "MT_CPU": "1", "BUNDLE_SILENCE_ROOT_WARNING": "true", "BUNDLE_IGNORE_MESSAGES": "true",
			"BUNDLE_IGNORE_FUNDING_REQUESTS": "true",
			"DISABLE_SPRING":                 "1", "BOOTSNAP_CACHE_DIR": "/tmp/bootsnap",
		},
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain ruby: %s", root.manifest)
	version, from := rubyVersion(t, root)
	r.Runtime = version
	because("runtime %s: %s", version, from)
	if version == distroRuby {
		r.Packages = append(r.Packages, "bundler", "ruby", "ruby-dev")
	} else {
		r.Image = "ruby:" + version
		because("image %s: the distribution's Ruby is %s", r.Image, distroRuby)
	}
	for _, runner := range rubyRunners(t, list) {
		if version == distroRuby {
			r.Packages = append(r.Packages, "ruby-"+runner)
		}
		because("runner %s: %s", runner, rubyWhy(t, list, runner))
	}
	for _, p := range rubyNative(list, t) {
		if !slices.Contains(r.Packages, p.name) {
			r.Packages = append(r.Packages, p.name)
			because("package %s: %s", p.name, p.why)
		}
	}
	if version == distroRuby {
		r.Packages = append(r.Packages, rubyBeside(list)...)
	}
	sort.Strings(r.Packages)
	if root.lock != "" {
		because("bundler installs what %s names", root.lock)
	} else {
		because("bundler installs the newest that %s admits: there is no lock file", root.manifest)
	}
	if version == distroRuby {
		because("packages ruby-*: where bundler can fetch nothing, the distribution's gems stand in, in its versions (add " +
			"those that the tests need to packages)")
	}
	return r, true
}

var (
	rubySpecFile = regexp.MustCompile(`_spec\.rb$`)
	rubyTestFile = regexp.MustCompile(`(^|/)(test|tests)/(.*/)?(test_[^/]*|[^/]*_test|[^/]*_tests|tc_[^/]*|` +
		`spec_[^/]*)\.rb$`)
	rubyMini    = regexp.MustCompile(`\bMinitest\b|\bMiniTest\b|minitest/|\bActiveSupport::TestCase\b`)
	rubyUnit    = regexp.MustCompile(`\bTest::Unit\b|["']test/unit|["']test-unit["']`)
	rubyHelpers = []string{"test/test_helper.rb", "test/helper.rb", "test/lib/helper.rb", "tests/helper.rb",
		"spec/spec_helper.rb", "test/minitest_helper.rb", "spec/minitest_helper.rb", "Rakefile"}
	rubyTestWords = regexp.MustCompile(`(?m)^\s*(?:class\s+\S+\s*<|(?:RSpec\.)?(?:x?describe|shared_examples|feature|` +
		`context)\b|def\s+test_|test\s+["'])`)
)

// rubyTests lists the files that hold tests, by their names; a helper that is named
// so holds none.
func rubyTests(t kit.Tree) []string {
	var tests []string
	for _, name := range t.Files() {
		if rubyNotOurs.MatchString(path.Dir(name) + "/") {
			continue
		}
		if base := path.Base(name); base == "test_helper.rb" || base == "spec_helper.rb" || base == "test_case.rb" {
			continue
		}
		if (rubySpecFile.MatchString(name) || rubyTestFile.MatchString(name)) && rubyTestWords.MatchString(kit.Read(t,
			name)) {
			tests = append(tests, name)
		}
	}
	return tests
}

// rubyRunner is who runs a test file: rspec a spec, unless minitest's words stand in
// it, the library that the file, the helpers or the manifests name any other.
func rubyRunner(t kit.Tree, p rubyPackage, file string) string {
	text := kit.Read(t, file)
	manifests := p.text + kit.Read(t, p.lock)
	spec := rubySpecFile.MatchString(file)
	if spec && !rubyMini.MatchString(text) && (mentionsGem(manifests, "rspec") || kit.Has(t, path.Join(p.dir, ".rspec")) ||
		strings.Contains(text, "RSpec")) {
		return rspecRunner
	}
	texts := []string{text}
	for _, h := range rubyHelpers {
		texts = append(texts, kit.Read(t, path.Join(p.dir, h)))
	}
	for _, s := range append(texts, manifests) {
		unit, mini := rubyUnit.MatchString(s), rubyMini.MatchString(s) || mentionsGem(s, "minitest")
		switch {
		case mini:
			return minitestRunner
		case unit || mentionsGem(s, "test-unit"):
			return testUnitRunner
		}
	}
	if spec {
		return rspecRunner
	}
	return minitestRunner
}

// mentionsGem says that a manifest or a lock file names a gem, or one of its parts.
func mentionsGem(text, gem string) bool {
	re, err := regexp.Compile(`(?m)["']` + regexp.QuoteMeta(gem) + `(?:-\w+)?["']|^\s+` + regexp.QuoteMeta(gem) +
		`(?:-\w+)? \(`)
	return err == nil && re.MatchString(text)
}

// rubyRunners lists the runners of a tree's test files.
func rubyRunners(t kit.Tree, list []rubyPackage) (runners []string) {
	for _, file := range rubyTests(t) {
		if r := rubyRunner(t, rubyPackageOf(list, file), file); !slices.Contains(runners, r) {
			runners = append(runners, r)
		}
		if len(runners) == 3 {
			break
		}
	}
	sort.Strings(runners)
	return runners
}

func rubyWhy(t kit.Tree, list []rubyPackage, runner string) string {
	for _, file := range rubyTests(t) {
		if rubyRunner(t, rubyPackageOf(list, file), file) == runner {
			return file + " and the like"
		}
	}
	return ""
}

// rubyPackageOf is the package that a file lies in: the nearest above it with a
// Gemfile, or with a gemspec where none above has one.
func rubyPackageOf(list []rubyPackage, file string) rubyPackage {
	best := rubyPackage{dir: "."}
	for _, p := range list { // the deepest is last
		if p.dir != "." && !strings.HasPrefix(file, p.dir+"/") {
			continue
		}
		if path.Ext(p.manifest) != ".gemspec" || best.manifest == "" || len(p.gems) > 0 {
			best = p
		}
	}
	return best
}

// Select runs the hidden test files, each in the package and by the runner it belongs
// to; a fixture or a helper the tests of the nearest folder, unless one of them is
// selected already.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	s, err := kit.PickFiles(t, r, rubyTests(t), hidden, "no test file stands beside it")
	if err != nil {
		return s, err
	}
	list := rubyPackages(t)
	units := map[[2]string]int{}
	for _, file := range s.Files {
		p := rubyPackageOf(list, file)
		key := [2]string{p.dir, rubyRunner(t, p, file)}
		i, ok := units[key]
		if !ok {
			i = len(s.Units)
			units[key] = i
			s.Units = append(s.Units, kit.Unit{Dir: key[0], Runner: key[1]})
		}
		s.Units[i].Files = append(s.Units[i].Files, file)
	}
	s.Files = nil
	sort.SliceStable(s.Units, func(i, k int) bool {
		return s.Units[i].Dir+"\x00"+s.Units[i].Runner < s.Units[k].Dir+"\x00"+s.Units[k].Runner
	})
	return s, nil
}
