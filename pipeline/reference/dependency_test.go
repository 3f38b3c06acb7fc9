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
)

func showDependencies(list []reference.Dependency) []string {
	out := []string{}
	for _, d := range list {
		out = append(out, fmt.Sprintf("%s %s/%s %s %.12s<%.12s", d.Kind, d.Owner, d.Name, d.Module, d.SHA, d.PreviousSHA))
	}
	return out
}

func TestDependencies(t *testing.T) {
	for _, c := range []struct {
		name, path, patch string
		want              []string
	}{
		{"go pseudo-versions", "go.mod", "@@ -1,4 +1,4 @@\n require (\n-\tgithub.com/acme/api v0.0.0-20240101000000-0123456789ab\n+\tgithub.com/acme/api v0.0.0-20240102000000-89abcdef0123\n+\tgithub.com/acme/sdk/v2 v2.1.1-0.20240102000000-aaaaaaaaaaaa // indirect\n+\tacme.org/x v1.2.3-rc.1.0.20240102000000-bbbbbbbbbbbb\n+\tgithub.com/acme/docs v1.2.3\n \tgithub.com/acme/ctx v0.0.0-20240102000000-cccccccccccc\n",
			[]string{"go_pseudo_version acme/api github.com/acme/api 89abcdef0123<0123456789ab", "go_pseudo_version acme/sdk github.com/acme/sdk/v2 aaaaaaaaaaaa<", "go_pseudo_version / acme.org/x bbbbbbbbbbbb<"}},
		{"a replacement", "sub/go.mod", "@@ -1 +1 @@\n+replace github.com/other/api => github.com/acme/api v0.0.0-20240102000000-89abcdef0123\n",
			[]string{"go_pseudo_version acme/api github.com/acme/api 89abcdef0123<"}},
		{"a pseudo-version in a comment or too long", "go.mod", "@@ -1 +1 @@\n+// github.com/acme/api v0.0.0-20240102000000-89abcdef0123\n+\tgithub.com/acme/api v0.0.0-20240102000000-89abcdef01234\n", nil},
		{"a submodule", "libs/api", "diff --git a/libs/api b/libs/api\nindex 0123456..89abcde 160000\n--- a/libs/api\n+++ b/libs/api\n@@ -1 +1 @@\n-Subproject commit " + shaOld + "\n+Subproject commit " + shaNew + "\n",
			[]string{"submodule / libs/api 89abcdef0123<0123456789ab"}},
		{"a text about a submodule", "notes.txt", "@@ -1 +1 @@\n x\n-Subproject commit " + shaOld + "\n+Subproject commit " + shaNew + "\n", nil},
		{"npm", "package-lock.json", "@@ -1 +1 @@\n-      \"resolved\": \"git+ssh://git@github.com/acme/api.git#" + shaOld + "\",\n+      \"resolved\": \"git+ssh://git@github.com/acme/api.git#" + shaNew + "\",\n",
			[]string{"git_reference acme/api acme/api 89abcdef0123<0123456789ab"}},
		{"yarn", "web/yarn.lock", "@@ -1 +1 @@\n+  resolved \"https://codeload.github.com/acme/api/tar.gz/" + shaNew + "\"\n", []string{"git_reference acme/api acme/api 89abcdef0123<"}},
		{"cargo", "Cargo.lock", "@@ -1 +1 @@\n+source = \"git+https://github.com/acme/api?branch=main#" + shaNew + "\"\n+source = \"git+https://notgithub.com/acme/x#" + shaNew + "\"\n", []string{"git_reference acme/api acme/api 89abcdef0123<"}},
		{"pip", "requirements-dev.txt", "@@ -1 +1 @@\n+api @ git+https://github.com/acme/api@" + shaNew + "\n", []string{"git_reference acme/api acme/api 89abcdef0123<"}},
		{"poetry, the address is context", "poetry.lock", "@@ -1 +1 @@\n [package.source]\n type = \"git\"\n url = \"https://github.com/acme/api.git\"\n reference = \"main\"\n-resolved_reference = \"" + shaOld + "\"\n+resolved_reference = \"" + shaNew + "\"\n",
			[]string{"git_reference acme/api acme/api 89abcdef0123<0123456789ab"}},
		{"nix", "flake.lock", "@@ -1 +1 @@\n         \"owner\": \"acme\",\n         \"repo\": \"api\",\n-        \"rev\": \"" + shaOld + "\",\n+        \"rev\": \"" + shaNew + "\",\n", []string{"git_reference acme/api acme/api 89abcdef0123<0123456789ab"}},
		{"a hash far from any address", "poetry.lock", "@@ -1 +1 @@\n url = \"https://github.com/acme/api.git\"\n" + strings.Repeat(" x\n", 9) + "+rev = \"" + shaNew + "\"\n", nil},
		{"a hash of the next hunk", "poetry.lock", "@@ -1 +1 @@\n url = \"https://github.com/acme/api.git\"\n@@ -9 +9 @@\n+rev = \"" + shaNew + "\"\n", nil},
		{"no such file", "main.go", "@@ -1 +1 @@\n+// github.com/acme/api v0.0.0-20240102000000-89abcdef0123\n", nil},
		{"removed only", "go.mod", "@@ -1 +1 @@\n-\tgithub.com/acme/api v0.0.0-20240102000000-89abcdef0123\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(append([]string{}, c.want...), showDependencies(reference.Dependencies(c.path, c.patch))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSubmodules(t *testing.T) {
	got := reference.Submodules("[submodule \"api\"]\n\tpath = libs/api\n\turl = https://github.com/acme/api.git\n[submodule \"x\"]\r\n\turl = ../x.git\r\n\tpath = x\r\n[submodule \"y\"]\n\tpath = y\n\turl = https://example.org/acme/y\n[submodule \"z\"]\n\tpath = z\n\turl = ../../../../z\n",
		reference.Source{Owner: "acme", Name: "web"})
	if d := cmp.Diff(map[string]string{"libs/api": "acme/api", "x": "acme/x"}, got); d != "" {
		t.Error(d)
	}
}

// FuzzDependencies holds what is true of any diff.
func FuzzDependencies(f *testing.F) {
	f.Add("go.mod", "@@ -1 +1 @@\n+\tgithub.com/acme/api v0.0.0-20240102000000-89abcdef0123\n")
	f.Add("flake.lock", "@@\n \"owner\": \"a\",\n \"repo\": \"b\",\n+\"rev\": \""+shaNew+"\"\n")
	f.Add("libs/api", "@@\n+Subproject commit "+shaNew+"\n")
	f.Fuzz(func(t *testing.T, path, patch string) {
		list := reference.Dependencies(path, patch)
		for _, d := range list {
			if n := len(d.SHA); n != 12 && n != 40 || strings.Trim(d.SHA, "0123456789abcdef") != "" {
				t.Fatalf("hash %q", d.SHA)
			}
			if len(d.Owner) > 39 || len(d.Name) > 100 || (d.Owner == "") != (d.Name == "") || len(d.Module) > 303 || !utf8.ValidString(d.Module) {
				t.Fatalf("%+v", d)
			}
		}
		if d := cmp.Diff(list, reference.Dependencies(path, strings.Clone(patch))); d != "" || len(list) > 200 {
			t.Fatal(len(list), d)
		}
		reference.Submodules(patch, reference.Source{Owner: "a", Name: "b"})
	})
}
