package cpp

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// cppguard knows ctest's files, and the commands of CMake, Meson and autotools that say
// which tests there are and what they are built and run with, make's files, and copies
// of test libraries. Sources are none of it.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case c.Before == nil && newHeader.MatchString(base), c.Before != nil && frameworkFile.MatchString(c.Path),
		frameworkFolder.MatchString(c.Path):
		return kit.Whole
	case makefile(base):
		return guardMake(c)
	case c.Before == nil && c.Tree != nil && isMakeTarget(c.Tree, c.Path):
		return kit.Whole
	case slices.Contains([]string{"ctesttestfile.cmake", "ctestcustom.cmake", "ctestcustom.ctest", "ctestconfig.cmake",
		"dartconfiguration.tcl"}, base):
		return kit.Whole
	case base == "cmakelists.txt", strings.HasSuffix(base, ".cmake"):
		return guardCMake(c)
	case base == "meson.build":
		return kit.Guard{Touched: callsTouched(c, mesonTests, mesonDeclares) || flagsTouched(c)}
	case base == "configure.ac":
		return kit.Guard{Touched: !slices.Equal(kit.MatchingLines(c.Before, autoconfTests), kit.MatchingLines(c.After,
			autoconfTests))}
	}
	return kit.Guard{}
}

// describesBuild knows the build descriptions of CMake, make, Meson and autotools.
func describesBuild(base string) bool {
	return makefile(base) || base == "cmakelists.txt" || base == "meson.build" || base == "configure.ac" ||
		strings.HasSuffix(base, ".cmake")
}

var (
	// newHeader are headers that a compiler takes from an include folder of the tree before
	// those of the system.
	newHeader = regexp.MustCompile(`^(assert\.h|cassert|gtest([-_].*)?\.(h|cc)|gmock([-_].*)?\.(h|cc)|(catch|catch_\w+|` +
		`doctest|acutest|greatest|munit|minunit|cmocka|utest|unity)\.(h|hh|hpp|hxx|c|cc|cpp))$`)
	// frameworkFolder and frameworkFile are test libraries that repositories keep copies of.
	frameworkFolder = kit.VendoredFolder(`googletest|gtest|gmock|catch2?|doctest|unity|cmocka|check|criterion|cpputest`)
	frameworkFile   = regexp.MustCompile(`(^|/)(gtest|gmock|catch|catch_amalgamated|doctest|acutest|greatest|munit|` +
		`minunit|utest|unity)\.(h|hh|hpp|hxx|c|cc|cpp)$`)
)

