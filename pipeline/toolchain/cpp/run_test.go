package cpp

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

func cppJob(t *testing.T, tree kit.Map, siblings []kit.Sibling, hidden ...string) kit.Job {
	t.Helper()
	r, ok := (Toolchain{}).Detect(tree)
	if !ok {
		t.Fatalf("detected %v", r.Toolchain)
	}
	sel, err := kit.Choose(Toolchain{}, tree, r, hidden)
	if err != nil {
		t.Fatal(err)
	}
	return kit.Job{Recipe: r, Repository: "acme/app", Tree: tree, Selection: sel, Siblings: siblings}
}

func cmakeApp() kit.Map {
	return kit.Map{
		"CMakeLists.txt": `cmake_minimum_required(VERSION 3.19)
project(app CXX C)
option(APP_BUILD_TESTS "build the tests" OFF)
find_package(sibling REQUIRED)
add_library(app STATIC src/app.cpp)
target_include_directories(app PUBLIC src)
target_link_libraries(app PUBLIC sibling::sibling)
if(APP_BUILD_TESTS)
  enable_testing()
  add_subdirectory(tests)
endif()
`,
		"src/app.cpp": "int answer() { return 42; }\n", "src/app.h": "int answer();\n",
		"tests/CMakeLists.txt": `set(CMAKE_CXX_STANDARD 17)
add_compile_options(-Wall -Werror)
foreach(name one two broken)
  add_executable(test_${name} ${name}.cpp)
  target_link_libraries(test_${name} app)
  add_test(NAME ${name} COMMAND test_${name})
endforeach()
add_test(NAME "one again" COMMAND test_one again)
add_test(NAME two-refuses COMMAND test_two 3)
set_tests_properties(two-refuses PROPERTIES SKIP_RETURN_CODE 3)
`,
		"tests/one.cpp": "#include \"app.h\"\n#include <cstdlib>\nstatic int unused() { return 1; }\nint main(int n, " +
			"char **) { return n > 1 ? 1 : answer() != 42 || getenv(\"WIDESWE_OUT\"); }\n",
		"tests/two.cpp": "#include \"sibling.h\"\n#include \"part.inc.cpp\"\n#include <cstdlib>\nint main(int n, char " +
			"**a) { return n > 1 ? atoi(a[1]) : sibling() + part(); }\n",
		"tests/broken.cpp": "int main() { return undefined; }\n",
		// No target has it: another source includes it.
		"tests/part.inc.cpp":  "static int part() { return 0; }\n",
		"tests/unbuilt.cpp":   "int main() {}\n",
		"tests/data/case.txt": "x\n",
	}
}

func cmakeSibling() kit.Map {
	return kit.Map{
		"CMakeLists.txt": `cmake_minimum_required(VERSION 3.14)
project(sibling CXX)
add_library(sibling STATIC s.cpp)
target_include_directories(sibling INTERFACE $<INSTALL_INTERFACE:include>)
install(TARGETS sibling EXPORT e)
install(FILES sibling.h DESTINATION include)
install(EXPORT e FILE siblingConfig.cmake NAMESPACE sibling:: DESTINATION lib/cmake/sibling)
`,
		"s.cpp": "int sibling() { return 0; }\n", "sibling.h": "int sibling();\n",
	}
}

