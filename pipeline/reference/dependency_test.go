package reference_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/reference"
)

const (
	shaOld = "0123456789abcdef0123456789abcdef01234567"
	shaNew = "89abcdef0123456789abcdef0123456789abcdef"
	// What most of the cases below are to give.
	moved = "git_reference acme/api acme/api 89abcdef0123<0123456789ab"
	added = "git_reference acme/api acme/api 89abcdef0123<"
)

type dependencyCase struct {
	name, path string
	patch      string // without the line of its hunk; OLD and NEW are commits
	want       []string
}

func showDependencies(list []reference.Dependency) []string {
	out := []string{}
	for _, d := range list {
		out = append(out, fmt.Sprintf("%s %s/%s %s %.12s<%.12s", d.Kind, d.Owner, d.Name, d.Module, d.SHA, d.PreviousSHA))
	}
	return out
}

func runDependencies(t *testing.T, cases []dependencyCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			patch := strings.NewReplacer("OLD", shaOld, "NEW", shaNew).Replace(c.patch)
			if !strings.Contains(patch, "@@") {
				patch = "@@ -1 +1 @@\n" + patch
			}
			if d := cmp.Diff(append([]string{}, c.want...), showDependencies(reference.Dependencies(c.path, patch))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDependenciesOfSubmodules(t *testing.T) {
	runDependencies(t, []dependencyCase{
		{"moved", "libs/api", "diff --git a/libs/api b/libs/api\nindex 0123456..89abcde 160000\n--- a/libs/api\n+++ " +
			"b/libs/api\n@@ -1 +1 @@\n-Subproject commit OLD\n+Subproject commit NEW\n",
			[]string{"submodule / libs/api 89abcdef0123<0123456789ab"}},
		{"added", "libs/api", "+Subproject commit NEW\n", []string{"submodule / libs/api 89abcdef0123<"}},
		{"a text about one", "notes.txt", " x\n-Subproject commit OLD\n+Subproject commit NEW\n", nil},
		{"removed", "libs/api", "-Subproject commit OLD\n", nil},
	})
}

func TestDependenciesOfGo(t *testing.T) {
	const one = "go_pseudo_version acme/api github.com/acme/api 89abcdef0123<"
	runDependencies(t, []dependencyCase{
		{"pseudo-versions", "go.mod", "@@ -1,4 +1,4 @@\n require (\n-\tgithub.com/acme/api " +
			"v0.0.0-20240101000000-0123456789ab\n+\tgithub.com/acme/api " +
			"v0.0.0-20240102000000-89abcdef0123\n+\tgithub.com/acme/sdk/v2 v2.1.1-0.20240102000000-aaaaaaaaaaaa // " +
			"indirect\n+\tacme.org/x v1.2.3-rc.1.0.20240102000000-bbbbbbbbbbbb\n+\tgithub.com/acme/docs v1.2.3\n " +
			"\tgithub.com/acme/ctx v0.0.0-20240102000000-cccccccccccc\n",
			[]string{one + "0123456789ab", "go_pseudo_version acme/sdk github.com/acme/sdk/v2 aaaaaaaaaaaa<",
				"go_pseudo_version / acme.org/x bbbbbbbbbbbb<"}},
		{"a replacement", "sub/go.mod", "+replace github.com/other/api => github.com/acme/api " +
			"v0.0.0-20240102000000-89abcdef0123\n", []string{one}},
		{"a replacement of a commit by a commit", "go.mod",
			"+replace github.com/other/api v0.0.0-20240101000000-aaaaaaaaaaaa => github.com/acme/api " +
				"v0.0.0-20240102000000-89abcdef0123\n", []string{one}},
		{"a replacement by a folder", "go.mod", "+replace github.com/acme/api v0.0.0-20240101000000-aaaaaaaaaaaa => ../api\n",
			nil},
		{"a workspace", "go.work", " replace (\n+\tgithub.com/other/api => github.com/acme/api " +
			"v0.0.0-20240102000000-89abcdef0123\n )\n", []string{one}},
		{"vendored", "vendor/modules.txt", "-# github.com/acme/api v0.0.0-20240101000000-0123456789ab\n+# " +
			"github.com/acme/api v0.0.0-20240102000000-89abcdef0123\n ## explicit; go 1.22\n github.com/acme/api/client\n+# " +
			"github.com/acme/local v0.0.0-20240102000000-aaaaaaaaaaaa => ./local\n", []string{one + "0123456789ab"}},
		{"a file of that name elsewhere", "docs/modules.txt", "+# github.com/acme/api v0.0.0-20240102000000-89abcdef0123\n",
			nil},
		{"quoted", "go.mod", "+require \"github.com/acme/api\" \"v0.0.0-20240102000000-89abcdef0123\"\n", []string{one}},
		{"excluded", "go.mod", "+exclude github.com/acme/api v0.0.0-20240102000000-89abcdef0123\n", nil},
		{"excluded in a block", "go.mod", " exclude (\n+\tgithub.com/acme/api v0.0.0-20240102000000-aaaaaaaaaaaa\n " +
			")\n+require github.com/acme/api v0.0.0-20240102000000-89abcdef0123\n", []string{one}},
		{"excluded in a block above the hunk", "go.mod",
			"@@ -9,3 +9,4 @@ exclude (\n+\tgithub.com/acme/api v0.0.0-20240102000000-aaaaaaaaaaaa\n )\n@@ -19,3 +19,4 @@ " +
				"require (\n+\tgithub.com/acme/api v0.0.0-20240102000000-89abcdef0123\n", []string{one}},
		{"in a comment or too long", "go.mod", "+// github.com/acme/api " +
			"v0.0.0-20240102000000-89abcdef0123\n+\tgithub.com/acme/api v0.0.0-20240102000000-89abcdef01234\n", nil},
		{"sums keep what was", "go.sum", "+github.com/acme/api v0.0.0-20240102000000-89abcdef0123 h1:x=\n", nil},
		{"not a file of Go", "main.go", "+// github.com/acme/api v0.0.0-20240102000000-89abcdef0123\n", nil},
		{"removed only", "go.mod", "-\tgithub.com/acme/api v0.0.0-20240102000000-89abcdef0123\n", nil},
	})
}

func TestDependenciesOfWorkflows(t *testing.T) {
	const one = "workflow_action acme/ci acme/ci 89abcdef0123<0123456789ab"
	runDependencies(t, []dependencyCase{
		{"a step", ".github/workflows/test.yml", "-      - uses: acme/ci@OLD # v1\n+      - uses: acme/ci@NEW # v2\n",
			[]string{one}},
		{"a workflow that is called", "x/.github/workflows/a.yaml", "+    uses: 'acme/ci/.github/workflows/go.yml@NEW'\n",
			[]string{"workflow_action acme/ci acme/ci/.github/workflows/go.yml 89abcdef0123<"}},
		{"an action's own file", "setup/action.yml", "-    - uses: \"acme/ci@OLD\"\n+    - uses: \"acme/ci@NEW\"\n",
			[]string{one}},
		{"versions, branches and folders", ".github/workflows/a.yml",
			"+  uses: acme/ci@v4\n+  uses: acme/ci@main\n+  uses: ./x\n+  uses: docker://acme/ci@NEW\n+  # uses: " +
				"acme/ci@NEW\n+  run: echo uses: acme/ci@NEW\n", nil},
		{"elsewhere", "ci/test.yml", "+ - uses: acme/ci@NEW\n", nil},
	})
}

func TestDependenciesOfPackages(t *testing.T) {
	runDependencies(t, []dependencyCase{
		{"npm", "package-lock.json", "-      \"resolved\": \"git+ssh://git@github.com/acme/api.git#OLD\",\n+      " +
			"\"resolved\": \"git+ssh://git@github.com/acme/api.git#NEW\",\n", []string{moved}},
		{"package.json, each way", "web/package.json",
			"+ \"api\": \"acme/api#NEW\",\n+ \"b\": \"github:acme/b#NEW\",\n+ \"c\": " +
				"\"git+https://github.com/acme/c.git#NEW\",\n+ \"d\": \"acme/d#0123abc\",\n+ \"e\": \"acme/e#semver:^1.0.0\",\n+ " +
				"\"f\": \"acme/f#main\",\n+ \"g\": \"acme/g#1234567\",\n+ \"scripts/h#1\": \"x\"\n",
			[]string{added, "git_reference acme/b acme/b 89abcdef0123<", "git_reference acme/c acme/c 89abcdef0123<",
				"git_reference acme/d acme/d 0123abc<"}},
		{"yarn", "web/yarn.lock", "+  resolved \"https://codeload.github.com/acme/api/tar.gz/NEW\"\n+  resolved " +
			"\"https://registry.yarnpkg.com/x/-/x-1.0.0.tgz#OLD\"\n", []string{added}},
		{"yarn of today", "yarn.lock", " \"api@https://github.com/acme/api.git#main\":\n   version: 1.0.0\n-  resolution: " +
			"\"api@https://github.com/acme/api.git#commit=OLD\"\n+  resolution: " +
			"\"api@https://github.com/acme/api.git#commit=NEW\"\n", []string{moved}},
		{"pnpm", "pnpm-lock.yaml", "-    resolution: {tarball: https://codeload.github.com/acme/api/tar.gz/OLD}\n+    " +
			"resolution: {tarball: https://codeload.github.com/acme/api/tar.gz/NEW}\n", []string{moved}},
		{"pnpm, the commit first", "pnpm-lock.yaml",
			"+    resolution: {commit: NEW, repo: https://github.com/acme/api.git, type: git}\n", []string{added}},
		{"bun", "bun.lock", "+    \"api\": [\"api@github:acme/api#89abcde\", {}, \"acme-api-89abcde\"],\n",
			[]string{"git_reference acme/api acme/api 89abcde<"}},
		{"cargo's lock", "Cargo.lock", "+source = \"git+https://github.com/acme/api?branch=main#NEW\"\n+source = " +
			"\"git+https://notgithub.com/acme/x#NEW\"\n", []string{added}},
		{"cargo, short", "Cargo.toml", "-api = { git = \"https://github.com/acme/api\", rev = \"0123abc\" }\n+api = { git " +
			"= \"https://github.com/acme/api\", rev = \"89abcde\" }\n",
			[]string{"git_reference acme/api acme/api 89abcde<0123abc"}},
		{"cargo, a table", "Cargo.toml", " [dependencies.api]\n git = \"https://github.com/acme/api\"\n-rev = " +
			"\"OLD\"\n+rev = \"NEW\"\n", []string{moved}},
		{"cargo, the address moved", "Cargo.toml", "-git = \"https://github.com/fork/api\"\n+git = " +
			"\"https://github.com/acme/api\"\n rev = \"NEW\"\n", []string{added}},
		{"pip", "requirements-dev.txt", "+api @ git+https://github.com/acme/api@NEW\n", []string{added}},
		{"pip, other names of files", "requirements/test.in",
			"-git+https://github.com/acme/api.git@OLD#egg=api\n+git+https://github.com/acme/api.git@NEW#egg=api\n",
			[]string{moved}},
		{"poetry, the address is context", "poetry.lock",
			" [package.source]\n type = \"git\"\n url = \"https://github.com/acme/api.git\"\n reference = " +
				"\"main\"\n-resolved_reference = \"OLD\"\n+resolved_reference = \"NEW\"\n", []string{moved}},
		{"uv", "uv.lock", "-source = { git = \"https://github.com/acme/api?rev=main#OLD\" }\n+source = { git = " +
			"\"https://github.com/acme/api?rev=main#NEW\" }\n", []string{moved}},
		{"pyproject", "pyproject.toml", "+api = { git = \"https://github.com/acme/api\", rev = \"NEW\" }\n", []string{added}},
		{"pipenv", "Pipfile.lock", "     \"git\": \"https://github.com/acme/api.git\",\n-    \"ref\": \"OLD\"\n+    " +
			"\"ref\": \"NEW\"\n", []string{moved}},
		{"bundler", "Gemfile.lock", " GIT\n   remote: https://github.com/acme/api.git\n-  revision: OLD\n+  revision: NEW\n",
			[]string{moved}},
		{"composer", "composer.lock", "+ \"source\": {\n+  \"type\": \"git\",\n+  \"url\": " +
			"\"https://github.com/acme/api.git\",\n+  \"reference\": \"NEW\"\n+ },\n+ \"dist\": {\n+  \"url\": " +
			"\"https://api.github.com/repos/acme/api/zipball/NEW\",\n+  \"reference\": \"NEW\"\n", []string{added}},
		{"swift", "Package.resolved", " \"location\" : \"https://github.com/acme/api.git\",\n \"state\" : {\n-  " +
			"\"revision\" : \"OLD\",\n+  \"revision\" : \"NEW\",\n", []string{moved}},
		{"mix", "mix.lock", "+  \"api\": {:git, \"https://github.com/acme/api.git\", \"NEW\", []},\n", []string{added}},
		{"pub, the commit first", "pubspec.lock", "   api:\n     description:\n       path: \".\"\n       ref: main\n-     " +
			" resolved-ref: OLD\n+      resolved-ref: NEW\n       url: \"https://github.com/acme/api.git\"\n", []string{moved}},
		{"cabal", "cabal.project", "   location: https://github.com/acme/api\n-  tag: OLD\n+  tag: NEW\n", []string{moved}},
		{"pre-commit", ".pre-commit-config.yaml", "   - repo: https://github.com/acme/api\n-    rev: OLD # frozen: v1\n+   " +
			" rev: NEW # frozen: v2\n", []string{moved}},
	})
}

func TestDependenciesOfBuilds(t *testing.T) {
	runDependencies(t, []dependencyCase{
		{"CMake", "CMakeLists.txt", " FetchContent_Declare(api\n   GIT_REPOSITORY https://github.com/acme/api.git\n-  " +
			"GIT_TAG        OLD # main\n+  GIT_TAG        NEW # main\n )\n", []string{moved}},
		{"CMake, an archive", "cmake/deps.cmake", "+  URL https://github.com/acme/api/archive/NEW.tar.gz\n", []string{added}},
		{"CMake, by short names", "deps.cmake", "+CPMAddPackage(\"gh:acme/api#NEW\")\n+CPMAddPackage(GITHUB_REPOSITORY " +
			"acme/b GIT_TAG NEW)\n", []string{added, "git_reference acme/b acme/b 89abcdef0123<"}},
		{"vcpkg", "ports/api/portfile.cmake", "     REPO acme/api\n-    REF OLD\n+    REF NEW\n", []string{moved}},
		{"Bazel, the commit first", "MODULE.bazel",
			" git_override(\n     module_name = \"other\",\n     remote = \"https://github.com/acme/other\",\n     commit = " +
				"\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\n )\n git_override(\n     module_name = \"api\",\n-    commit = " +
				"\"OLD\",\n+    commit = \"NEW\",\n     remote = \"https://github.com/acme/api.git\",\n )\n", []string{moved}},
		{"Bazel, Go's versions", "deps.bzl", "         importpath = \"github.com/acme/api\",\n         sum = \"h1:x=\",\n- " +
			"       version = \"v0.0.0-20240101000000-0123456789ab\",\n+        version = " +
			"\"v0.0.0-20240102000000-89abcdef0123\",\n",
			[]string{"go_pseudo_version acme/api github.com/acme/api 89abcdef0123<0123456789ab"}},
		{"nix", "flake.lock", "         \"owner\": \"acme\",\n         \"repo\": \"api\",\n-        \"rev\": \"OLD\",\n+   " +
			"     \"rev\": \"NEW\",\n", []string{moved}},
		{"nix, a package", "pkgs/api.nix", "     owner = \"acme\";\n     repo = \"api\";\n-    rev = \"OLD\";\n+    rev = " +
			"\"NEW\";\n", []string{moved}},
		{"meson", "subprojects/api.wrap", " [wrap-git]\n url = https://github.com/acme/api.git\n-revision = OLD\n+revision " +
			"= NEW\n", []string{moved}},
		{"jsonnet", "jsonnetfile.lock.json", "         \"remote\": \"https://github.com/acme/api.git\",\n         " +
			"\"subdir\": \"\"\n       }\n     },\n-    \"version\": \"OLD\",\n+    \"version\": \"NEW\",\n", []string{moved}},
		{"terraform", "main.tf", "+  source = \"git::https://github.com/acme/api.git//x?ref=NEW\"\n", []string{added}},
		{"kustomize", "kustomization.yaml", "+- https://raw.githubusercontent.com/acme/api/NEW/x.yaml\n+- " +
			"https://github.com/acme/b//config?ref=NEW\n", []string{added, "git_reference acme/b acme/b 89abcdef0123<"}},
	})
}

func TestDependenciesThatAreNone(t *testing.T) {
	runDependencies(t, []dependencyCase{
		{"a hash far from any address", "poetry.lock", " url = \"https://github.com/acme/api.git\"\n" + strings.Repeat(" x\n",
			9) + "+rev = \"NEW\"\n", nil},
		{"a hash of the next hunk", "poetry.lock", "@@ -1 +1 @@\n url = \"https://github.com/acme/api.git\"\n@@ -9 +9 " +
			"@@\n+rev = \"NEW\"\n", nil},
		{"a hash of the next section", "Cargo.toml",
			" [dependencies.api]\n git = \"https://github.com/acme/api\"\n [dependencies.x]\n+rev = \"NEW\"\n", nil},
		{"a hash of the next call", "deps.cmake", "   GIT_REPOSITORY https://github.com/acme/api.git\n )\n+  GIT_TAG NEW\n",
			nil},
		{"the address has its commit", "mix.lock", " \"https://github.com/acme/api.git\", \"OLD\"\n+rev: \"NEW\"\n", nil},
		{"another host's", "composer.lock", " \"url\": \"https://github.com/acme/api.git\",\n \"url\": " +
			"\"https://gitlab.com/acme/x.git\",\n+\"reference\": \"NEW\"\n \"url\": \"https://github.com/acme/b.git\",\n", nil},
		{"a page that people read", "pyproject.toml",
			"+homepage = \"https://github.com/acme/api/tree/NEW\"\n+x = \"https://github.com/acme/api/commit/NEW\"\n", nil},
		{"a comment", "requirements.txt", "+# see https://github.com/acme/api@NEW\n+x==1.0 # " +
			"git+https://github.com/acme/api@NEW\n", nil},
		{"a digest", "deps.bzl", " urls = [\"https://github.com/acme/api/archive/v1.tar.gz\"],\n+sha256 = \"" +
			strings.Repeat("89abcdef", 8) + "\",\n", nil},
		{"no such file", "notes.md", "+https://github.com/acme/api.git#NEW\n", nil},
		{"a line without end", "package.json", "+ \"api\": \"acme/api#NEW\"" + strings.Repeat(" ", 5000) + "\n", nil},
	})
}

func TestSubmodules(t *testing.T) {
	got := reference.Submodules("[submodule \"api\"]\n\tpath = libs/api\n\turl = "+
		"https://github.com/acme/api.git\n[submodule \"x\"]\r\n\turl = ../x.git\r\n\tpath = x/\r\n[submodule "+
		"\"y\"]\n\tpath = y\n\turl = https://example.org/acme/y\n[submodule \"z\"]\n\tpath = z\n\turl = "+
		"../../../../z\n[submodule \"q\"]\n\tpath = \"libs/a q\"\n\turl = \"git@github.com:acme/q.git\"\n\tbranch = main\n",
		reference.Source{Owner: "acme", Name: "web"})
	if d := cmp.Diff(map[string]string{"libs/api": "acme/api", "x": "acme/x", "libs/a q": "acme/q"}, got); d != "" {
		t.Error(d)
	}
}

// TestDependenciesAreBounded holds the list's length.
func TestDependenciesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("@@ -1 +1 @@\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "+ \"a%d\": \"acme/a%d#%s\",\n", i, i, shaNew)
	}
	if n := len(reference.Dependencies("package.json", b.String())); n != 200 {
		t.Error(n)
	}
}

