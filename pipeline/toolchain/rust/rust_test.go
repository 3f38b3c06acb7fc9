package rust

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

const rustTables = `[package]
name = "app"
version.workspace = true
edition = { workspace = true }
rust-version = "1.60"

[dependencies]
plain = "1.2"
renamed = { package = "real-name", version = "2", optional = true }
shared = { workspace = true, features = ["x"] }
"quoted-name" = ">=1, <3"

[dependencies.table]
version = "0.3"
git = "https://example.org/acme/table"
branch = "main"

[dependencies.aliased]
package = "table-name"
path = "../table-name"

[dev-dependencies.dev]
registry = "own"
version = "1"

[target.'cfg(unix)'.dependencies]
nix = "0.2"

[target."cfg(not(unix))".dev-dependencies.win]
version = "0.5"

[target.x86_64-unknown-linux-gnu.build-dependencies]
cc = "1"

[features]
default = ["std"]
std = []
`

// Every way in which a manifest writes a dependency is read, inherited ones too.
func TestRustManifestTables(t *testing.T) {
	tree := readRust(kit.Map{
		"Cargo.toml": `[workspace]
members = ["crates/*"]
[workspace.package]
version = "4.5.6"
edition = "2021"
[workspace.dependencies]
shared = { package = "shared-name", version = "7", path = "libs/shared" }
`,
		"crates/app/Cargo.toml": rustTables, "crates/app/src/lib.rs": "",
		"vendor/x/Cargo.toml":              "[package]\nname = \"x\"\n",
		"crates/app/tests/data/Cargo.toml": "[package]\nname = \"fixture\"\n",
		"broken/Cargo.toml":                "[package\n",
	})
	if len(tree.crates) != 1 {
		t.Fatalf("%d packages", len(tree.crates))
	}
	c := tree.crates[0]
	if got := []string{c.name, c.version, c.edition, c.minimum, tree.workspaceOf(c.dir)}; !slices.Equal(got,
		[]string{"app", "4.5.6", "2021", "1.60", "."}) {
		t.Errorf("package %q", got)
	}
	want := map[string]rustDep{
		"plain": {version: "1.2"}, "real-name": {version: "2"}, "quoted-name": {version: ">=1, <3"},
		"shared-name": {version: "7", path: "libs/shared"},
		"table":       {version: "0.3", git: "https://example.org/acme/table"},
		"table-name":  {path: "crates/table-name"},
		"dev":         {version: "1", from: "own"},
		"nix":         {version: "0.2"}, "win": {version: "0.5"}, "cc": {version: "1"},
	}
	got := map[string]rustDep{}
	for _, d := range c.deps {
		name := d.name
		d.name = ""
		got[name] = d
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(rustDep{})); diff != "" {
		t.Errorf("dependencies: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(map[string]bool{"default": true, "std": true, "renamed": true}, c.features); diff != "" {
		t.Errorf("features: -want +got\n%s", diff)
	}
}

func TestCargoAdmits(t *testing.T) {
	for _, c := range []struct {
		requirement, version string
		want                 bool
	}{
		{"1.2", "1.2.0", true}, {"1.2", "1.9.3", true}, {"1.2", "1.1.9", false}, {"1.2", "2.0.0", false},
		{"0.2.3", "0.2.9", true}, {"0.2", "0.3.0", false}, {"0.0.3", "0.0.4", false}, {"0", "0.9.1", true},
		{"^1", "1.0.0", true}, {"~1.2", "1.2.9", true}, {"~1.2.3", "1.3.0", false}, {"~1", "1.9.0", true},
		{"=1.2.3", "1.2.3", true}, {"=1.2.3", "1.2.4", false}, {"=1.2", "1.2.9", true},
		{"*", "3.1.4", true}, {"1.*", "1.7.0", true}, {"1.*", "2.0.0", false}, {"1.2.*", "1.3.0", false},
		{">=1, <3", "2.5.0", true}, {">=1, <3", "3.0.0", false}, {">1", "1.5.0", false}, {">1", "2.0.0", true},
		{"<=1.2", "1.2.9", true}, {"<1.2", "1.2.0", false},
		{"1", "1.3.0-alpha.1", false}, {"1.3.0-alpha.1", "1.3.0-alpha.2", true}, {"", "9.9.9", true}, {"what", "1.0.0", true},
		{"1", "", true},
	} {
		if got := cargoAdmits(c.requirement, c.version); got != c.want {
			t.Errorf("%q admits %q: %v", c.requirement, c.version, got)
		}
	}
}

// The sibling's tree is laid over every source that a dependency comes from, with
// what only the sibling depends on.
func TestRustWire(t *testing.T) {
	app := kit.Map{"Cargo.toml": `[package]
name = "app"
[dependencies]
lib = "1"
other = { package = "far", git = "https://example.org/acme/lib" }
old = "1"
serde = "1"
`, "src/lib.rs": ""}
	lib := kit.Map{
		"Cargo.toml": "[workspace]\nmembers = [\"*\"]\n[workspace.package]\nversion = \"1.4.0\"\n",
		"lib/Cargo.toml": "[package]\nname = \"lib\"\nversion.workspace = true\n[dependencies]\ninner = { path = " +
			"\"../inner\", version = \"1\" }\n",
		"inner/Cargo.toml":  "[package]\nname = \"inner\"\nversion = \"1.0.0\"\n",
		"far/Cargo.toml":    "[package]\nname = \"far\"\nversion = \"0.1.0\"\n",
		"old/Cargo.toml":    "[package]\nname = \"old\"\nversion = \"2.0.0\"\n",
		"unused/Cargo.toml": "[package]\nname = \"unused\"\nversion = \"1.0.0\"\n",
		"evil/Cargo.toml":   "[package]\nname = \"e\\\"vil\"\nversion = \"1.0.0\"\n",
	}
	w := wireRust(kit.Job{Repository: "acme/app", Tree: app, Siblings: []kit.Sibling{{Repository: "acme/app", Tree: app},
		{Repository: "acme/lib", Tree: lib}}}, readRust(app))
	all := map[string]string{"lib": "acme/lib/lib", "inner": "acme/lib/inner", "far": "acme/lib/far",
		"old": "acme/lib/old"}
	want := map[string]map[string]string{"crates-io": all, "https://example.org/acme/lib": {"far": "acme/lib/far"}}
	if diff := cmp.Diff(want, w.patches); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(w.notes) != 1 || !strings.Contains(w.notes[0], "old 2.0.0") {
		t.Errorf("notes %q", w.notes)
	}
	if text := strings.Join(w.lines(), "\n"); !strings.Contains(text, `[patch."https://example.org/acme/lib"]`) ||
		strings.Contains(text, "vil") {
		t.Error(text)
	}
}

func TestRustDetect(t *testing.T) {
	for name, c := range map[string]struct {
		tree     kit.Map
		runtime  string
		env, why string
		packages []string
	}{
		"the distribution's": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\nrust-version = \"1.60\"\n"},
			runtime: "1.85", why: "rust-version 1.60", packages: []string{"cargo", "rustc"}},
		"a newer one": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\nrust-version = \"1.90\"\n"},
			runtime: "1.90", why: "image rust:1.90-trixie"},
		"a toolchain file": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\n",
			"rust-toolchain.toml": "[toolchain]\nchannel = \"1.87\"\n"}, runtime: "1.87", why: "rust:1.87-bookworm"},
		"unstable features": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\n", "src/lib.rs": "#![feature(test)]\n"},
			runtime: "1.85", env: "RUSTC_BOOTSTRAP"},
		"warnings are errors": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\n",
			"src/lib.rs": "#![deny(warnings)]\n"}, runtime: "1.85", env: "RUSTFLAGS"},
		"system libraries": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\n[dependencies.tls]\npackage = " +
			"\"native-tls\"\nversion = \"1\"\n"}, runtime: "1.85", packages: []string{"libssl-dev"}},
		"a lock file's": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\n",
			"Cargo.lock": "[[package]]\nname = \"bindgen\"\n"}, runtime: "1.85", packages: []string{"libclang-dev"}},
		"every feature": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\n",
			".github/workflows/ci.yml": "run: cargo test --workspace --all-features\n"}, runtime: "1.85", env: RustFeatures},
		"but not an unstable": {tree: kit.Map{"Cargo.toml": "[package]\nname = \"a\"\n[features]\nnightly = []\n",
			"Makefile": "test:\n\tcargo test --all-features\n"}, runtime: "1.85", why: "no Cargo.lock"},
	} {
		r, ok := Toolchain{}.Detect(c.tree)
		why := strings.Join(r.Why, "\n")
		if !ok || r.Runtime != c.runtime || !strings.Contains(why, c.why) {
			t.Errorf("%s: %v %+v", name, ok, r)
		}
		if _, set := r.Env[c.env]; c.env != "" && !set {
			t.Errorf("%s: no %s in %v", name, c.env, r.Env)
		}
		for _, p := range c.packages {
			if !slices.Contains(r.Packages, p) {
				t.Errorf("%s: no package %s in %v", name, p, r.Packages)
			}
		}
		if _, set := r.Env[RustFeatures]; set != (name == "every feature") {
			t.Errorf("%s: features %v", name, r.Env)
		}
	}
	if r, ok := (Toolchain{}).Detect(kit.Map{"Cargo.toml": "[workspace]\n",
		"vendor/a/Cargo.toml": "[package]\nname = \"a\"\n"}); ok {
		t.Errorf("a workspace without packages: %+v", r)
	}
}

