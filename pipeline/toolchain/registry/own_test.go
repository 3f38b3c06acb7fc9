package registry

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// A recipe's own command runs in every toolchain, with what is selected in
// $WIDESWE_TESTS, and its report is read in the format that the recipe names.
func TestEveryToolchainRunsARecipesOwnCommand(t *testing.T) {
	tree := kit.Map{"go.mod": "module example.org/m\n\ngo 1.24\n", "pyproject.toml": "[project]\nname = \"m\"\n",
		"m.py": "", "Cargo.toml": "[package]\nname = \"m\"\nversion = \"1.0.0\"\n",
		"src/lib.rs": "", "package.json": `{"name": "m", "scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}}`,
		"pom.xml":       "<project><groupId>g</groupId><artifactId>m</artifactId><version>1</version></project>",
		"composer.json": `{"require-dev": {"phpunit/phpunit": "^11"}}`, "Gemfile": "gem 'rspec'\n",
		"CMakeLists.txt": "project(m C)\n",
		"a.csproj":       "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>", "tests/a.sh": "#!/bin/sh\necho 1..0\n"}
	for _, tc := range All() {
		t.Run(tc.Name(), func(t *testing.T) {
			r, _ := tc.Detect(tree)
			r.Toolchain, r.Test, r.Report = tc.Name(), "run-mine", "tap"
			j := kit.Job{Recipe: r, Repository: "o/m", Tree: tree, Selection: kit.Selection{Files: []string{"b", "a"},
				Units: []kit.Unit{{Dir: ".", Files: []string{"a"}}}}}
			p, err := tc.Plan(j)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(p.Test, "\nrun-mine") || p.Report != "tap" {
				t.Errorf("report %q, test %q", p.Report, p.Test)
			}
			// Go and Rust select packages and programs, not files.
			if name := tc.Name(); name != "go" && name != "rust" && !strings.Contains(p.Test, "export WIDESWE_TESTS='a\nb'\n") {
				t.Errorf("it is not told what is selected: %q", p.Test)
			}
			j.Skip = []string{"a::b"}
			if p, err = tc.Plan(j); err != nil || !p.Whole || !strings.Contains(strings.Join(p.Notes, "\n"),
				"a test command of its own") {
				t.Errorf("single tests are left out by nobody, and nothing says so: %v %q", err, p.Notes)
			}
		})
	}
}