// TestCppRun builds programs against a sibling's tree, one of which does not compile.
func TestCppRun(t *testing.T) {
	testscope.Programs(t, "cmake", "ctest", "c++", "python3")
	app, lib := cmakeApp(), cmakeSibling()
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": app, "acme/lib": lib})
	env := "WIDESWE_CACHE=" + t.TempDir()
	for _, c := range []struct {
		hidden   []string
		want     map[string]schema.TestOutcome
		problems []testreport.Problem
	}{
		{[]string{"tests/one.cpp", "tests/broken.cpp"}, map[string]schema.TestOutcome{"tests/test_one::one": schema.Pass,
			"tests/test_one::one again": schema.Fail},
			[]testreport.Problem{{Unit: "tests/test_broken", Kind: testreport.BuildFailed}}},
		{[]string{"tests/part.inc.cpp"}, map[string]schema.TestOutcome{"tests/test_two::two": schema.Pass,
			"tests/test_two::two-refuses": schema.Skip}, nil},
		{[]string{"tests/data/case.txt", "tests/two.cpp"}, map[string]schema.TestOutcome{"tests/test_two::two": schema.Pass,
			"tests/test_two::two-refuses": schema.Skip}, nil},
		{[]string{"tests/unbuilt.cpp"}, map[string]schema.TestOutcome{}, []testreport.Problem{{Unit: "tests/unbuilt.cpp",
			Kind: testreport.BuildFailed}}},
		{[]string{"tests/data/case.txt"}, map[string]schema.TestOutcome{"tests/test_one::one": schema.Pass,
			"tests/test_one::one again": schema.Fail,
			"tests/test_two::two":       schema.Pass, "tests/test_two::two-refuses": schema.Skip},
			[]testreport.Problem{{Unit: "tests/test_broken", Kind: testreport.BuildFailed}}},
	} {
		j := cppJob(t, app, []kit.Sibling{{Repository: "acme/lib", Tree: lib}}, c.hidden...)
		got, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), env)
		if diff := cmp.Diff(c.want, kittest.Outcomes(got)); diff != "" {
			t.Errorf("%v: -want +got\n%s", c.hidden, diff)
		}
		for i := range got.Problems {
			got.Problems[i].Message = ""
		}
		if diff := cmp.Diff(c.problems, got.Problems); diff != "" {
			t.Errorf("%v: problems: -want +got\n%s", c.hidden, diff)
		}
	}
	j := cppJob(t, app, []kit.Sibling{{Repository: "acme/lib", Tree: lib}}, "tests/one.cpp")
	j.Skip = []string{"tests/test_one::one again"}
	if got, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), env); len(kittest.Outcomes(got)) != 1 {
		t.Errorf("without one: %v", kittest.Outcomes(got))
	}
	if _, err := os.Stat(w.Root + "/acme/app/build"); err == nil {
		t.Error("the build wrote into the tree")
	}
}

const (
	gtestSource = `#include <gtest/gtest.h>
#include <cstdlib>
#include <csignal>
TEST(Suite, passes) {}
TEST(Suite, fails) { EXPECT_EQ(1, 2) << "h\u00e9llo \033[31mred\033[0m"; }
TEST(Suite, skipped) { GTEST_SKIP() << "why"; }
TEST(Suite, DISABLED_off) {}
TEST(Suite, forges) { puts("[       OK ] Suite.fails (0 ms)\n[  PASSED  ] 9 tests."); }
class P : public ::testing::TestWithParam<const char *> {};
TEST_P(P, each) {}
INSTANTIATE_TEST_SUITE_P(In, P, ::testing::Values("a b", "c::d", "\xc3\xa9"));
template <class T> class Typed : public ::testing::Test {};
typedef ::testing::Types<int, char> Ts;
TYPED_TEST_SUITE(Typed, Ts);
TYPED_TEST(Typed, t) {}
TEST(Death, dies) { if (getenv("DIE")) raise(SIGKILL); }
`
	doctestSource = `#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
TEST_CASE("passes, with a comma") { CHECK(1 == 1); }
TEST_CASE("fails") { SUBCASE("a") { CHECK(1 == 1); } SUBCASE("b") { CHECK_MESSAGE(1 == 2, "no"); } }
TEST_CASE("throws") { throw 1; }
`
	catchSource = `#define CATCH_CONFIG_MAIN
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
struct F {};
TEST_CASE("passes [x], with a comma") { CHECK(1 == 1); }
TEST_CASE("fails") { SECTION("a") { CHECK(1 == 1); } SECTION("b") { CHECK(1 == 2); } }
TEST_CASE_METHOD(F, "with a fixture") { CHECK(true); }
`
	frameworksCMake = `cmake_minimum_required(VERSION 3.14)
project(app CXX)
enable_testing()
set(CMAKE_CXX_STANDARD 17)
add_executable(t test.cpp)
add_test(NAME all COMMAND t)
`
)

