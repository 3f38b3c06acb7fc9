package registry

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// What stands in the place of what tests decide with, by its name, its place or a
// setting, and the honest changes that look like it.
func TestStandIns(t *testing.T) {
	cmake := "add_test(NAME a COMMAND a)\n"
	for _, c := range []struct {
		name, path, before, after string
		want                      bool
	}{
		{"node: a runner of its own", "node_modules/jest/bin/jest.js", "", "x", true},
		{"node: a library for the tests alone", "test/node_modules/chai/index.js", "", "x", true},
		{"node: an alias of an assertion library", "tsconfig.json", "{}",
			`{"compilerOptions": {"paths": {"chai": ["./fake"]}}}`, true},
		{"node: an alias of its own code", "packages/a/tsconfig.test.json", "{}",
			`{"compilerOptions": {"paths": {"@app/*": ["./src/*"]}}}`, false},
		{"node: what vite runs", "postcss.config.cjs", "", "x", true},
		{"node: a matcher's helper", "test/matchers.js", "a", "b", true},
		{"node: what runs before the tests", "package.json", `{"scripts":{"build":"tsc"}}`,
			`{"scripts":{"build":"tsc && node x"}}`, true},
		{"python: compiled tests", "tests/__pycache__/test_a.cpython-313-pytest-9.0.0.pyc", "", "x", true},
		{"python: a compiled module", "helper.pyc", "a", "b", true},
		{"python: a late module of the library", "tomllib.py", "", "x", true},
		{"python: a plugin that is looked for", "pytest_cov.py", "", "x", true},
		{"python: a plugin as a package", "xdist/__init__.py", "", "x", true},
		{"python: a module of its own", "calc/tomllib.py", "", "x", false},
		{"go: an assertion library elsewhere", "go.mod", "module m\n",
			"module m\n\nreplace github.com/stretchr/testify => ../other/testify\n", true},
		{"go: an assertion library of another version", "go.mod", "module m\n",
			"module m\n\nreplace gotest.tools/v3 => github.com/me/tools/v3 v3.0.0\n", true},
		{"go: a library from above", "sub/go.mod", "module m.org/a/b/sub\n",
			"module m.org/a/b/sub\n\nreplace a.org/c => ../fake\n", true},
		{"go: a module of the repository from above", "sub/go.mod", "module m.org/a/b/sub\n",
			"module m.org/a/b/sub\n\nreplace m.org/a/b => ../\n", false},
		{"go: a module of another repository", "go.mod", "module m\n", "module m\n\nreplace a.org/c => ../c\n", false},
		{"go: a vendored mock", "vendor/go.uber.org/mock/gomock/call.go", "a", "b", true},
		{"go: a vendored library", "vendor/golang.org/x/text/a.go", "a", "b", false},
		{"rust: a macro that runs while it is compiled", "mac/Cargo.toml", "",
			"[package]\nname='m'\n[lib]\nproc-macro=true\n", true},
		{"rust: another standard library", "Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[dependencies]\nstd={path='mine'}\n", true},
		{"rust: under another name", "Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[dependencies]\nstd={path='mine',package='m'}\n", true},
		{"rust: for one platform", "Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[target.'cfg(unix)'.dev-dependencies]\na={path='mine'}\n", true},
		{"rust: from a folder above", "crates/a/Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[dev-dependencies]\na={path='../../mine'}\n", true},
		{"rust: of the whole workspace", "Cargo.toml", "[workspace]\n",
			"[workspace]\n[workspace.dependencies]\nproptest={path='mine'}\n", true},
		{"rust: another repository's", "Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[dev-dependencies]\na={path='../a'}\n", false},
		{"rust: another crate of the workspace", "crates/a/Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[dependencies]\nb={path='../b'}\n", false},
		{"java: assertions of its own", "src/main/java/org/junit/jupiter/api/Assertions.java", "", "x", true},
		{"java: a matcher library's", "src/test/java/org/hamcrest/MatcherAssert.java", "", "x", true},
		{"java: a package that is called so", "src/main/java/com/acme/junit/Rule.java", "", "x", false},
		{"java: junit's own source", "src/main/java/org/junit/Assert.java", "a", "b", false},
		{"ruby: minitest's file", "lib/minitest/autorun.rb", "", "x", true},
		{"ruby: rspec's file", "spec/rspec/expectations.rb", "", "x", true},
		{"ruby: an extension", "lib/minitest/reporters/acme.rb", "", "x", false},
		{"php: a class of PHPUnit", "src/PHPUnit/Framework/Assert.php", "", "x", true},
		{"php: vendored", "vendor/phpunit/phpunit/src/Framework/Assert.php", "a", "b", true},
		{"cpp: the system's assert", "include/assert.h", "", "x", true},
		{"cpp: googletest's header", "include/gtest/gtest.h", "", "x", true},
		{"cpp: a vendored framework", "third_party/googletest-1.14/src/gtest.cc", "a", "b", true},
		{"cpp: one header", "tests/doctest.h", "a", "b", true},
		{"cpp: a header", "include/sum_assert.h", "", "x", false},
		{"cpp: a file written before the build", "CMakeLists.txt", cmake, cmake +
			"configure_file(evil.c ${CMAKE_SOURCE_DIR}/tests/a.c COPYONLY)\n", true},
		{"cpp: an emulator", "CMakeLists.txt", cmake, cmake +
			"set_target_properties(a PROPERTIES CROSSCOMPILING_EMULATOR true)\n", true},
		{"cpp: an emulator by another command", "CMakeLists.txt", cmake, cmake +
			"set_property(TARGET a PROPERTY CROSSCOMPILING_EMULATOR true)\n", true},
		{"cpp: another beginning", "CMakeLists.txt", cmake, cmake + "target_link_options(a PRIVATE -Wl,--wrap=main)\n", true},
		{"cpp: the same by libraries", "CMakeLists.txt", cmake, cmake + "target_link_libraries(a -Wl,--wrap=main)\n", true},
		{"cpp: the same by a variable", "CMakeLists.txt", cmake, "set(CMAKE_C_STANDARD_LIBRARIES -lmine)\n" + cmake, true},
		{"cpp: another main", "CMakeLists.txt", cmake, cmake + "target_compile_options(a PRIVATE -Dmain=x)\n", true},
		{"cpp: a file of another name", "CMakeLists.txt", cmake, cmake + "include(more.txt)\n", true},
		{"cpp: that file before all", "CMakeLists.txt", cmake, "set(CMAKE_PROJECT_INCLUDE ${CMAKE_SOURCE_DIR}/more.txt)\n" +
			cmake, true},
		{"cpp: code from text", "CMakeLists.txt", cmake, cmake + "cmake_language(EVAL CODE [[x]])\n", true},
		{"cpp: a command of the same name", "CMakeLists.txt", cmake, "function(add_test)\nendfunction()\n" + cmake, true},
		{"cpp: commands of another project", "CMakeLists.txt", cmake, cmake +
			"ExternalProject_Add(x CONFIGURE_COMMAND sh x)\n", true},
		{"cpp: a module and properties", "CMakeLists.txt", cmake,
			"include(GNUInstallDirs)\ninclude(cmake/own.cmake)\nfunction(own_sources)\nendfunction()\n" + cmake +
				"set_target_properties(a PROPERTIES CXX_STANDARD 20 VERSION 1)\nset_property(TARGET a PROPERTY " +
				"POSITION_INDEPENDENT_CODE ON)\nset(OWN_SOURCES b.c)\n", false},
		{"meson: another beginning", "meson.build", "test('a', a)\n",
			"a = executable('a', 'a.c', link_args: '-Wl,--wrap=main')\ntest('a', a)\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := kit.Change{Path: c.path, After: []byte(c.after)}
			if c.before != "" {
				change.Before = []byte(c.before)
			}
			if g := RunnerConfig(change); g.Touched != c.want {
				t.Errorf("got %v", g.Touched)
			}
		})
	}
}
