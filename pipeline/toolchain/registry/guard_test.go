package registry

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Every toolchain's own: what is runner configuration, and the honest changes of the
// same files that must not be.
func TestRunnerConfigOfEveryToolchain(t *testing.T) {
	pom := "<project><dependencies></dependencies><build><plugins>%</plugins></build></project>"
	surefire := "<plugin><artifactId>maven-surefire-plugin</artifactId><version>3</version></plugin>"
	for _, c := range []struct {
		name, path, before, after string
		want                      bool
	}{
		{"make: a check that always succeeds", "Makefile", "check:\n\t./run-tests\n", "check:\n\t@echo ok\n", true},
		{"make: asserts switched off", "Makefile", "CFLAGS = -O2\n", "CFLAGS = -O2 -DNDEBUG\n", true},
		{"make: another shell", "Makefile", "all: x\n", "SHELL = ./sh\nall: x\n", true},
		{"make: what is included", "Makefile", "all: x\n", "all: x\n-include own.mk\n", true},
		{"make: a file that goes before", "GNUmakefile", "", "all:\n", true},
		{"make: one more object", "Makefile", "OBJS = a.o\nall: $(OBJS)\n\tcc -o all $(OBJS)\ncheck:\n\t./t\n",
			"OBJS = a.o b.o\nall: $(OBJS)\n\tcc -o all $(OBJS) -lm\ncheck:\n\t./t\n", false},
		{"make: a rule that is new", "Makefile", "all: x\n", "all: x\n\ndocs:\n\tdoxygen\n", false},
		{"setup.cfg: pytest", "setup.cfg", "[metadata]\nname = x\n", "[metadata]\nname = x\n[tool:pytest]\naddopts = -k no\n",
			true},
		{"setup.cfg: a plugin", "setup.cfg", "[options]\n", "[options]\n[options.entry_points]\npytest11 =\n  x = x\n", true},
		{"setup.cfg: a requirement", "setup.cfg", "[options]\ninstall_requires =\n", "[options]\ninstall_requires =\n  six\n",
			false},
		{"setup.cfg: a command", "setup.cfg", "[options.entry_points]\nconsole_scripts =\n  a = a\n",
			"[options.entry_points]\nconsole_scripts =\n  a = a\n  b = b\n", false},
		{"setup.py: a plugin", "setup.py", "setup(name='x')\n", "setup(name='x', entry_points={'pytest11': ['x = x']})\n",
			true},
		{"setup.py: a requirement", "setup.py", "setup(name='x')\n", "setup(name='x', install_requires=['six'])\n", false},
		{"pyproject: a plugin", "pyproject.toml", "[project]\nname='x'\n",
			"[project]\nname='x'\n[project.entry-points.pytest11]\nx='x'\n", true},
		{"pyproject: a command", "pyproject.toml", "[project]\nname='x'\n",
			"[project]\nname='x'\n[project.entry-points.\"x.y\"]\nx='x'\n", false},
		{"pyproject: inline", "pyproject.toml", "", "[project]\nentry-points = {pytest11 = {x='x'}}\n", true},
		{"pyproject: another formatter", "pyproject.toml", "[tool.black]\nline-length=80\n",
			"[tool.black]\nline-length=100\n", false},
		{"python: a plugin as an installed package", "x.egg-info/entry_points.txt", "", "[pytest11]\nx = x\n", true},
		{"python: installed metadata", "src/x-1.dist-info/METADATA", "", "Name: x\n", true},
		{"python: a module before the standard library's", "tests/unit/json.py", "", "x", true},
		{"python: a package before it", "pkg/tests/unittest/__init__.py", "", "x", true},
		{"python: a helper of tests", "tests/unit/factories.py", "", "x", false},
		{"package.json: what the test script calls", "package.json", `{"scripts":{"test":"npm run unit","unit":"jest"}}`,
			`{"scripts":{"test":"npm run unit","unit":"true"}}`, true},
		{"package.json: a hook", "package.json", `{"scripts":{"test":"jest"}}`,
			`{"scripts":{"test":"jest","pretest":"node evil.js"}}`, true},
		{"package.json: a script of its own", "package.json", `{"scripts":{"test":"jest"}}`,
			`{"scripts":{"test":"jest","docs":"typedoc"}}`, false},
		{"package.json: jest", "package.json", `{"jest":{}}`, `{"jest":{"reporters":["./mine.js"]}}`, true},
		{"node: vitest", "vitest.config.ts", "a", "b", true},
		{"node: vite", "packages/a/vite.config.mts", "a", "b", true},
		{"node: workspace of vitest", "vitest.workspace.ts", "a", "b", true},
		{"node: jest's setup", "jest.setup.js", "", "b", true},
		{"node: a module jest takes instead", "__mocks__/fs.js", "", "b", true},
		{"node: source", "src/config.ts", "a", "b", false},
		{"rust: build script", "build.rs", "", "fn main() {}", true},
		{"rust: cargo's configuration", ".cargo/config.toml", "", "[build]\n", true},
		{"rust: no harness", "Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[[test]]\nname='a'\nharness=false\n", true},
		{"rust: another build script", "Cargo.toml", "[package]\nname='x'\n", "[package]\nname='x'\nbuild='evil.rs'\n", true},
		{"rust: a crate replaced", "Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[patch.crates-io]\nassert={path='a'}\n", true},
		{"rust: no debug assertions", "Cargo.toml", "[package]\nname='x'\n",
			"[package]\nname='x'\n[profile.test]\ndebug-assertions=false\n", true},
		{"rust: a dependency and a feature", "Cargo.toml", "[package]\nname='x'\n[dependencies]\n",
			"[package]\nname='x'\n[dependencies]\na='1'\n[features]\nb=[]\n", false},
		{"java: tests skipped", "pom.xml", strings.Replace(pom, "%", "", 1), strings.Replace(pom, "%", surefire, 1), true},
		{"java: a property", "m/pom.xml", "<project><properties></properties></project>",
			"<project><properties><maven.test.skip>true</maven.test.skip></properties></project>", true},
		{"java: failures ignored", "pom.xml", "<project/>",
			"<project><properties><maven.test.failure.ignore>true</maven.test.failure.ignore></properties></project>", true},
		{"java: a dependency", "pom.xml", "<project><dependencies></dependencies></project>",
			"<project><dependencies><dependency><artifactId>a</artifactId></dependency></dependencies></project>", false},
		{"java: a comment on surefire", "pom.xml", "<project/>", "<project><!-- " + surefire + " --></project>", false},
		{"java: maven's arguments", ".mvn/maven.config", "", "-DskipTests", true},
		{"java: a listener", "src/test/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener", "",
			"x", true},
		{"java: a service that no tree declares", "src/main/resources/META-INF/services/com.acme.Plugin", "", "x", true},
		{"gradle: failures ignored", "build.gradle", "dependencies {\n}\n",
			"dependencies {\n}\ntest {\n  ignoreFailures = true\n}\n", true},
		{"gradle: a dependency", "app/build.gradle.kts", "dependencies {\n}\n",
			"dependencies {\n  implementation(\"a:b:1\")\n}\n", false},
		{"gradle: a library of the tree", "build.gradle", "dependencies {\n}\n",
			"dependencies {\n  testImplementation files('junit.jar')\n}\n", true},
		{"php: settings", "phpunit.xml.dist", "a", "b", true},
		{"php: loaded before all", "composer.json", `{"autoload":{"psr-4":{"A\\":"src/"}}}`,
			`{"autoload":{"psr-4":{"A\\":"src/"},"files":["x.php"]}}`, true},
		{"php: a namespace", "composer.json", `{"autoload":{"psr-4":{"A\\":"src/"}}}`,
			`{"autoload":{"psr-4":{"A\\":"src/","B\\":"b/"}},"require":{"a/b":"^1"}}`, false},
		{"ruby: options", ".rspec", "", "--require ./x", true},
		{"ruby: another rspec", "Gemfile", "gem 'rake'\n", "gem 'rake'\ngem 'rspec', path: './mine'\n", true},
		{"ruby: a gem", "Gemfile", "gem 'rake'\n", "gem 'rake'\ngem 'json'\n", false},
		{"ruby: a sibling", "Gemfile", "gem 'a'\n", "gem 'a', path: '../../o/a'\n", false},
		{"ruby: a plugin of minitest", "lib/minitest/x_plugin.rb", "", "x", true},
		{"dotnet: settings", "a.runsettings", "", "x", true},
		{"dotnet: a test left out", "t/T.csproj", "<Project>\n</Project>\n",
			"<Project>\n<Compile Remove=\"A.cs\" />\n</Project>\n", true},
		{"dotnet: a package", "a/A.csproj", "<Project>\n</Project>\n",
			"<Project>\n<PackageReference Include=\"Json\" />\n</Project>\n", false},
		{"dotnet: a framework of its own", "t/F.cs", "", "[assembly: Xunit.TestFramework(\"a\", \"b\")]", true},
		{"cpp: a test of another command", "CMakeLists.txt", "add_test(NAME a COMMAND a)\n",
			"add_test(NAME a COMMAND true)\n", true},
		{"cpp: a failure wanted", "CMakeLists.txt", "add_test(NAME a COMMAND a)\n",
			"add_test(NAME a COMMAND a)\nset_tests_properties(a PROPERTIES WILL_FAIL TRUE)\n", true},
		{"cpp: asserts switched off", "CMakeLists.txt", "project(a)\n", "project(a)\nadd_compile_definitions(NDEBUG)\n",
			true},
		{"cpp: a source", "CMakeLists.txt", "add_library(a a.c)\nadd_test(NAME t COMMAND t)\n",
			"add_library(a a.c b.c)\nset(SOURCES b.c)\nadd_test(NAME t COMMAND t)\n", false},
		{"cpp: a test more, whose source goes back", "CMakeLists.txt", "add_test(NAME t COMMAND t)\n",
			"add_test(NAME t COMMAND t)\nadd_test(NAME b COMMAND b)\n", true},
		{"cpp: ctest's own", "build/CTestTestfile.cmake", "", "x", true},
		{"meson: a test of another program", "meson.build", "test('a', a)\n", "test('a', b)\n", true},
		{"meson: a source", "meson.build", "lib = library('a', 'a.c')\n", "lib = library('a', 'a.c', 'b.c')\n", false},
		{"shell: bats' helper", "test/test_helper.bash", "", "x", true},
		{"unchanged", "conftest.py", "x", "x", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bytes := func(s string) []byte {
				if s == "" {
					return nil
				}
				return []byte(s)
			}
			if g := RunnerConfig(kit.Change{Path: c.path, Before: bytes(c.before), After: bytes(c.after)}); g.Touched != c.want {
				t.Errorf("got %v", g.Touched)
			}
		})
	}
}