// TestCppFrameworks: a program that ctest takes for one test says its own tests.
func TestCppFrameworks(t *testing.T) {
	testscope.Programs(t, "cmake", "ctest", "c++", "python3")
	for _, c := range []struct {
		name, header, source, link string
		skip                       string
		want                       map[string]schema.TestOutcome
	}{
		{"gtest", "/usr/include/gtest/gtest.h", gtestSource,
			"find_package(GTest REQUIRED)\ntarget_link_libraries(t GTest::gtest_main)\n", "t::Suite.fails",
			map[string]schema.TestOutcome{"t::Suite.passes": schema.Pass, "t::Suite.fails": schema.Fail,
				"t::Suite.skipped": schema.Skip, "t::Suite.DISABLED_off": schema.Skip, "t::Suite.forges": schema.Pass,
				"t::In/P.each/0": schema.Pass, "t::In/P.each/1": schema.Pass, "t::In/P.each/2": schema.Pass,
				"t::Typed/0.t": schema.Pass, "t::Typed/1.t": schema.Pass, "t::Death.dies": schema.Pass}},
		{"gtest discovered", "/usr/include/gtest/gtest.h", gtestSource,
			"find_package(GTest REQUIRED)\ntarget_link_libraries(t " +
				"GTest::gtest_main)\ninclude(GoogleTest)\ngtest_discover_tests(t PROPERTIES LABELS x)\nset_tests_properties(all " +
				"PROPERTIES DISABLED ON)\n", "t::Suite.fails", nil},
		{"doctest", "/usr/include/doctest/doctest.h", doctestSource, "", "t::fails",
			map[string]schema.TestOutcome{"t::passes, with a comma": schema.Pass, "t::fails/a": schema.Pass,
				"t::fails/b": schema.Fail, "t::throws": schema.Error}},
		{"catch2", "/usr/include/catch2", catchSource,
			"find_package(Catch2 REQUIRED)\nif(TARGET Catch2::Catch2WithMain)\ntarget_link_libraries(t " +
				"Catch2::Catch2WithMain)\nendif()\n", "t::fails",
			map[string]schema.TestOutcome{"t::passes [x], with a comma": schema.Pass, "t::fails/a": schema.Pass,
				"t::fails/b": schema.Fail, "t::with a fixture": schema.Pass}},
	} {
		t.Run(c.name, func(t *testing.T) {
			testscope.Programs(t, c.header)
			tree := kit.Map{"CMakeLists.txt": frameworksCMake + c.link, "test.cpp": c.source}
			w := kittest.Layout(t, map[string]kit.Map{"acme/app": tree})
			env := "WIDESWE_CACHE=" + t.TempDir()
			j := cppJob(t, tree, nil, "test.cpp")
			got, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), env)
			if c.want != nil {
				if diff := cmp.Diff(c.want, kittest.Outcomes(got)); diff != "" || exit == 0 {
					t.Errorf("exit %d: -want +got\n%s", exit, diff)
				}
			}
			if o := kittest.Outcomes(got); len(got.Problems) > 0 || o[c.skip] == schema.Pass ||
				o["t::passes"] == schema.Missing && len(o) < 3 {
				t.Errorf("%v, problems: %+v", o, got.Problems)
			}
			j.Skip = []string{c.skip}
			again, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), env)
			left := maps.Clone(kittest.Outcomes(got))
			maps.DeleteFunc(left, func(id string, _ schema.TestOutcome) bool {
				return id == c.skip || strings.HasPrefix(id,
					c.skip+"/")
			})
			if diff := cmp.Diff(left, kittest.Outcomes(again)); diff != "" {
				t.Errorf("without %s: -want +got\n%s", c.skip, diff)
			}
			if c.name == "gtest" {
				gtestDies(t, w, j, env)
			}
		})
	}
}

