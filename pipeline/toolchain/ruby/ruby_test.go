package ruby

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
)

const (
	specFile = "RSpec.describe(\"x\") { it(\"y\") {} }\n"
	miniFile = "class ATest < Minitest::Test\n  def test_a; end\nend\n"
	unitFile = "class UTest < Test::Unit::TestCase\n  def test_a; end\nend\n"
)

func TestRubyDetect(t *testing.T) {
	for _, c := range []struct {
		name, runtime, image string
		tree                 kit.Map
		packages             []string
		why                  []string
	}{
		{"a gem", distroRuby, kit.DistroImage, kit.Map{"Gemfile": "gemspec\n",
			"a.gemspec":      "s.name = \"a\"\ns.required_ruby_version = \">= 2.7\"\ns.add_development_dependency \"rspec\"\n",
			"spec/a_spec.rb": specFile, "lib/a.rb": ""},
			[]string{"bundler", "ruby", "ruby-dev", "ruby-rspec"}, []string{"required_ruby_version >= 2.7",
				"runner rspec: spec/a_spec.rb", "no lock file", "stand in"}},
		{"a lock file, native gems", distroRuby, kit.DistroImage, kit.Map{"Gemfile": "ruby '3.2.2'\ngem 'pg'\n",
			"Gemfile.lock": "GEM\n  specs:\n    nokogiri (1.15)\n    minitest (5.2)\n", "test/a_test.rb": miniFile},
			[]string{"libpq-dev", "libxml2-dev", "ruby-minitest"}, []string{"Gemfile says ruby 3.2.2",
				"what Gemfile.lock names"}},
		{"an old Ruby", "2.7", "ruby:2.7", kit.Map{"Gemfile": "ruby '~> 2.7.1'\n", "a.rb": ""}, nil,
			[]string{"image ruby:2.7"}},
		{"a version file", "2.6", "ruby:2.6", kit.Map{"Gemfile": "", ".ruby-version": "ruby-2.6.10\n", "a.rb": ""}, nil,
			[]string{".ruby-version says 2.6"}},
		{"a newer version file", distroRuby, kit.DistroImage, kit.Map{"Gemfile": "", ".ruby-version": "3.4.1\n", "a.rb": ""},
			nil, nil},
		{"test-unit", distroRuby, kit.DistroImage, kit.Map{"a.gemspec": "s.name='a'\ns.add_development_dependency " +
			"'minitest-global_expectations'", "test/test_a.rb": unitFile}, []string{"ruby-minitest-global-expectations",
			"ruby-test-unit"}, []string{"runner test-unit"}},
		{"a folder below", distroRuby, kit.DistroImage, kit.Map{"ruby/Gemfile": "", "ruby/a.rb": ""}, nil,
			[]string{"toolchain ruby: ruby/Gemfile"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := Toolchain{}.Detect(c.tree)
			if !ok || r.Runtime != c.runtime || r.Image != c.image {
				t.Fatalf("%v %s %s", ok, r.Runtime, r.Image)
			}
			for _, p := range c.packages {
				if !slices.Contains(r.Packages, p) {
					t.Errorf("no package %s in %v", p, r.Packages)
				}
			}
			for _, w := range c.why {
				if !strings.Contains(strings.Join(r.Why, "\n"), w) {
					t.Errorf("no %q in %q", w, r.Why)
				}
			}
		})
	}
	for name, tree := range map[string]kit.Map{"no Ruby": {"Gemfile": ""}, "somebody else's": {"vendor/x/Gemfile": "",
		"a.rb": ""}, "deep": {"a/b/c/Gemfile": "", "a.rb": ""}} {
		if r, ok := (Toolchain{}).Detect(tree); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestRubyAdmits(t *testing.T) {
	for requirement, want := range map[string]bool{
		">= 2.7": true, "~> 3.0": true, "~> 3.3.0": true, "~> 3.2.0": false, "< 3.3": false, "< 3.3.1": true,
		">= 2.5, < 4": true, "3.2.2": false, "3.3.5": true, "> 3.3": false,
		"> 3.3.1": true, "<= 3.2": false, "!= 3.3": false, "!= 3.3.1": true, "~> 2": true, "": true,
	} {
		if got := rubyAdmits(requirement, "3.3"); got != want {
			t.Errorf("%s: %v", requirement, got)
		}
	}
}

func TestRubySelect(t *testing.T) {
	tree := kit.Map{
		"Gemfile": "gemspec\n", "a.gemspec": "s.add_development_dependency 'rspec'\n", "spec/a_spec.rb": specFile,
		"spec/spec_helper.rb": "RSpec.configure {}\n", "spec/support/x.rb": "", "spec/fixtures/y_spec.rb": specFile,
		"test/a_test.rb": miniFile, "test/test_b.rb": unitFile, "test/test_helper.rb": "class Base < Minitest::Test; end\n",
		"spec/mini_spec.rb": "require 'minitest/autorun'\ndescribe('x') { }\n",
		"gems/p/p.gemspec":  "s.name = 'p'\ns.add_development_dependency 'rspec'\n", "gems/p/spec/p_spec.rb": specFile,
		"lib/a_test.rb": miniFile,
	}
	r, _ := Toolchain{}.Detect(tree)
	got, err := Toolchain{}.Select(tree, r, []string{"spec/a_spec.rb", "spec/support/x.rb", "spec/mini_spec.rb",
		"test/a_test.rb", "test/test_b.rb", "gems/p/spec/p_spec.rb", "gone_spec.rb"})
	if err != nil {
		t.Fatal(err)
	}
	want := kit.Selection{
		Units: []kit.Unit{{Dir: ".", Runner: "minitest", Files: []string{"spec/mini_spec.rb", "test/a_test.rb"}},
			{Dir: ".", Runner: "rspec", Files: []string{"spec/a_spec.rb"}},
			{Dir: ".", Runner: "test-unit", Files: []string{"test/test_b.rb"}}, {Dir: "gems/p", Runner: "rspec",
				Files: []string{"gems/p/spec/p_spec.rb"}}},
		Left: []kit.Left{{Path: "gone_spec.rb", Reason: "the tree does not have it"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	got, err = Toolchain{}.Select(tree, r, []string{"spec/spec_helper.rb"})
	if err != nil || len(got.Units) != 2 {
		t.Errorf("a helper: %+v, %v", got, err)
	}
}

func TestRubyWire(t *testing.T) {
	tree := kit.Map{"Gemfile": "gem 'cog', '~> 1'\ngem \"gears-extra\"\n",
		"Gemfile.lock": "GEM\n  specs:\n    axle (1.0)\n      cog\n", "a.rb": ""}
	lib := func(gem, text string) kit.Map { return kit.Map{gem + ".gemspec": "s.name = '" + gem + "'\n" + text} }
	j := kit.Job{Repository: "acme/app", Tree: tree, Siblings: []kit.Sibling{{Repository: "acme/axle", Tree: lib("axle",
		"")}, {Repository: "acme/cog", Tree: lib("cog", "s.add_dependency 'deep'\n")}, {Repository: "acme/deep",
		Tree: kit.Map{"ruby/deep.gemspec": "s.name = 'deep'"}}, {Repository: "acme/gears", Tree: lib("gears", "")}}}
	installs, notes := rubyInstalls(j, rubyPackages(tree))
	if len(installs) != 1 || len(notes) != 3 {
		t.Fatalf("%+v %q", installs, notes)
	}
	if diff := cmp.Diff("axle acme/axle\ncog acme/cog\ndeep acme/deep/ruby\n", installs[0].wired); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRubyOwnTest(t *testing.T) {
	tree := kit.Map{"Gemfile": "", "test/a_test.rb": miniFile}
	r, _ := Toolchain{}.Detect(tree)
	r.Test, r.Report = "rake", "junit"
	p := kittest.Plan(t, Toolchain{}, kit.Job{Recipe: r, Repository: "a/b", Tree: tree,
		Selection: kit.Selection{Units: []kit.Unit{{Dir: ".", Files: []string{"test/a_test.rb"}}}}})
	if !strings.HasSuffix(p.Test, "export WIDESWE_TESTS=test/a_test.rb\nrake") || p.Report != "junit" {
		t.Errorf("got %q %q", p.Test, p.Report)
	}
	if diff := cmp.Diff([]string{"Gemfile"}, p.Manifests); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
