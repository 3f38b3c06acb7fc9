package filerole

import (
	"regexp"
	"strings"
)

// testFolders hold tests and what supports them.
var testFolders = set("test", "tests", "__tests__", "__test__", "e2e", "e2e-tests", "e2e_tests", "e2etests",
	"testdata", "test-data", "test_data", "testutil", "testutils", "test_util", "test_utils", "test-util", "test-utils",
	"testhelper", "testhelpers", "test_helper", "test_helpers", "test-helper", "test-helpers",
	"testsupport", "test_support", "test-support", "testfixtures", "testlib", "test-lib", "testsuite", "testsuites",
	"testcases",
	"unittest", "unittests", "unit_tests", "unit-tests", "functional-tests", "functional_tests", "functionaltests",
	"integration-test", "integration-tests", "integration_test", "integration_tests", "integrationtest",
	"integrationtests",
	"acceptance-tests", "acceptance_tests", "regression-tests", "regression_tests", "system-tests", "system_tests",
	"smoke-tests", "smoke_tests", "androidtest", "commontest", "jvmtest", "jstest", "nativetest", "inttest", "testint",
	"sharness", "__mocks__", "__snapshots__", "__fixtures__", "conformance-tests", "compat-tests")

// specFolders hold tests only where the file is code: spec/openapi.yaml is not one.
var specFolders = set("spec", "specs")

// testTools are folders of tests unless the product itself is called so:
// packages/playwright/src is source.
var testTools = set("cypress", "playwright")

// sourceSet is a Gradle source set of tests: src/androidTest, src/testDebug.
var sourceSet = regexp.MustCompile(`^(?:test|androidTest|integrationTest|functionalTest)(?:[A-Z]\w*)?$|` +
	`^[a-z]\w*(?:Test|UnitTest)$`)

// dotNetProject is a project folder of tests: Acme.Widgets.Tests.
var dotNetProject = regexp.MustCompile(`[.\-_](?:Tests?|UnitTests|IntegrationTests|Specs)$`)

func testFolder(lower, written string, f file) bool {
	switch {
	case testFolders[lower]:
		return true
	case specFolders[lower]:
		return f.programming || f.has(fixtureFolders)
	case lower == "t":
		return f.ext == ".t" || f.ext == ".pl" || f.ext == ".pm"
	case testTools[lower]:
		return !f.under("packages") && !f.under("src") && !f.under("lib")
	case dotNetProject.MatchString(written):
		return true
	}
	return sourceSet.MatchString(written) && f.under("src")
}

func (f file) under(folder string) bool {
	for _, name := range f.folders {
		if name == folder {
			return true
		}
	}
	return false
}

// fixtureFolders hold data of tests wherever they are.
var fixtureFolders = set("testdata", "test-data", "test_data", "fixtures", "fixture", "__fixtures__", "__snapshots__",
	"cassettes", "testfixtures", "test-fixtures", "test_fixtures", "test-resources", "testresources")

// goldens hold expected output, but only beside tests: the words mean other things, too.
var goldens = set("golden", "goldens", "snapshots", "snapshot", "resources", "data", "expected")

func fixture(f file) bool {
	switch {
	case f.ext == ".snap" || f.ext == ".golden":
		return true
	case f.has(fixtureFolders):
		// Code under testdata is input of tests; a test among it is still a test.
		return !testName(f) || f.has(set("testdata"))
	}
	return f.inTest && f.has(goldens) && !f.programming
}

// names of test files. A word counts only where it stands apart: latest.yml,
// contest.rs and greatest.txt are no tests.
var (
	snakeTest = regexp.MustCompile(`^(?:tests?|unittests?)$|^tests?[-_].|[-_.](?:tests?|unittests?|specs?|e2e|cy|` +
		`e2e-spec|int-test|integration|it)$`)
	plainTest = regexp.MustCompile(`^(?:tests?|unittests?)[-_.]|[-_](?:tests?|unittests?|specs?)$`)
	camelTest = regexp.MustCompile(`[A-Za-z0-9](?:Tests?|TestCase|TestSuite|TestBase|Specs?|ITCase)$|[a-z]IT$|` +
		`^Test[A-Z]\w*$|^(?:Tests?|Specs?)$`)
	suiteTest = regexp.MustCompile(`[a-z0-9]Suite$`)
)

var (
	camelLanguages = set(".java", ".kt", ".kts", ".scala", ".groovy", ".cs", ".fs", ".vb", ".swift", ".php", ".cpp", ".cc",
		".cxx",
		".h", ".hpp", ".mm", ".m", ".ts", ".js", ".tsx", ".jsx", ".as", ".hs", ".elm", ".dart")
	scriptLanguages = set(".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".coffee")
	alwaysTests     = set(".phpt", ".bats", ".feature", ".test-d.ts")
	supportNames    = set("conftest.py", "test_helper.rb", "spec_helper.rb", "rails_helper.rb", "testhelper.go",
		"test_helpers.py",
		"testutil.go", "testutils.go", "test_util.go", "testutil.py", "testutils.py", "testing_util.go", "setuptests.js",
		"setuptests.ts")
)

// testName says whether the name alone makes the file a test.
func testName(f file) bool {
	if alwaysTests[f.ext] || supportNames[f.lower] {
		return true
	}
	if !f.programming {
		return false
	}
	if f.ext == ".go" {
		return strings.HasSuffix(f.lower, "_test.go")
	}
	stem := strings.TrimSuffix(f.base, f.base[len(f.base)-len(f.ext):])
	switch {
	case f.ext == ".t":
		return f.has(set("t", "xt"))
	case scriptLanguages[f.ext] && snakeTest.MatchString(strings.ToLower(stem)):
		return true
	case f.ext == ".erl":
		return strings.HasSuffix(stem, "_SUITE") || strings.HasSuffix(stem, "_tests")
	case f.ext == ".scala" && suiteTest.MatchString(stem):
		return true
	case camelLanguages[f.ext] && camelTest.MatchString(stem):
		return true
	case f.ext == ".py" && (f.stem == "tests" || f.stem == "test"), f.ext == ".rs" && (f.stem == "tests" ||
		f.stem == "test"):
		return true
	}
	return plainTest.MatchString(f.stem) || f.ext == ".sh" && strings.HasSuffix(f.stem, ".test")
}
