package registry_test

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/buildfailure"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
)

func TestBuildFailuresSayWhyInOneLine(t *testing.T) {
	explain := buildfailure.Explainer(registry.BuildFailures()...)
	for _, c := range []struct{ name, tail, want string }{
		{"pip", "wideswe+ python -m pip install -r dev.txt\nERROR: Could not find a version that satisfies the requirement " +
			"torch==1.2 (from versions: none)\nERROR: No matching distribution found for torch==1.2\n",
			"python -m pip install -r dev.txt: pip finds no distribution of torch==1.2"},
		{"pip python", "ERROR: Package 'acme' requires a different Python: 3.13.5 not in '<3.12'\n",
			"acme does not support Python 3.13.5"},
		{"pip conflict", "ERROR: Cannot install a==1 and b==2 because these package versions have conflicting " +
			"dependencies.\n", "pip can't agree on versions: a==1 and b==2"},
		{"pip wheel", "  fatal error: something\nERROR: Failed building wheel for lxml\n", "pip can't build lxml"},
		{"npm peer", "wideswe+ npm install\nnpm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency " +
			"tree\nnpm ERR! While resolving: app@1.0.0\n",
			"npm install: npm can't agree on versions (ERESOLVE) for app@1.0.0"},
		{"npm 404", "npm error code E404\nnpm error 404 Not Found - GET https://r.example/@acme%2fx\nnpm error 404  " +
			"'@acme/x@^1.0.0' is not in this registry.\n", "npm has no package @acme/x@^1.0.0"},
		{"pnpm", "\x1b[31m ERR_PNPM_OUTDATED_LOCKFILE \x1b[0m Cannot install with \"frozen-lockfile\"\n",
			"pnpm: OUTDATED_LOCKFILE"},
		{"cargo crate", "error: no matching package named `acme-core` found\nlocation searched: index\n",
			"cargo finds no crate acme-core"},
		{"cargo version", "error: failed to select a version for the requirement `serde = \"^9\"`\n",
			`cargo finds no version for serde = "^9"`},
		{"cargo rustc", "error: package `clap v4.9.0` cannot be built because it requires rustc 1.90 or newer\n",
			"clap v4.9.0 needs rustc 1.90"},
		{"maven", "[ERROR] Failed to execute goal on project web: Could not resolve dependencies for project " +
			"org.acme:web:jar:1.0: x\n", "Maven can't resolve org.acme:web:jar:1.0"},
		{"maven java", "[ERROR] Source option 6 is no longer supported. Use 8 or later.\n",
			"the JDK does not compile for Java 6"},
		{"go revision", "wideswe+ go mod download\ngo: example.org/x@v0.0.0-2020-abc: invalid version: unknown revision " +
			"abc\n", "go mod download: Go knows no example.org/x@v0.0.0-2020-abc (unknown revision)"},
		{"go gone", "go: example.org/x@v1.2.3: reading https://proxy.example/example.org/x/@v/v1.2.3.mod: 404 Not Found\n",
			"Go finds no module example.org/x@v1.2.3"},
		{"go old", "go: go.mod requires go >= 1.99 (running go 1.24.4; GOTOOLCHAIN=local)\n",
			"Go is too old: go.mod requires go >= 1.99"},
		{"bundler", "Could not find gem 'rails (= 9.0)' in any of the sources\n", "bundler finds no gem rails (= 9.0)"},
		{"php", "  - Root composer.json requires phpunit/phpunit ^12, found nothing.\n",
			"composer can't agree on versions: phpunit/phpunit"},
		{"dotnet", "/w/a.csproj : error NU1101: Unable to find package Acme.\n", "NuGet NU1101: Unable to find package Acme"},
		{"cmake", "CMake Error at CMakeLists.txt:3 (find_package):\n  Could NOT find OpenSSL, try to set the path\n",
			"CMake finds no OpenSSL"},
		{"header", "src/a.c:1:10: fatal error: zlib.h: No such file or directory\n", "the compiler finds no zlib.h"},
		{"memory", "<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of " +
			"memory\n", "the memory did not suffice"},
		{"tls hint", "x509: certificate signed by unknown authority\n", "build.files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := explain(c.tail, 1)
			if !strings.Contains(got, c.want) || strings.Contains(got, "\n") || strings.Contains(got, "wideswe+") {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
