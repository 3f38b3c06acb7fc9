package ruby

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// TestRubyRun installs a gem without a network, with a sibling that was never
// published, and runs its tests by the distribution's rspec, minitest and test-unit.
func TestRubyRun(t *testing.T) {
	testscope.Programs(t, "ruby", "bundle", "rspec")
	app := kit.Map{
		"Gemfile": "source \"http://127.0.0.1:9\"\nruby \"2.9.9\"\ngemspec\ngem \"nobody-has-this\", " +
			"\"1.0\"\ngem \"simplecov\"\ngroup(:test) { gem \"minitest\", \"~> 99\"; gem \"test-unit\" }\n",
		"Gemfile.lock": "GEM\n  remote: http://127.0.0.1:9/\n  specs:\n    minitest (99.0)\n\nPLATFORMS\n  " +
			"ruby\n\nDEPENDENCIES\n  minitest (~> 99)\n\nBUNDLED WITH\n   1.0.0\n",
		"app.gemspec": "Gem::Specification.new do |s|\n  s.name = \"app\"\n  s.version = \"1.0\"\n  s.summary = " +
			"\"x\"\n  s.authors = [\"x\"]\n  s.files = []\n  s.add_dependency \"lib\", \"~> 9\"\n  " +
			"s.add_development_dependency \"rspec\", \"~> 99\"\nend\n",
		"lib/app.rb":       "require \"lib\"\nmodule App; def self.name = Lib.name; end\n",
		".rspec":           "--require spec_helper\n--format documentation\n--out own.txt\n--fail-fast\n--color\n",
		"lib/simplecov.rb": "module SimpleCov; def self.start(*) = at_exit { exit 2 }; end\n",
		"spec/spec_helper.rb": "require \"simplecov\"\nSimpleCov.start\nrequire \"bundler/setup\"\nrequire " +
			"\"app\"\nRSpec.configure { |c| c.order = :random }\n",
		"spec/app_spec.rb": `RSpec.describe App do
  it("has a sibling") { expect(App.name).to eq "lib" }
  it("fails") { expect(1).to eq 2 }
  it("knows no report") { expect(ENV["WIDESWE_OUT"]).to be_nil; expect(ENV["WIDESWE_SKIP"]).to be_nil }
  it { expect(1).to eq 1 }
  it("says #{Object.new}") { }
end
`,
		"spec/dies_spec.rb":   "RSpec.describe(\"Dies\") { it(\"one\") {}; it(\"dies\") { exit!(0) }; it(\"two\") {} }\n",
		"spec/broken_spec.rb": "RSpec.describe(Nothing) { it(\"a\") {} }\n",
		"test/mini_test.rb": `require "minitest/autorun"
require "app"
class MiniTest1 < Minitest::Test
  def test_sibling; assert_equal "lib", App.name; end
  def test_fails; flunk; end
  def test_dies; Process.kill(:KILL, Process.pid); sleep 5; end
end
`,
		"test/unit_test.rb": "require \"simplecov\"\nSimpleCov.start\nrequire \"test/unit\"\nclass UnitTest < " +
			"Test::Unit::TestCase\n  def test_a; assert true; end\n  def test_b; omit \"no\"; end\nend\n",
	}
	lib := kit.Map{"lib.gemspec": "Gem::Specification.new do |s|\n  s.name = \"lib\"\n  s.version = \"0.1\"\n  " +
		"s.summary = \"x\"\n  s.authors = [\"x\"]\nend\n", "lib/lib.rb": "module Lib; def self.name = \"lib\"; end\n"}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": app, "acme/lib": lib})
	r, _ := Toolchain{}.Detect(app)
	sel, err := Toolchain{}.Select(app, r, []string{"spec/app_spec.rb", "spec/broken_spec.rb", "spec/dies_spec.rb",
		"test/mini_test.rb", "test/unit_test.rb"})
	if err != nil {
		t.Fatal(err)
	}
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: app, Selection: sel,
		Siblings: []kit.Sibling{{Repository: "acme/lib", Tree: lib}}}
	cache := "WIDESWE_CACHE=" + t.TempDir()
	if said := w.Setup(t, j, kittest.Plan(t, Toolchain{}, j), cache); !strings.Contains(said, "has stand in") {
		t.Errorf("setup: %s", said)
	}
	first, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	always := map[string]schema.TestOutcome{
		"spec/app_spec.rb::App has a sibling": schema.Pass, "spec/app_spec.rb::App fails": schema.Fail,
		"spec/app_spec.rb::App knows no report":     schema.Pass,
		"spec/app_spec.rb::App is expected to eq 1": schema.Pass, "spec/app_spec.rb::App says #<Object:0xADDR>": schema.Pass,
		"test/unit_test.rb::UnitTest#test_a": schema.Pass, "test/unit_test.rb::UnitTest#test_b": schema.Skip,
	}
	got := kittest.Outcomes(first)
	for id, want := range always {
		if got[id] != want {
			t.Errorf("%s: %s, want %s", id, got[id], want)
		}
	}
	if len(first.Crashed) != 2 {
		t.Fatalf("problems: %+v", first.Problems)
	}
	dies := []string{"spec/dies_spec.rb::Dies dies", "test/mini_test.rb::MiniTest1#test_dies"}
	if diff := cmp.Diff(dies, first.Crashed); diff != "" || exit == 0 {
		t.Errorf("exit %d, crashed: -want +got\n%s", exit, diff)
	}
	w.Same(t, "acme/app", app)
	w.Same(t, "acme/lib", lib)
	j.Skip = append(first.Crashed, "spec/app_spec.rb::App fails", "spec/app_spec.rb::App says #<Object:0xADDR>")
	j.Shuffle = 7
	again, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	want := map[string]schema.TestOutcome{"spec/dies_spec.rb::Dies one": schema.Pass,
		"spec/dies_spec.rb::Dies two": schema.Pass, "test/mini_test.rb::MiniTest1#test_sibling": schema.Pass,
		"test/mini_test.rb::MiniTest1#test_fails": schema.Fail}
	for id, o := range always {
		want[id] = o
	}
	delete(want, j.Skip[2])
	delete(want, j.Skip[3])
	if diff := cmp.Diff(want, kittest.Outcomes(again)); diff != "" {
		t.Errorf("without the crashed tests: -want +got\n%s", diff)
	}
	j.Skip, j.Only = nil, []string{"spec/app_spec.rb::App has a sibling", "test/mini_test.rb::MiniTest1#test_sibling"}
	only, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	if diff := cmp.Diff(map[string]schema.TestOutcome{j.Only[0]: schema.Pass, j.Only[1]: schema.Pass},
		kittest.Outcomes(only)); diff != "" {
		t.Errorf("only: -want +got\n%s", diff)
	}
}
