package toolchain

import (
	"path"
	"regexp"
	"strings"
)

// standsIn says whether a change puts something in the place of what tests decide
// with: a file that a loader takes before the library, or before the test itself, that
// bears its name. Frameworks' own repositories change such files, too: there both runs
// come to the same.
func standsIn(c Change) bool {
	switch base := c.name(); {
	case strings.HasPrefix(c.Path, "node_modules/"), strings.Contains(c.Path, "/node_modules/"),
		strings.HasSuffix(base, ".pyc"), strings.HasSuffix(base, ".pyo"):
		// Node takes a folder's own before what was installed, Python and pytest what was
		// compiled before its source. Neither is in a tree that people write.
		return true
	case c.Before == nil:
		return newStandIn.MatchString(c.Path) || newHeader.MatchString(base)
	}
	return vendoredFramework.MatchString(c.Path)
}

var (
	// newStandIn are names that a framework has for its own, in a folder that is searched
	// before it: Java's test classes, Ruby's lib and test, PHP's sources.
	newStandIn = regexp.MustCompile(`(^|/)(org/(junit|testng|hamcrest|assertj|mockito)|junit/framework|com/google/common/truth|io/kotest|kotlin/test)/[^/]+(/.*)?\.(java|kt|scala|groovy|class)$` +
		`|(^|/)(lib|test|spec)/(minitest(/(autorun|assertions|test|unit|spec|mock|benchmark|pride))?|rspec(/(core|expectations|mocks|autorun|support|matchers)(/.*)?)?|test/unit(/.*)?)\.rb$` +
		`|(^|/)PHPUnit/(Framework|TextUI|Runner|Util)/.*\.php$|` + frameworkFolder)
	// newHeader are headers that a compiler takes from an include folder of the tree before
	// those of the system.
	newHeader = regexp.MustCompile(`^(assert\.h|cassert|gtest([-_].*)?\.(h|cc)|gmock([-_].*)?\.(h|cc)|(catch|catch_\w+|doctest|acutest|greatest|munit|minunit|cmocka|utest|unity)\.(h|hh|hpp|hxx|c|cc|cpp))$`)
	// frameworkFolder and vendoredFramework are frameworks that repositories keep copies of.
	frameworkFolder   = `(^|/)(vendor|third[-_]?party|3rd[-_]?party|extern(al)?|deps|subprojects|contrib|submodules?|bundle)/(.*/)?(googletest|gtest|gmock|catch2?|doctest|unity|cmocka|check|criterion|cpputest|phpunit|pest|mockery|prophecy|minitest|rspec([-_]\w+)?)([-.]v?[0-9][^/]*)?/`
	vendoredFramework = regexp.MustCompile(frameworkFolder + `|(^|/)(gtest|gmock|catch|catch_amalgamated|doctest|acutest|greatest|munit|minunit|utest|unity)\.(h|hh|hpp|hxx|c|cc|cpp)$`)
)

// compilerAliases knows the settings by which TypeScript's and JavaScript's tools load
// one module for another.
func compilerAliases(base string) bool {
	ok, err := path.Match("[tj]sconfig*.json", base)
	return ok && err == nil
}

// testAlias are the names of modules that tests decide with, where such a file gives
// them a place.
var testAlias = regexp.MustCompile(`"(node:\w+|assert(/[\w*]+)?|chai|expect|should|sinon|vitest|mocha|ava|tape?|jest|uvu(/[\w*]+)?|@jest/[\w*]+|@vitest/[\w*]+|@testing-library/[\w*-]+|power-assert|unexpected|must|\*)"\s*:\s*\[[^\]]*\]`)
