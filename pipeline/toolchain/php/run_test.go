package php

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// TestPhpRun installs a package without a network, with a sibling that was never
// published, by the distribution's composer and PHPUnit.
func TestPhpRun(t *testing.T) {
	testscope.Programs(t, "php", "composer", "phpunit")
	app := kit.Map{
		"composer.json": `{"name":"acme/app","require":{"acme/lib":"^9.9","psr/never":"^1"},"require-dev":{"phpunit/phpunit":"^9"},"autoload":{"psr-4":{"App\\":"src/"},"classmap":["old/"]}}`,
		"src/App.php": "<?php\nnamespace App;\nfinal class App { public static function name(): string { return " +
			"\\Lib\\Lib::name(); } }\n",
		"old/Old.php": "<?php\nclass Old { }\n",
		"phpunit.xml": `<phpunit bootstrap="vendor/autoload.php" stopOnFailure="false" ` +
			`colors="true"><testsuites><testsuite ` +
			`name="x"><directory>tests</directory></testsuite></testsuites><logging><junit ` +
			`outputFile="own.xml"/></logging></phpunit>`,
		"tests/AppTest.php": `<?php
use PHPUnit\Framework\TestCase;
final class AppTest extends TestCase {
    public function testSibling(): void { $this->assertSame('lib', App\App::name()); $this->assertInstanceOf(Old::class, new Old()); }
    public function testOut(): void { $this->assertFalse(getenv('WIDESWE_OUT')); }
    public static function rows(): array { return ['a b' => [1], 'c/d' => [2]]; }
    /** @dataProvider rows */
    #[PHPUnit\Framework\Attributes\DataProvider('rows')]
    public function testRows(int $n): void { $this->assertSame(1, $n); }
}
`,
		"tests/DiesTest.php": `<?php
use PHPUnit\Framework\TestCase;
final class DiesTest extends TestCase {
    public function testOne(): void { $this->assertTrue(true); }
    public function testDies(): void { exit(0); }
    public function testTwo(): void { $this->assertTrue(true); }
}
`,
		"tests/BrokenTest.php": "<?php\nfinal class BrokenTest extends Nothing\\Here { public function testA() {} }\n",
	}
	lib := kit.Map{"composer.json": `{"name":"acme/lib","require":{"other/never":"^1"},"autoload":{"psr-4":{"Lib\\":"src/"}}}`, "src/Lib.php": "<?php\nnamespace Lib;\nfinal class Lib { public static function name(): string { return 'lib'; } }\n"}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": app, "acme/lib": lib})
	r, _ := Toolchain{}.Detect(app)
	sel, err := Toolchain{}.Select(app, r, []string{"tests/AppTest.php", "tests/BrokenTest.php", "tests/DiesTest.php"})
	if err != nil {
		t.Fatal(err)
	}
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: app, Selection: sel,
		Siblings: []kit.Sibling{{Repository: "acme/lib", Tree: lib}}}
	cache := "WIDESWE_CACHE=" + t.TempDir()
	if said := w.Setup(t, j, kittest.Plan(t, Toolchain{}, j), cache, "http_proxy=http://127.0.0.1:9",
		"https_proxy=http://127.0.0.1:9"); !strings.Contains(said, "stands in") {
		t.Errorf("setup: %s", said)
	}
	w.Same(t, "acme/app", app)
	first, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	want := map[string]schema.TestOutcome{
		"tests/AppTest.php::AppTest::testSibling": schema.Pass, "tests/AppTest.php::AppTest::testOut": schema.Pass,
		`tests/AppTest.php::AppTest::testRows with data set "a b"`: schema.Pass,
		`tests/AppTest.php::AppTest::testRows with data set "c/d"`: schema.Fail,
		"tests/DiesTest.php::DiesTest::testDies":                   schema.Error,
	}
	if diff := cmp.Diff(want, kittest.Outcomes(first)); diff != "" || exit == 0 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	if len(first.Problems) != 2 || first.Problems[0].Kind != testreport.CollectionError {
		t.Errorf("problems: %+v", first.Problems)
	}
	w.Same(t, "acme/app", app, "vendor/")
	w.Same(t, "acme/lib", lib)
	j.Skip = append(first.Crashed, `tests/AppTest.php::AppTest::testRows with data set "c/d"`)
	j.Shuffle = 7
	again, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	delete(want, j.Skip[0])
	delete(want, j.Skip[1])
	want["tests/DiesTest.php::DiesTest::testOne"], want["tests/DiesTest.php::DiesTest::testTwo"] = schema.Pass, schema.Pass
	if diff := cmp.Diff(want, kittest.Outcomes(again)); diff != "" {
		t.Errorf("without the crashed test: -want +got\n%s", diff)
	}
	j.Skip, j.Only = nil, []string{`tests/AppTest.php::AppTest::testRows with data set "a b"`}
	only, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	if o := kittest.Outcomes(only); len(o) != 1 || o[j.Only[0]] != schema.Pass {
		t.Errorf("only: %v", o)
	}
}

// TestPhpWiredRun installs by composer's own road, a path repository before the
// others, where nothing has to be fetched.
func TestPhpWiredRun(t *testing.T) {
	testscope.Programs(t, "php", "composer", "phpunit")
	app := kit.Map{
		"composer.json": `{"name":"acme/app","repositories":[{"packagist":false}],"require":{"acme/lib":"^9.9"},"config":{"vendor-dir":"deps"}}`,
		"tests/ATest.php": "<?php\nfinal class ATest extends PHPUnit\\Framework\\TestCase { public function testLib(): " +
			"void { $this->assertSame('lib', Lib\\Lib::name()); } }\n",
		"tests/helper.php": "<?php\n",
	}
	lib := kit.Map{"composer.json": `{"name":"acme/lib","autoload":{"psr-4":{"Lib\\":"src/"}}}`,
		"src/Lib.php": "<?php\nnamespace Lib;\nfinal class Lib { public static function name(): string { return 'lib'; } }\n"}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": app, "acme/lib": lib})
	r, _ := Toolchain{}.Detect(app)
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: app, Selection: kit.Selection{Units: []kit.Unit{{Dir: ".",
		Runner: "phpunit", Files: []string{"tests/ATest.php"}}}}, Siblings: []kit.Sibling{{Repository: "acme/lib",
		Tree: lib}}}
	cache := "WIDESWE_CACHE=" + t.TempDir()
	if said := w.Setup(t, j, kittest.Plan(t, Toolchain{}, j), cache, "http_proxy=http://127.0.0.1:9",
		"https_proxy=http://127.0.0.1:9"); strings.Contains(said, "stands in") {
		t.Errorf("setup: %s", said)
	}
	got, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	if diff := cmp.Diff(map[string]schema.TestOutcome{"tests/ATest.php::ATest::testLib": schema.Pass},
		kittest.Outcomes(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w.Same(t, "acme/app", app, "deps/")
	w.Same(t, "acme/lib", lib)
}
