package cpp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

const cmakeBefore = `cmake_minimum_required(VERSION 3.13)
project(sum C)
enable_testing()
set(SUM_SRC sum.c)
add_library(sum ${SUM_SRC})
find_package(GTest)
foreach(name zero add)
  if(EXISTS ${CMAKE_SOURCE_DIR}/tests/${name}.c)
    add_executable(test_${name} tests/${name}.c ${SUM_SRC})
    target_link_libraries(test_${name} sum GTest::gtest gtest)
    add_test(NAME ${name} COMMAND test_${name})
  endif()
endforeach()
`

// TestCMakeProduction: what concerns nothing but production stays as it is.
func TestCMakeProduction(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"a comment":            replaced("enable_testing()", "# tests\nenable_testing( )"),
		"a version, languages": replaced("project(sum C)", "project(sum VERSION 1.1 LANGUAGES C)"),
		"a source":             replaced("add_library(sum ${SUM_SRC})", "add_library(sum ${SUM_SRC} plus.c)"),
		"a source in the list": replaced("set(SUM_SRC sum.c)", "set(SUM_SRC sum.c plus.c)"),
		"a standard":           more("set(CMAKE_C_STANDARD 11)"),
		"options of its own": more("target_compile_options(sum PRIVATE -Wall)\ntarget_compile_definitions(sum PRIVATE " +
			"A=1)"),
		"a folder of headers": more("target_include_directories(sum PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)"),
		"an install rule":     more("install(TARGETS sum)"),
		"a block": more("option(SUM_X \"x\" OFF)\nif(SUM_X)\n  target_sources(sum PRIVATE x.c)\nelse()\n  " +
			"message(STATUS x)\nendif()"),
		"a program":             more("add_executable(sumtool main.c)\ntarget_link_libraries(sumtool PRIVATE sum m)"),
		"a library of its own":  more("add_library(plus STATIC plus.c)\ntarget_link_libraries(sum PUBLIC plus)"),
		"a library of others":   more("find_package(ZLIB REQUIRED)\ntarget_link_libraries(sum PRIVATE ZLIB::ZLIB)"),
		"a header of the build": more("configure_file(config.h.in ${CMAKE_CURRENT_BINARY_DIR}/config.h @ONLY)"),
		"a folder":              more("add_subdirectory(src/plus)\ninclude(GNUInstallDirs)\ninclude(cmake/own.cmake)"),
		"a function":            more("function(sum_say)\n  message(STATUS hello)\nendfunction()\nsum_say()"),
		"warnings everywhere":   more("add_compile_options(-Wall -Wextra)"),
	} {
		after := change(cmakeBefore)
		if g := guardCMake(kit.Change{Path: "CMakeLists.txt", Before: []byte(cmakeBefore),
			After: []byte(after)}); g.Touched || after == cmakeBefore {
			t.Errorf("%s: goes back\n%s", name, g.Restored)
		}
	}
}