func TestRustSelect(t *testing.T) {
	tree := kit.Map{
		"Cargo.toml": "[package]\nname = \"app\"\n[[test]]\nname = \"named\"\npath = \"checks/n.rs\"\n",
		"build.rs":   "fn main() {}\n",
		"src/lib.rs": "mod a;\n#[cfg(test)]\nmod tests;\n", "src/a.rs": "/// ```\n/// ```\npub fn f() {}\n",
		"src/tests/mod.rs": "mod deep;\n", "src/tests/deep.rs": "#[test] fn d() {}\n",
		"src/main.rs": "#[test] fn m() {}\n", "checks/n.rs": "#[test] fn n() {}\n",
		"tests/it.rs":         "mod common;\nconst X: &str = include_str!(\"data.json\");\n#[test] fn i() {}\n",
		"tests/common/mod.rs": "pub fn h() {}\n",
		"tests/data.json":     "{}", "tests/multi/main.rs": "mod part;\n", "tests/multi/part.rs": "#[test] fn p() {}\n",
		"src/tests/snapshots/app__tests__deep__x.snap": "", "benches/b.rs": "", "other/README": "",
	}
	for hidden, want := range map[string]string{
		"tests/it.rs": "test/it", "tests/common/mod.rs": "test/it", "tests/data.json": "test/it",
		"tests/multi/part.rs": "test/multi",
		"checks/n.rs":         "test/named", "src/tests/deep.rs": "lib tests::deep", "src/a.rs": "doc src/a.rs",
		"src/main.rs": "bin/app",
		"src/tests/snapshots/app__tests__deep__x.snap": "lib tests::deep", "benches/b.rs": "left", "Cargo.toml": "left",
		"gone.rs": "left",
	} {
		s, err := Toolchain{}.Select(tree, schema.Recipe{Toolchain: "rust"}, []string{hidden})
		if err != nil {
			t.Fatal(err)
		}
		got := "left"
		if len(s.Units) == 1 {
			got = strings.TrimSpace(s.Units[0].Target + " " + strings.Join(s.Units[0].Tests, " "))
		}
		if got != want || len(s.Units) > 1 || len(s.Units)+len(s.Left) == 0 {
			t.Errorf("%s: %+v, want %s", hidden, s, want)
		}
	}
}