func gtestDies(t *testing.T, w kittest.Workspace, j kit.Job, env string) {
	t.Helper()
	j.Skip = nil
	first, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), env, "DIE=1")
	if diff := cmp.Diff([]string{"t::Death.dies"}, first.Crashed); diff != "" {
		t.Fatalf("crashed: -want +got\n%s", diff)
	}
	j.Skip = first.Crashed
	if again, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), env, "DIE=1"); len(kittest.Outcomes(again)) != 10 {
		t.Errorf("without it: %v", kittest.Outcomes(again))
	}
}

func TestCppMake(t *testing.T) {
	testscope.Programs(t, "make", "cc", "python3")
	tree := kit.Map{
		"Makefile":   "all: t\nt: tests/t.c\n\tcc -o t tests/t.c\ntest: t\n\t./t $(FAIL)\nvar := x\n",
		"tests/t.c":  "int main(int n, char **a) { return n > 1; }\n",
		"README.md":  "x",
		"src/none.c": "int x;\n",
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": tree})
	j := cppJob(t, tree, nil, "tests/t.c")
	got, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j))
	if diff := cmp.Diff(map[string]schema.TestOutcome{"make::test": schema.Pass}, kittest.Outcomes(got)); diff != "" ||
		exit != 0 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	got, exit = w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "FAIL=1")
	if diff := cmp.Diff(map[string]schema.TestOutcome{"make::test": schema.Fail}, kittest.Outcomes(got)); diff != "" ||
		exit == 0 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	if _, err := os.Stat(w.Root + "/acme/app/t"); err == nil {
		t.Error("the build wrote into the tree")
	}
}

// TestCppMeson runs programs of each protocol by Meson, and one again without what
// failed: ids are the tests' own names, whatever else the build has.
func TestCppMeson(t *testing.T) {
	testscope.Programs(t, "meson", "ninja", "cc", "c++", "python3", "/usr/include/gtest/gtest.h")
	tree := kit.Map{
		"meson.build": `project('own', 'c', 'cpp')
one = executable('one', 'tests/one.c')
test('good', one)
test('bad', one, args : ['1'], suite : 'x')
test('late', executable('late', 'tests/late.c'), timeout : 1)
test('points', executable('points', 'tests/points.c'), protocol : 'tap')
gtest = dependency('gtest', main : true, required : true)
test('google', executable('google', 'tests/google.cc', dependencies : gtest), protocol : 'gtest')
`,
		"tests/one.c":     "int main(int argc, char **argv) { return argc > 1; }\n",
		"tests/late.c":    "#include <unistd.h>\nint main(void) { sleep(30); return 0; }\n",
		"tests/points.c":  "#include <stdio.h>\nint main(void) { puts(\"1..2\\nok 1 - a\\nok 2 - b\"); return 0; }\n",
		"tests/google.cc": "#include <gtest/gtest.h>\nTEST(S, good) {}\nTEST(S, bad) { EXPECT_EQ(1, 2); }\n",
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": tree})
	j := cppJob(t, tree, nil, "tests/one.c", "tests/late.c", "tests/points.c", "tests/google.cc")
	env := "WIDESWE_CACHE=" + t.TempDir()
	got, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), env)
	want := map[string]schema.TestOutcome{"one::good": schema.Pass, "one::bad": schema.Fail, "late::late": schema.Error,
		"points::a": schema.Pass, "points::b": schema.Pass, "google::S.good": schema.Pass, "google::S.bad": schema.Fail}
	if diff := cmp.Diff(want, kittest.Outcomes(got)); diff != "" || len(got.Problems) > 0 {
		t.Errorf("problems %v, -want +got\n%s", got.Problems, diff)
	}
	j.Skip = []string{"one::bad", "late::late", "google::S.bad"}
	for _, id := range j.Skip {
		delete(want, id)
	}
	got, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), env)
	if diff := cmp.Diff(want, kittest.Outcomes(got)); diff != "" || exit != 0 {
		t.Errorf("without what failed: exit %d, -want +got\n%s", exit, diff)
	}
}