// TestCMakeTests: what concerns tests, or can't be told, goes back, and nothing else.
func TestCMakeTests(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"another command": replaced("COMMAND test_${name}", "COMMAND true"),
		"a source no longer read": replaced("    add_test(",
			"    set_source_files_properties(tests/${name}.c PROPERTIES HEADER_FILE_ONLY TRUE)\n    add_test("),
		"another source of tests": replaced("    add_test(",
			"    target_sources(test_${name} PRIVATE fine.c)\n    add_test("),
		"no tests":               replaced("enable_testing()\n", ""),
		"a test more":            more("add_executable(test_more tests/more.c)\nadd_test(NAME more COMMAND test_more)"),
		"by a variable":          replaced("set(SUM_SRC sum.c)", "set(SUM_SRC tests/fine.c)"),
		"other names":            replaced("foreach(name zero add)", "foreach(name zero)"),
		"a name of the tests'":   more("add_library(gtest fine.c)"),
		"an alias":               more("add_library(GTest::gtest ALIAS sum)"),
		"handed on: definitions": more("target_compile_definitions(sum PUBLIC main=x)"),
		"handed on: sources":     more("target_sources(sum INTERFACE fine.c)"),
		"handed on: mixed":       more("target_compile_options(sum PRIVATE -Wall INTERFACE -w)"),
		"handed on: flags":       more("target_link_libraries(sum PRIVATE -Wl,--wrap=main)"),
		"headers first":          more("target_include_directories(sum SYSTEM BEFORE PUBLIC x)"),
		"headers of elsewhere":   more("target_include_directories(sum PUBLIC ../x)"),
		"a file written":         more("configure_file(fine.c ${CMAKE_SOURCE_DIR}/tests/add.c COPYONLY)"),
		"a file of ctest":        more("configure_file(fine ${CMAKE_BINARY_DIR}/CTestTestfile.cmake)"),
		"a program that runs":    more("execute_process(COMMAND sh x)"),
		"a command's name":       more("function(add_test)\nendfunction()"),
		"asserts off":            more("set(CMAKE_BUILD_TYPE Release)"),
		"modules of its own":     more("list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/x)"),
		"another package":        more("set(GTest_DIR ${CMAKE_SOURCE_DIR}/x)"),
		"a package of the tree":  more("find_package(GTest PATHS ${CMAKE_SOURCE_DIR})"),
		"a block with tests":     more("if(TRUE)\n  target_link_options(test_add PRIVATE -x)\nendif()"),
		"code":                   more("cmake_language(EVAL CODE [[x]])"),
		"unreadable":             more("add_library(sum"),
	} {
		after := change(cmakeBefore) + "target_sources(sum PRIVATE plus.c)\n"
		if name == "unreadable" {
			after = change(cmakeBefore)
		}
		g := guardCMake(kit.Change{Path: "CMakeLists.txt", Before: []byte(cmakeBefore), After: []byte(after)})
		if !g.Touched {
			t.Errorf("%s: stays\n%s", name, after)
			continue
		}
		if g.Restored == nil {
			continue
		}
		if again := guardCMake(kit.Change{Path: "CMakeLists.txt", Before: []byte(cmakeBefore),
			After: g.Restored}); again.Touched {
			t.Errorf("%s: what was restored is not as before\n%s", name, g.Restored)
		}
		if !strings.Contains(string(g.Restored), "target_sources(sum PRIVATE plus.c)") {
			t.Errorf("%s: the new source is lost\n%s", name, g.Restored)
		}
	}
}

// TestCMakeKnowsTheOtherFiles: a library may not take a name that another file's tests
// take from elsewhere.
func TestCMakeKnowsTheOtherFiles(t *testing.T) {
	tree := kit.Map{"tests/CMakeLists.txt": "add_executable(t t.c)\ntarget_link_libraries(t check)\nadd_test(NAME t " +
		"COMMAND t)\n", "CMakeLists.txt": "add_library(sum sum.c)\n"}
	before := []byte(tree["CMakeLists.txt"])
	for text, want := range map[string]bool{"add_library(check x.c)\n": true, "add_library(plus x.c)\n": false} {
		g := guardCMake(kit.Change{Path: "CMakeLists.txt", Before: before, After: append([]byte(text), before...),
			Tree: tree})
		if g.Touched != want {
			t.Errorf("%s: %v", text, g.Touched)
		}
	}
}

func TestParseCMake(t *testing.T) {
	calls, ok := parseCMake("# c\nSet (a \"b;\\\"c\" [[d\n)]] [=[e]]]=] (f OR g)) #[[ x\n)]]\nfoo()\n")
	var got []string
	for _, c := range calls {
		got = append(got, strings.ReplaceAll(c.key(), "\x00", "|"))
	}
	if d := cmp.Diff([]string{"set|a|b;\\\"c|d\n)|e]]|(|f|OR|g|)", "foo|"}, got); d != "" || !ok {
		t.Error(ok, d)
	}
}

func FuzzGuardCMake(f *testing.F) {
	f.Add(cmakeBefore, cmakeBefore+"add_library(x [[y]])")
	f.Fuzz(func(t *testing.T, before, after string) {
		c := kit.Change{Path: "CMakeLists.txt", Before: []byte(before), After: []byte(after)}
		if g := guardCMake(c); g.Restored != nil {
			c.After = g.Restored
			guardCMake(c)
		}
	})
}

func replaced(old, new string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, new, 1) }
}

func more(text string) func(string) string {
	return func(s string) string { return s + text + "\n" }
}
