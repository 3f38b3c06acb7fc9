package filerole_test

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/filerole"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		path string
		want filerole.Role
	}{
		// A word inside a word makes no test.
		{"latest.yml", filerole.Config},
		{"src/contest.rs", filerole.Source},
		{"greatest.txt", filerole.Docs},
		{"spec/openapi.yaml", filerole.Source},
		{"docs/testing/guide.md", filerole.Docs},
		{"src/attestation/verify.go", filerole.Source},
		{"pkg/protest/x.py", filerole.Source},
		{"lib/inspector.rb", filerole.Source},
		{"src/Contest.java", filerole.Source},
		{"src/Latest.ts", filerole.Source},
		{"python-foo.spec", filerole.Build},

		{"pkg/test_foo.py", filerole.Test},
		{"pkg/foo_test.py", filerole.Test},
		{"app/tests.py", filerole.Test},
		{"conftest.py", filerole.Test},
		{"lib/foo_spec.rb", filerole.Test},
		{"core/FooSpec.scala", filerole.Test},
		{"core/FooSuite.scala", filerole.Test},
		{"e2e/login.ts", filerole.Test},
		{"ui/login.cy.js", filerole.Test},
		{"ext/standard/basic.phpt", filerole.Test},
		{"app/src/androidTest/java/x/Foo.kt", filerole.Test},
		{"app/src/testDebug/java/x/Foo.kt", filerole.Test},
		{"integration-tests/run.sh", filerole.Test},
		{"provider/internal/queue/queue_test.go", filerole.Test},
		{"test/cli/provider_test.go", filerole.Test},
		{"test/cli/harness/node.go", filerole.Test},
		{"test/sharness/t0040-add-and-cat.sh", filerole.Test},
		{"internal/testutil/clock.go", filerole.Test},
		{"src/Foo.test.tsx", filerole.Test},
		{"src/foo.spec.ts", filerole.Test},
		{"src/__tests__/foo.js", filerole.Test},
		{"src/test/java/org/x/FooIT.java", filerole.Test},
		{"Acme.Widgets.Tests/Foo.cs", filerole.Test},
		{"src/FooTests.cs", filerole.Test},
		{"Sources/SDKTests.swift", filerole.Test},
		{"tests/FooTest.php", filerole.Test},
		{"t/basic.t", filerole.Test},
		{"test/foo.bats", filerole.Test},
		{"features/login.feature", filerole.Test},
		{"crates/x/src/tests.rs", filerole.Test},
		{"spec/support/helper.rb", filerole.Test},
		{"src/foo_unittest.cc", filerole.Test},

		{"pkg/testdata/a.json", filerole.Fixture},
		{"pkg/testdata/src/a.go", filerole.Fixture},
		{"pkg/testdata/src/a_test.go", filerole.Fixture},
		{"test/sharness/t0040-data/a.car", filerole.Fixture},
		{"tests/fixtures/README.md", filerole.Fixture},
		{"spec/fixtures/vcr/x.yml", filerole.Fixture},
		{"test/dependencies/go.mod", filerole.Fixture},
		{"src/__snapshots__/foo.js.snap", filerole.Fixture},

		// Prose under a folder of tests may be what a test reads.
		{"test/README.md", filerole.Fixture},
		{"tests/packages/one/README.md", filerole.Fixture},

		{"README.md", filerole.Docs},
		{"docs/tutorial.md", filerole.Docs},
		{"docs/conf.py", filerole.Docs},
		{"docs/img/a.png", filerole.Docs},
		{"LICENSE", filerole.Docs},
		{"CHANGELOG.rst", filerole.Docs},

		{".github/workflows/test.yml", filerole.Config},
		{".golangci.yml", filerole.Config},
		{"jest.config.js", filerole.Config},
		{"tsconfig.json", filerole.Config},
		{"deploy/values.yaml", filerole.Config},

		{"go.mod", filerole.Build},
		{"Makefile", filerole.Build},
		{"requirements-dev.txt", filerole.Build},
		{"CMakeLists.txt", filerole.Build},
		{"package.json", filerole.Build},
		{"build.gradle.kts", filerole.Build},

		{"go.sum", filerole.Generated},
		{"package-lock.json", filerole.Generated},
		{"pb/dht.pb.go", filerole.Generated},
		{"proto/x_pb2.py", filerole.Generated},
		{"dist/index.js", filerole.Generated},

		{"vendor/github.com/x/y/z.go", filerole.Vendored},
		{"vendor/github.com/x/y/z_test.go", filerole.Vendored},
		{"web/node_modules/x/index.js", filerole.Vendored},

		// Products are called like folders of packagers and of test tools.
		{"src/packaging/metadata.py", filerole.Source},
		{"packaging/rpm/after-install", filerole.Build},
		{"packages/playwright/src/runner.ts", filerole.Source},
		{"cypress/support/commands.ts", filerole.Test},

		{"core/commands/provide.go", filerole.Source},
		{"cache/cache.go", filerole.Source},
		{"api/v1/openapi.yaml", filerole.Source},
		{"pb/dht.proto", filerole.Source},
		{"cmd/docs/main.go", filerole.Source},
		{"src/styles/main.css", filerole.Source},
	} {
		if got := filerole.Of(c.path); got != c.want {
			t.Errorf("%s is %s, want %s", c.path, got, c.want)
		}
		if hidden := filerole.Hidden(c.path); hidden != (c.want == filerole.Test || c.want == filerole.Fixture) {
			t.Errorf("%s hidden: %t", c.path, hidden)
		}
	}
}