// FuzzDependencies holds what is true of any diff, of a file of any kind.
func FuzzDependencies(f *testing.F) {
	f.Add(uint8(0), "go.mod", "@@ -1 +1 @@ require (\n+\tgithub.com/acme/ v0.0.0-20240102000000-89abcdef0123\n")
	paths := strings.Fields("go.mod vendor/modules.txt .github/workflows/a.yml package.json yarn.lock Cargo.toml " +
		"poetry.lock flake.lock x.cmake deps.bzl libs/api")
	for i, p := range []string{"+\tgithub.com/acme/api v0.0.0-20240102000000-89abcdef0123\n",
		"+# a.b/c v0.0.0-20240102000000-89abcdef0123 => ../x\n", "+ uses: a/b@NEW\n", " \"a\": \"b/c#NEW\",\n",
		"+ resolution: \"a@https://github.com/a/b.git#commit=NEW\"\n", "-git = \"https://github.com/a/b\"\n+rev=\"NEW\"\n",
		" resolved_reference = \"NEW\"\n+url = \"https://github.com/a/b\"\n",
		" \"owner\": \"a\",\n \"repo\": \"b\",\n+\"rev\": \"NEW\"\n",
		"+GIT_REPOSITORY https://github.com/a/b\n GIT_TAG 89abcde\n",
		"+importpath = \"github.com/a/b\"\n version = \"v0.0.0-20240102000000-89abcdef0123\"\n", "+Subproject commit NEW\n"} {
		f.Add(uint8(i), paths[i], "@@ -1 +1 @@ require (\n"+strings.ReplaceAll(p, "NEW", shaNew))
	}
	f.Fuzz(func(t *testing.T, kind uint8, path, patch string) {
		for _, p := range []string{path, paths[int(kind)%len(paths)]} {
			list := reference.Dependencies(p, patch)
			for _, d := range list {
				if n := len(d.SHA); n < 7 || n > 40 || strings.Trim(d.SHA, "0123456789abcdef") != "" || d.PreviousSHA == d.SHA {
					t.Fatalf("hash %q < %q", d.SHA, d.PreviousSHA)
				}
				if len(d.Owner) > 39 || len(d.Name) > 100 || (d.Owner == "") != (d.Name == "") || len(d.Module) > 303 ||
					d.Module == "" || !utf8.ValidString(d.Module) {
					t.Fatalf("%+v", d)
				}
			}
			if d := cmp.Diff(list, reference.Dependencies(p, strings.Clone(patch))); d != "" || len(list) > 200 {
				t.Fatal(len(list), d)
			}
			reference.DependencyFile(p)
		}
		reference.Submodules(patch, reference.Source{Owner: "a", Name: "b"})
	})
}

func BenchmarkDependencies(b *testing.B) {
	line := "+    \"node_modules/left\": {\n+      \"version\": \"1.3.0\",\n+      \"resolved\": " +
		"\"https://registry.example.org/left/-/left-1.3.0.tgz\",\n+      \"integrity\": " +
		"\"sha512-aaaabbbbccccddddeeeeffff\"\n+    },\n"
	patch := "@@ -1 +1 @@\n" + strings.Repeat(line, 4000) + "+ \"resolved\": \"git+ssh://git@github.com/acme/api.git#" +
		shaNew + "\"\n"
	b.SetBytes(int64(len(patch)))
	for b.Loop() {
		if len(reference.Dependencies("package-lock.json", patch)) != 1 {
			b.Fatal("lost")
		}
	}
}
