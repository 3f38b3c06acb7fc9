package cpp

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

func TestCppDetect(t *testing.T) {
	src := "src/a.cpp"
	for _, c := range []struct {
		name     string
		tree     kit.Map
		runner   string
		packages []string
		options  string
	}{
		{"cmake", kit.Map{src: "", "CMakeLists.txt": "project(x CXX)\noption(X_BUILD_TESTS \"t\" " +
			"OFF)\noption(X_BUILD_BENCHMARK_TESTS \"t\" OFF)\nfind_package(GTest)\n# find_package(Boost)\nfind_package(ZLIB " +
			"REQUIRED)\n"},
			cmakeRunner, []string{"cmake", "googletest", "ninja-build", "zlib1g-dev"}, "-DBUILD_TESTING=ON -DX_BUILD_TESTS=ON"},
		{"a vendored copy's wishes are its own", kit.Map{src: "", "CMakeLists.txt": "project(x)\n",
			"third_party/y/CMakeLists.txt": "option(Y_TESTS \"\" OFF)\nfind_package(OpenSSL)\n"}, cmakeRunner, []string{"cmake"},
			"-DBUILD_TESTING=ON"},
		{"meson", kit.Map{src: "", "meson.build": "project('x', 'c')\ndependency('libcurl')\n",
			"meson_options.txt": "option('tests', type : 'feature', value : 'disabled')\n"}, mesonRunner,
			[]string{"libcurl4-openssl-dev", "meson"}, "-Dtests=enabled"},
		{"options that leave the tests out", kit.Map{src: "",
			"CMakeLists.txt": "project(x)\noption(X_WITHOUT_TESTS \"t\" OFF)\noption(X_DISABLE_UNIT_TESTS \"t\" " +
				"ON)\noption(NOTE_TESTS \"t\" OFF)\n"},
			cmakeRunner, []string{"cmake"}, "-DBUILD_TESTING=ON -DX_WITHOUT_TESTS=OFF -DX_DISABLE_UNIT_TESTS=OFF " +
				"-DNOTE_TESTS=ON"},
		{"meson's that leave them out", kit.Map{src: "", "meson.build": "project('x', 'c')\n",
			"meson_options.txt": "option('disable-tests', type : 'boolean', value : true)\noption('no_tests', type : " +
				"'feature')\n"},
			mesonRunner, []string{"meson"}, "-Ddisable-tests=false -Dno_tests=disabled"},
		{"autotools before its makefile", kit.Map{src: "", "configure.ac": "PKG_CHECK_MODULES([X], [libxml-2.0 >= 2.9])\n",
			"Makefile": "check:\n"}, autotoolsRunner, []string{"automake", "libxml2-dev"}, ""},
		{"make", kit.Map{"a.c": "", "Makefile": "all:\ntest: all\n\t./a\n"}, makeRunner, []string{"build-essential"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := Toolchain{}.Detect(c.tree)
			if !ok || cppRoots(c.tree)[0].runner != c.runner {
				t.Fatalf("%v, %+v", ok, cppRoots(c.tree))
			}
			for _, p := range c.packages {
				if !slices.Contains(r.Packages, p) {
					t.Errorf("no package %s in %v", p, r.Packages)
				}
			}
			if slices.Contains(r.Packages, "libboost-all-dev") || slices.Contains(r.Packages, "libssl-dev") ||
				r.Env[CppOptions] != c.options {
				t.Errorf("%v %q", r.Packages, r.Env[CppOptions])
			}
		})
	}
	for name, tree := range map[string]kit.Map{
		"no source": {"CMakeLists.txt": "project(x)", "a.py": ""}, "no target": {"a.c": "", "Makefile": "all:\ntest := x\n"},
		"another language": {"a.c": "", "CMakeLists.txt": "project(x LANGUAGES Fortran)"}, "nothing": {"a.c": ""},
	} {
		if r, ok := (Toolchain{}).Detect(tree); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// What a tree makes itself is not taken from the distribution, under whatever name
// its tests look for it.
func TestCppPackagesAreNoneOfTheTreesOwn(t *testing.T) {
	look := "find_package(Fmt)\nfind_package(yaml-cpp)\nfind_package(ZLIB)\n"
	for name, c := range map[string]struct {
		tree kit.Map
		want []string
	}{
		"project": {kit.Map{"CMakeLists.txt": "project(FMT CXX)\n", "test/CMakeLists.txt": look},
			[]string{"libyaml-cpp-dev", "zlib1g-dev"}},
		"underscore": {kit.Map{"CMakeLists.txt": "cmake_minimum_required(VERSION 3.5)\nproject(\n  YAML_CPP VERSION 1)\n",
			"test/CMakeLists.txt": look}, []string{"libfmt-dev", "zlib1g-dev"}},
		"commented out": {kit.Map{"CMakeLists.txt": "# project(fmt)\n" + look}, []string{"libfmt-dev", "libyaml-cpp-dev",
			"zlib1g-dev"}},
		"cmake's config": {kit.Map{"CMakeLists.txt": "project(x)\n" + look, "cmake/fmt-config.cmake.in": "",
			"zlibConfig.cmake.in": ""}, []string{"libyaml-cpp-dev"}},
		"pkg-config": {kit.Map{"configure.ac": "AC_INIT([x],[1])\nPKG_CHECK_MODULES(X, jansson zlib)\n",
			"jansson.pc.in": ""}, []string{"zlib1g-dev"}},
		"autoconf": {kit.Map{"configure.ac": "AC_INIT([zlib],[1])\nPKG_CHECK_MODULES(X, jansson zlib)\n"},
			[]string{"libjansson-dev"}},
		"meson": {kit.Map{"meson.build": "project('fmt', 'cpp')\ndependency('fmt')\ndependency('zlib')\n"},
			[]string{"zlib1g-dev"}},
		"a tool beside": {kit.Map{"CMakeLists.txt": "project(x)\n", "bench/CMakeLists.txt": "project(fmt)\n" + look},
			[]string{"libfmt-dev", "libyaml-cpp-dev", "zlib1g-dev"}},
		"a vendored one": {kit.Map{"CMakeLists.txt": "project(x)\n" + look, "third_party/fmt/fmt.pc.in": ""},
			[]string{"libfmt-dev", "libyaml-cpp-dev", "zlib1g-dev"}},
	} {
		c.tree["a.cpp"] = ""
		var got []string
		for _, p := range cppPackages(c.tree) {
			got = append(got, p.Name)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestCppSelect(t *testing.T) {
	tree := kit.Map{
		"lib/CMakeLists.txt": "project(lib)", "lib/src/a.cpp": "", "lib/tests/a_test.cpp": "", "lib/tests/help.h": "",
		"lib/tests/data/x.json": "", "lib/tests/py/test_a.py": "",
		"tool/Makefile": "check: all\n", "tool/t.c": "", "docs/x.cpp": "",
	}
	r, _ := Toolchain{}.Detect(tree)
	got, err := Toolchain{}.Select(tree, r, []string{"lib/tests/a_test.cpp", "lib/tests/help.h", "lib/tests/data/x.json",
		"lib/tests/py/test_a.py", "tool/t.c", "docs/x.cpp", "gone.cpp"})
	if err != nil {
		t.Fatal(err)
	}
	want := kit.Selection{
		Units: []kit.Unit{{Dir: "lib", Runner: "cmake", Files: []string{"lib/tests/a_test.cpp"},
			Tests: []string{"lib/tests/data/x.json", "lib/tests/help.h"}},
			{Dir: "tool", Runner: "make", Target: "check", Files: []string{"tool/t.c"}}},
		Left: []kit.Left{{Path: "docs/x.cpp", Reason: "it lies below nothing that is built"}, {Path: "gone.cpp",
			Reason: "the tree does not have it"}, {Path: "lib/tests/py/test_a.py", Reason: "no test source stands beside it"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCppWire(t *testing.T) {
	tree := kit.Map{
		"a.cpp": "", "CMakeLists.txt": "project(app)\nfind_package(Gear)\nFetchContent_Declare(cog\n GIT_REPOSITORY " +
			"https://example.org/acme/cog.git\n GIT_TAG v1)\nFetchContent_Declare(other GIT_REPOSITORY " +
			"https://example.org/acme/cogwheel)\n",
		".gitmodules": "[submodule \"x\"]\n\tpath = deps/axle\n\turl = ../../acme/axle.git\n",
	}
	lib := func(project string) kit.Map {
		return kit.Map{"CMakeLists.txt": "project(" + project + " CXX)", "l.cpp": ""}
	}
	w := wireCpp(kit.Job{Repository: "acme/app", Tree: tree, Siblings: []kit.Sibling{{Repository: "acme/app", Tree: tree},
		{Repository: "acme/axle", Tree: lib("axle")}, {Repository: "acme/cog", Tree: lib("Cog")}, {Repository: "acme/gears",
			Tree: lib("gear")}, {Repository: "acme/none", Tree: kit.Map{}}}})
	if diff := cmp.Diff(map[string]string{"FETCHCONTENT_SOURCE_DIR_COG": "acme/cog"}, w.define); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"acme/gears"}, w.prefix); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([][2]string{{"deps/axle", "acme/axle"}}, w.lay); diff != "" || len(w.notes) != 3 {
		t.Errorf("notes %q, -want +got\n%s", w.notes, diff)
	}
}