func TestFamilyIsOfProductionFilesOnly(t *testing.T) {
	for path, want := range map[string]string{
		"a.go": "Go", "a_test.go": "", "src/a.ts": "JavaScript/TypeScript", "src/A.vue": "JavaScript/TypeScript",
		"a.rs":   "Rust",
		"A.java": "JVM", "a.kt": "JVM", "a.h": "C/C++", "a.cc": "C/C++", "x.php": "PHP", "docs/a.py": "", "setup.py": "",
		"dist/index.js": "", "a.yaml": "", "a.pb.go": "", "lib/a.rb": "Ruby", "a.ex": "BEAM", "x.proto": "", "A.cs": ".NET",
		"run.sh": "Shell",
	} {
		if got := filerole.Family(path); got != want {
			t.Errorf("%s: family %q, want %q", path, got, want)
		}
	}
}

func TestFamilyOfAScriptIsInItsFirstLine(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"bin/tool", "#!/bin/sh\nset -e\n", "Shell"},
		{"bin/tool", "#!/usr/bin/env python3\n", "Python"},
		{"bin/tool", "#!/usr/bin/env node\n", "JavaScript/TypeScript"},
		{"bin/tool", "\x7fELF", ""},
		{"bin/tool", "", ""},
		{"a.go", "#!/bin/sh\n", "Go"},
		{"tests/tool", "#!/bin/sh\n", ""},
		{"LICENSE", "#!/bin/sh\n", ""},
	} {
		if got := filerole.FamilyIn(c.path, []byte(c.text)); got != c.want {
			t.Errorf("%s %q: family %q, want %q", c.path, c.text, got, c.want)
		}
	}
}

func TestPlatform(t *testing.T) {
	for path, want := range map[string]string{
		"ios/App/View.swift": "ios", "Sources/App/View.swift": "", "App.xcodeproj/project.pbxproj": "ios", "Podfile": "ios",
		"fs/file_windows.go": "windows", "fs/file_darwin_test.go": "macos", "fs/file.go": "", "kiosk/x.ts": "",
		"build.ps1": "windows",
	} {
		if got := filerole.Platform(path); got != want {
			t.Errorf("%s: platform %q, want %q", path, got, want)
		}
	}
}

func TestMarked(t *testing.T) {
	if !filerole.Marked([]byte("// Code generated by stringer; DO NOT EDIT.\n")) ||
		filerole.Marked([]byte("package x // not generated\n")) {
		t.Error("marks of generated code are not told apart")
	}
}