var (
	cmakeTests = regexp.MustCompile(`(?i)\b(add_test|set_tests_properties|set_property|set_\w+_properties|` +
		`gtest_discover_tests|gtest_add_tests|catch_discover_tests|doctest_discover_tests|enable_testing|` +
		`add_compile_definitions|add_definitions|add_compile_options|add_link_options|target_compile_definitions|` +
		`target_compile_options|target_link_options|target_precompile_headers|link_options|execute_process|exec_program|` +
		`add_custom_command|add_custom_target|file|set|find_program|configure_file|cmake_language|variable_watch|try_run|` +
		`try_compile|include|ExternalProject_\w+|FetchContent_\w+|write_file)\s*\(|\b(function|macro)\s*\(\s*_*(` + cmakeOwn +
		`)\b`)
	// cmakeOwn are commands that a function of the same name would stand in for.
	cmakeOwn = `add_(test|executable|library|custom_command|custom_target|subdirectory|dependencies|compile_\w+|` +
		`definitions|link_options)|target_\w+|set(_\w+)?|include|project|find_(package|library|program|path|file)|` +
		`enable_testing|(gtest|catch|doctest)_\w+|configure_file|message|option|list|string|install|file|link_libraries|` +
		`include_directories|get_\w+|if|foreach`
	// cmakeDeclares are commands that only add tests: what was there stays.
	cmakeDeclares = regexp.MustCompile(`(?i)^(add_test|gtest_discover_tests|gtest_add_tests|catch_discover_tests|` +
		`doctest_discover_tests|enable_testing)\b`)
	// cmakeHarmless are uses of commands of many uses that decide nothing here.
	cmakeHarmless = regexp.MustCompile(`(?i)^(set\s*\(\s*(?:[^\s)]*(sources?|headers?|srcs|files|version|libs?|` +
		`libraries|includes?|dirs?)\b|[a-z_]*\s*\)))|^set_(target_properties|source_files_properties|` +
		`directory_properties)\b|^include\s*\(\s*"?([A-Za-z0-9_]+|[^)]*\.cmake)"?[A-Z_ ]*\)|^set_property\s*\(\s*(TARGET|` +
		`GLOBAL|DIRECTORY|CACHE)|^file\s*\(\s*(GLOB|GLOB_RECURSE|RELATIVE_PATH|TO_CMAKE_PATH|READ)\b`)
	// cmakeDecides are words by which such uses decide something after all.
	cmakeDecides = regexp.MustCompile(`(?i)\bCMAKE_(\w+_)?(PROJECT\w*|STANDARD_LIBRARIES|\w*LAUNCHER|\w*EMULATOR|` +
		`\w*INCLUDE(_BEFORE)?|USER_MAKE_RULES\w*|TOOLCHAIN_FILE)\b|CROSSCOMPILING|_LAUNCH|(COMPILE|LINK)_(FLAGS|OPTIONS|` +
		`DEFINITIONS)|LINKER_LANGUAGE|RUNTIME_OUTPUT|PRECOMPILE`)
	// buildFlag are options of compilers and linkers that put other code in a program's
	// place, whatever command hands them over.
	buildFlag = regexp.MustCompile(`-Wl,\S+|-Xlinker|-Xclang|-specs=\S+|-fplugin=\S+|-(include|imacros|isystem|` +
		`idirafter|wrapper)\b|--?(wrap|defsym)\b|-[DU]\s*(main|assert|NDEBUG|\w*TEST\w*)\b`)
	mesonTests = regexp.MustCompile(`\b(test|benchmark|add_test_setup|set_variable|subproject|meson\.(add|` +
		`override)_\w+|add_project_arguments|add_global_arguments|run_command|custom_target|run_target|` +
		`add_project_link_arguments)\s*\(`)
	mesonDeclares = regexp.MustCompile(`^(test|benchmark)\b`)
	autoconfTests = regexp.MustCompile(`(?i)\btest|check_?(PROGRAMS|local)|AC_CONFIG_COMMANDS|CFLAGS|CPPFLAGS|` +
		`\b(LDFLAGS|LIBS|CC)=|NDEBUG|e?syscmd|AC_CONFIG_LINKS|m4_include`)
)

// callsTouched compares the calls of a build file that decide tests, in their order:
// all that were there must still be, as they were, and what is new only adds tests.
func callsTouched(c kit.Change, tests, declares *regexp.Regexp) bool {
	before, after := buildCalls(c.Before, tests), buildCalls(c.After, tests)
	left := slices.Clone(after)
	for _, b := range before {
		i := slices.Index(left, b)
		if i < 0 {
			return true
		}
		left = slices.Delete(left, i, i+1)
	}
	return slices.ContainsFunc(left, func(call string) bool { return !declares.MatchString(call) })
}

// flagsTouched says whether flags came that put other code in a program's place, or went.
func flagsTouched(c kit.Change) bool {
	flags := func(text []byte) []string {
		list := buildFlag.FindAllString(buildComment.ReplaceAllString(string(text), ""), -1)
		slices.Sort(list)
		return list
	}
	return !slices.Equal(flags(c.Before), flags(c.After))
}

// buildCalls are the calls that a pattern finds the beginning of, with their arguments.
func buildCalls(text []byte, begin *regexp.Regexp) (list []string) {
	plain := buildComment.ReplaceAllString(string(text), "")
	for _, at := range begin.FindAllStringIndex(plain, -1) {
		depth, end := 0, len(plain)
		for i := at[0] + strings.IndexByte(plain[at[0]:], '('); i < len(plain); i++ {
			if plain[i] == '(' {
				depth++
			} else if plain[i] == ')' {
				if depth--; depth == 0 {
					end = i + 1
					break
				}
			}
		}
		if call := kit.Spaces.ReplaceAllString(plain[at[0]:end], " "); !cmakeHarmless.MatchString(call) ||
			cmakeDecides.MatchString(call) {
			list = append(list, call)
		}
	}
	return list
}

var buildComment = regexp.MustCompile(`(?m)#.*$`)