// Where configuration is a part of a file, that part goes back and no more: what else
// an honest patch needs of the file stays.
func TestOnlyTheRunnersPartGoesBack(t *testing.T) {
	for _, c := range []struct{ path, before, after, want string }{
		{"package.json", `{"name":"a","scripts":{"test":"jest"}}`,
			`{"name":"a","scripts":{"test":"true","docs":"d"},"dependencies":{"b":"1"},"jest":{}}`,
			"{\n  \"dependencies\": {\n    \"b\": \"1\"\n  },\n  \"name\": \"a\",\n  \"scripts\": {\n    \"docs\": \"d\",\n   " +
				" \"test\": \"jest\"\n  }\n}\n"},
		{"pyproject.toml", "[project]\nname='x'\n[tool.pytest.ini_options]\naddopts='-q'\n",
			"[project]\nname='x'\ndependencies=['six']\n[tool.pytest.ini_options]\naddopts='-k " +
				"no'\n[tool.black]\nline-length=9\n",
			"[project]\nname='x'\ndependencies=['six']\n[tool.black]\nline-length=9\n\n[tool.pytest.ini_options]\naddopts='-q'\n"},
		{"Cargo.toml", "[package]\nname='x'\n", "[package]\nname='x'\n[[test]]\nname='a'\nharness=false\n[dependencies]\na='1'\n", "[package]\nname='x'\n[dependencies]\na='1'\n\n"},
		{"setup.cfg", "[options]\n", "[options]\ninstall_requires = six\n[tool:pytest]\naddopts = -k no\n",
			"[options]\ninstall_requires = six\n\n"},
		{"go.mod", "module m\n\ngo 1.21\n", "module m\n\ngo 1.21\n\nrequire a.org/b v1.0.0\n\nreplace a.org/c => " +
			"./c\n\nreplace a.org/d => ../d\n", "module m\n\ngo 1.21\n\nrequire a.org/b v1.0.0\n\nreplace a.org/d => ../d\n"},
		{"composer.json", `{"scripts":{"test":"phpunit"}}`, `{"require":{"a/b":"1"},"scripts":{"test":"true"}}`,
			"{\n  \"require\": {\n    \"a/b\": \"1\"\n  },\n  \"scripts\": {\n    \"test\": \"phpunit\"\n  }\n}\n"},
	} {
		g := RunnerConfig(kit.Change{Path: c.path, Before: []byte(c.before), After: []byte(c.after)})
		if !g.Touched || string(g.Restored) != c.want {
			t.Errorf("%s: touched %v\n%s", c.path, g.Touched, g.Restored)
		}
		if again := RunnerConfig(kit.Change{Path: c.path, Before: []byte(c.before), After: g.Restored}); again.Touched {
			t.Errorf("%s: what is restored is not as before", c.path)
		}
	}
	// What can't be told apart goes back whole.
	for _, c := range []kit.Change{
		{Path: "pyproject.toml", Before: []byte("[project]\n"),
			After: []byte("[project]\nentry-points = {pytest11 = {x='x'}}\n")},
		{Path: "package.json", Before: []byte(`{}`), After: []byte(`{`)},
		{Path: "package.json", Before: []byte(`{"scripts":{"test":"jest"}}`), After: nil},
	} {
		if g := RunnerConfig(c); !g.Touched || g.Restored != nil {
			t.Errorf("%s: touched %v, %q", c.Path, g.Touched, g.Restored)
		}
	}
}
