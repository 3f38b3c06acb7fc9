package toolchain

import (
	"regexp"
	"slices"
	"strings"
)

// Guard knows ctest's files, and the commands of CMake, Meson and autotools that say
// which tests there are and what they are built and run with. Sources are none of it;
// make's files are known to every toolchain.
func (Cpp) Guard(c Change) Guard {
	switch base := c.name(); {
	case slices.Contains([]string{"ctesttestfile.cmake", "ctestcustom.cmake", "ctestcustom.ctest", "ctestconfig.cmake", "dartconfiguration.tcl"}, base):
		return whole
	case base == "cmakelists.txt", strings.HasSuffix(base, ".cmake"):
		return Guard{Touched: callsTouched(c, cmakeTests, cmakeDeclares)}
	case base == "meson.build":
		return Guard{Touched: callsTouched(c, mesonTests, mesonDeclares)}
	case base == "configure.ac":
		return Guard{Touched: !equal(matching(c.Before, autoconfTests), matching(c.After, autoconfTests))}
	}
	return Guard{}
}

var (
	cmakeTests = regexp.MustCompile(`(?i)\b(add_test|set_tests_properties|set_property|gtest_discover_tests|gtest_add_tests|catch_discover_tests|doctest_discover_tests|enable_testing|add_compile_definitions|add_definitions|add_compile_options|add_link_options|target_compile_definitions|execute_process|add_custom_command|add_custom_target|file|set|find_program)\s*\(`)
	// cmakeDeclares are commands that only add tests: what was there stays.
	cmakeDeclares = regexp.MustCompile(`(?i)^(add_test|gtest_discover_tests|gtest_add_tests|catch_discover_tests|doctest_discover_tests|enable_testing)\b`)
	// cmakeHarmless are uses of commands of many uses that decide nothing here.
	cmakeHarmless = regexp.MustCompile(`(?i)^(set\s*\(\s*(?:[^\s)]*(sources?|headers?|srcs|files|version|libs?|libraries|includes?|dirs?)\b|[a-z_]*\s*\)))|^set_property\s*\(\s*(TARGET|GLOBAL|DIRECTORY|CACHE)|^file\s*\(\s*(GLOB|GLOB_RECURSE|RELATIVE_PATH|TO_CMAKE_PATH|READ)\b`)
	mesonTests    = regexp.MustCompile(`\b(test|benchmark|add_test_setup|add_project_arguments|add_global_arguments|run_command|custom_target|run_target|add_project_link_arguments)\s*\(`)
	mesonDeclares = regexp.MustCompile(`^(test|benchmark)\b`)
	autoconfTests = regexp.MustCompile(`(?i)\btest|check_?(PROGRAMS|local)|AC_CONFIG_COMMANDS|CFLAGS|CPPFLAGS|\bCC=|NDEBUG`)
)

// callsTouched compares the calls of a build file that decide tests, in their order:
// all that were there must still be, as they were, and what is new only adds tests.
func callsTouched(c Change, tests, declares *regexp.Regexp) bool {
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

// buildCalls are the calls that a pattern finds the beginning of, with their arguments.
func buildCalls(text []byte, begin *regexp.Regexp) (list []string) {
	plain := buildComment.ReplaceAllString(string(text), "")
	for _, at := range begin.FindAllStringIndex(plain, -1) {
		depth, end := 0, len(plain)
		for i := at[1] - 1; i < len(plain); i++ {
			if plain[i] == '(' {
				depth++
			} else if plain[i] == ')' {
				if depth--; depth == 0 {
					end = i + 1
					break
				}
			}
		}
		if call := spaces.ReplaceAllString(plain[at[0]:end], " "); !cmakeHarmless.MatchString(call) {
			list = append(list, call)
		}
	}
	return list
}

var buildComment = regexp.MustCompile(`(?m)#.*$`)
