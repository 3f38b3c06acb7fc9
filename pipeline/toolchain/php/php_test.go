package php

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
)

const phpTestFile = "<?php\nfinal class ATest extends TestCase { }\n"

func TestPhpDetect(t *testing.T) {
	for _, c := range []struct {
		name     string
		tree     kit.Map
		packages []string
		why      []string
	}{
		{"a library", kit.Map{"composer.json": `{"require":{"php":"^7.4 || ` +
			`^8.0","ext-intl":"*","psr/log":"^3"},"require-dev":{"phpunit/phpunit":"^9"}}`, "src/a.php": ""},
			[]string{"composer", "php-cli", "php-intl", "php-psr-log", "phpunit"}, []string{"composer.json says ^7.4 || ^8.0",
				"no lock file", "runner phpunit"}},
		{"a lock file", kit.Map{"composer.json": `{"require":{"php":"~7.4.0"},"suggest":{"ext-bcmath":"","acme/x":""}}`,
			"composer.lock": `{"platform":{"ext-gmp": "*", "ext-pdo_sqlite": "*"}}`, "a.php": ""},
			[]string{"php-bcmath", "php-gmp", "php-sqlite3"}, []string{"the bound is left unheeded",
				"what composer.lock names"}},
		{"Pest, CI", kit.Map{"composer.json": `{"require-dev":{"pestphp/pest":"^3"}}`,
			".github/workflows/t.yml": "php: [8.2, '8.3']\n", "a.php": ""}, nil,
			[]string{"runner pest: composer.json asks for pestphp/pest ^3", "uses 8.2, 8.3"}},
		{"a configuration alone", kit.Map{"phpunit.xml.dist": "<phpunit/>", "tests/ATest.php": phpTestFile}, nil,
			[]string{"nothing names another"}},
		{"installed in the tree", kit.Map{"composer.json": "{}", "vendor/autoload.php": ""}, nil,
			[]string{"the tree has vendor/autoload.php"}},
		{"a folder below", kit.Map{"api/composer.json": "{}", "api/a.php": ""}, nil,
			[]string{"toolchain php: api/composer.json"}},
		{"no JSON", kit.Map{"composer.json": "{", "a.php": ""}, nil, []string{"toolchain php"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := Toolchain{}.Detect(c.tree)
			if !ok {
				t.Fatal("not recognised")
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
	for name, tree := range map[string]kit.Map{"no PHP": {"composer.json": "{}"},
		"somebody else's": {"vendor/x/y/composer.json": "{}", "a.php": ""}, "deep": {"a/b/c/composer.json": "{}",
			"a.php": ""}, "nothing": {"a.php": ""}} {
		if r, ok := (Toolchain{}).Detect(tree); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestPhpAdmits(t *testing.T) {
	for constraint, want := range map[string]bool{
		"^8.1": true, "^7.2": false, "^7.2|^8.0": true, "^7.2 || ^8.0": true, ">=7.4": true, ">=7.4 <8.4": false,
		">=8.1,<8.5": true, "~8.3.0": false, "~8.4.0": true, "~8.1": true,
		"8.*": true, "8.3.*": false, "8.4.*": true, "7.4 - 8.3": false, "7.4 - 8": true, "*": true, ">8.3": true,
		">8.4": false, "<=8.4": true, "<=8": true, "!=8.4.1": true, "~8.1.0 || ~8.2.0 || ~8.3.0": false, "": true,
		">8.4.1": true, "<8.4.3": true,
	} {
		if got := phpAdmits(constraint, 8, 4); got != want {
			t.Errorf("%s: %v", constraint, got)
		}
	}
}

func TestPhpSelect(t *testing.T) {
	tree := kit.Map{
		"composer.json":    `{"require-dev":{"phpunit/phpunit":"*"}}`,
		"phpunit.xml.dist": `<phpunit><testsuite><directory suffix="Spec.php">tests</directory></testsuite></phpunit>`,
		"tests/ATest.php":  phpTestFile, "tests/Unit/BTest.php": phpTestFile,
		"tests/BaseTest.php": "<?php\nabstract class BaseTest extends TestCase {}\n", "tests/Unit/CSpec.php": phpTestFile,
		"tests/Unit/data/x.json": "", "packages/p/composer.json": `{"require-dev":{"pestphp/pest":"*"}}`,
		"packages/p/tests/works.php": "<?php\nit('works', fn () => 1);\n", "packages/p/tests/Pest.php": "<?php\nuses();\n",
		"tests/fixtures/OldTest.php": phpTestFile, "src/Test.php": "<?php\nfinal class Test {}\n", "docs/x.md": "",
	}
	r, _ := Toolchain{}.Detect(tree)
	got, err := Toolchain{}.Select(tree, r, []string{"tests/ATest.php", "tests/Unit/data/x.json",
		"packages/p/tests/works.php", "packages/p/tests/Pest.php", "gone.php"})
	if err != nil {
		t.Fatal(err)
	}
	want := kit.Selection{
		Units: []kit.Unit{{Dir: ".", Runner: "phpunit", Files: []string{"tests/ATest.php", "tests/Unit/BTest.php",
			"tests/Unit/CSpec.php"}},
			{Dir: "packages/p", Runner: "pest", Files: []string{"packages/p/tests/works.php"}}},
		Left: []kit.Left{{Path: "gone.php", Reason: "the tree does not have it"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	got, err = Toolchain{}.Select(tree, r, []string{"tests/BaseTest.php"})
	if err != nil || len(got.Units) != 1 || len(got.Units[0].Files) != 3 {
		t.Errorf("a base class: %+v, %v", got, err)
	}
}

// A repository of many packages is tested from its root, which replaces them.
func TestPhpReplaces(t *testing.T) {
	tree := kit.Map{"composer.json": `{"replace":{"acme/p":"self.version"}}`, "phpunit.xml": "",
		"src/P/composer.json": "{}", "src/P/phpunit.xml.dist": "", "src/P/Tests/ATest.php": phpTestFile}
	if p := phpPackageOf(tree, phpPackages(tree), "src/P/Tests/ATest.php"); p.dir != "." {
		t.Errorf("got %+v", p)
	}
}

func TestPhpWired(t *testing.T) {
	tree := kit.Map{"composer.json": `{"require":{"acme/lib":"^1.0 || ^2.1","acme/locked":"^1"}}`,
		"composer.lock": `{"packages":[{"name": "acme/locked", "version": "v1.2.3"}]}`, "a.php": ""}
	lib := kit.Map{"composer.json": `{"name":"Acme/Lib","require":{"acme/deep":"dev-main"}}`}
	j := kit.Job{Repository: "acme/app", Tree: tree, Siblings: []kit.Sibling{
		{Repository: "acme/deep", Tree: kit.Map{"composer.json": `{"name":"acme/deep"}`}}, {Repository: "acme/lib",
			Tree: lib}, {Repository: "acme/locked", Tree: kit.Map{"lib/composer.json": `{"name":"acme/locked"}`}},
		{Repository: "acme/none", Tree: kit.Map{"composer.json": `{"name":"acme/none"}`}},
		{Repository: "acme/evil", Tree: kit.Map{"composer.json": `{"name":"acme/$(id)"}`}}}}
	got, notes := phpWired(j, phpPackages(tree)[0])
	want := []string{"acme/deep=acme/deep=dev-main", "acme/lib=acme/lib=2.1.0", "acme/locked=acme/locked/lib=v1.2.3"}
	if diff := cmp.Diff(want, got); diff != "" || len(notes) != 3 {
		t.Errorf("%q -want +got\n%s", notes, diff)
	}
}

func TestPhpFilter(t *testing.T) {
	j := kit.Job{Skip: []string{`tests/ATest.php::Own\ATest::testA with data set "a/b"`, "tests/BTest.php::BTest::x"},
		Only: []string{`tests/ATest.php::Own\ATest::testB #2`}}
	if got, want := phpFilter(j, "tests/ATest.php"),
		`/^(?!(?:Own\\ATest::testA with data set "a\/b")$)(?:Own\\ATest::testB)$/`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPhpOwnTest(t *testing.T) {
	tree := kit.Map{"composer.json": "{}", "tests/ATest.php": phpTestFile}
	r, _ := Toolchain{}.Detect(tree)
	r.Test, r.Report = "make test", "junit"
	p := kittest.Plan(t, Toolchain{}, kit.Job{Recipe: r, Repository: "a/b", Tree: tree,
		Selection: kit.Selection{Units: []kit.Unit{{Dir: ".", Files: []string{"tests/ATest.php"}}}}})
	if p.Test != "export WIDESWE_TESTS=tests/ATest.php\nmake test" || p.Report != "junit" {
		t.Errorf("got %q %q", p.Test, p.Report)
	}
	p = kittest.Plan(t, Toolchain{}, kit.Job{Recipe: r, Repository: "a/b", Tree: tree})
	if diff := cmp.Diff([]string{"composer.json"}, p.Manifests); diff != "" || len(p.Setup) != 1 {
		t.Errorf("%q -want +got\n%s", p.Setup, diff)
	}
}
