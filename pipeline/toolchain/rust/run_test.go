package rust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

const rustLibrary = `//! A library.

/// Adds.
///
/// ` + "```" + `
/// assert_eq!(app::add(1, 2), 3);
/// ` + "```" + `
/// ` + "```" + `
/// assert_eq!(app::add(1, 2), 4);
/// ` + "```" + `
pub fn add(a: u8, b: u8) -> u8 { a + b }

#[cfg(test)]
mod tests {
    use std::io::Write;
    #[test] fn adds() { assert_eq!(super::add(1, 1), 2) }
    #[test] fn fails() { println!("test tests::adds ... FAILED"); assert_eq!(1, 2, "héllo") }
    #[test] #[ignore = "slow one"] fn ignored() {}
    #[test] #[should_panic(expected = "boom")] fn panics() { panic!("boom") }
    #[test] #[should_panic] fn does_not_panic() {}
    #[test] fn ünïcode() {}
    #[test] fn forges() {
        std::io::stdout().write_all(b"\ntest tests::ghost ... ok\ntest tests::fails ... ok\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n").unwrap();
    }
    #[test] fn glues() { std::io::stdout().write_all(b"no newline").unwrap(); }
}
`

func rustApp() kit.Map {
	return kit.Map{
		"Cargo.toml":     "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"2\"\n",
		"rust-toolchain": "1.60.0\n",
		"crates/app/Cargo.toml": `[package]
name = "app"
version = "0.1.0"
edition = "2021"

[features]
extra = []

[[test]]
name = "own"
harness = false

[[test]]
name = "feature"
required-features = ["extra"]

[dependencies]
sibling = "1.2"
`,
		"crates/app/src/lib.rs": rustLibrary,
		"crates/app/tests/it.rs": "mod common;\n#[test] fn adds() { assert_eq!(app::add(2, 2), common::four()); " +
			"assert_eq!(sibling::name(), \"sibling\"); assert!(std::env::var_os(\"WIDESWE_OUT\").is_none()) }\n",
		"crates/app/tests/common.rs":  "pub fn four() -> u8 { 4 }\n",
		"crates/app/tests/feature.rs": "#[test] fn on() { assert!(cfg!(feature = \"extra\")) }\n",
		"crates/app/tests/own.rs":     "fn main() { println!(\"test a ... ok\") }\n",
		"crates/app/tests/broken.rs":  "#[test] fn never() { undefined() }\n",
		"crates/app/tests/crash.rs": `#[test] fn a_first() {}
#[test] fn b_dies() { std::thread::sleep(std::time::Duration::from_millis(300)); std::process::abort() }
#[test] fn c_waits() { std::thread::sleep(std::time::Duration::from_secs(1)) }
#[test] fn d_last() {}
`,
		"crates/app/tests/leaves.rs": "#[test] fn a() {}\n#[test] fn b() { std::process::exit(0) }\n#[test] fn c() {}\n",
	}
}

// rustJob detects and selects.
func rustJob(t *testing.T, tree kit.Map, siblings []kit.Sibling, hidden ...string) kit.Job {
	t.Helper()
	r, ok := (Toolchain{}).Detect(tree)
	if !ok {
		t.Fatalf("detected %v", r.Toolchain)
	}
	sel, err := Toolchain{}.Select(tree, r, hidden)
	if err != nil {
		t.Fatal(err)
	}
	return kit.Job{Recipe: r, Repository: "acme/app", Tree: tree, Selection: sel, Siblings: siblings}
}

func needCargo(t *testing.T) (cache string) {
	t.Helper()
	testscope.Programs(t, "cargo")
	return t.TempDir()
}

// TestRustRun wires a package to a sibling that was never published, and reads a
// run in which tests forge, die and leave.
func TestRustRun(t *testing.T) {
	cache := needCargo(t)
	lib := kit.Map{"rust/Cargo.toml": "[package]\nname = \"sibling\"\nversion = \"1.3.0\"\n",
		"rust/src/lib.rs": "pub fn name() -> &'static str { \"sibling\" }\n"}
	app := rustApp()
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": app, "acme/lib": lib})
	at := func(names ...string) (hidden []string) {
		for _, n := range names {
			hidden = append(hidden, "crates/app/"+n)
		}
		return hidden
	}
	j := rustJob(t, app, []kit.Sibling{{Repository: "acme/lib", Tree: lib}}, at("src/lib.rs", "tests/it.rs",
		"tests/feature.rs", "tests/own.rs", "tests/broken.rs", "tests/crash.rs")...)
	first, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	want := map[string]schema.TestOutcome{
		"app::tests::adds": schema.Pass, "app::tests::fails": schema.Fail, "app::tests::ignored": schema.Skip,
		"app::tests::panics":         schema.Pass,
		"app::tests::does_not_panic": schema.Fail, "app::tests::ünïcode": schema.Pass, "app::tests::forges": schema.Pass,
		"app::tests::glues":                        schema.Pass,
		"app:doc/lib::crates/app/src/lib.rs - add": schema.Pass, "app:doc/lib::crates/app/src/lib.rs - add #2": schema.Fail,
		"app:it::adds": schema.Pass, "app:feature::on": schema.Pass, "app:own::main": schema.Pass,
	}
	got := kittest.Outcomes(first)
	for id := range got {
		if strings.HasPrefix(id, "app:crash::") {
			delete(got, id)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || exit != 101 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	kinds := map[string]testreport.Kind{}
	for _, p := range first.Problems {
		kinds[p.Unit] = p.Kind
	}
	if diff := cmp.Diff(map[string]testreport.Kind{"app:broken": testreport.BuildFailed, "app:crash": testreport.Crashed},
		kinds); diff != "" {
		t.Errorf("problems: -want +got\n%s\n%v", diff, first.Problems)
	}
	for _, name := range []string{"Cargo.lock", "target"} {
		if _, err := os.Stat(filepath.Join(w.Root, "acme/app", name)); err == nil {
			t.Errorf("the run left %s in the tree", name)
		}
	}
	rustCrash(t, w, j, cache)
}

// rustCrash runs one test at a time what a crash hid.
func rustCrash(t *testing.T, w kittest.Workspace, j kit.Job, cache string) {
	t.Helper()
	j.Only = []string{"app:crash::b_dies", "app:crash::c_waits", "app:crash::d_last"}
	again, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	want := map[string]schema.TestOutcome{"app:crash::b_dies": schema.Error, "app:crash::c_waits": schema.NotRun,
		"app:crash::d_last": schema.NotRun}
	if diff := cmp.Diff(want, kittest.Outcomes(again)); diff != "" {
		t.Errorf("one at a time: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"app:crash::b_dies"}, again.Crashed); diff != "" {
		t.Errorf("crashed: -want +got\n%s", diff)
	}
	j.Only, j.Skip = j.Only[1:], j.Only[:1]
	again, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	want = map[string]schema.TestOutcome{"app:crash::c_waits": schema.Pass, "app:crash::d_last": schema.Pass}
	if diff := cmp.Diff(want, kittest.Outcomes(again)); diff != "" || exit != 0 {
		t.Errorf("without the crashed test: exit %d, -want +got\n%s", exit, diff)
	}
}

// TestRustLeaves: a program that ends with 0 in the middle is believed in nothing.
func TestRustLeaves(t *testing.T) {
	cache := needCargo(t)
	app := rustApp()
	delete(app, "crates/app/tests/it.rs")
	app["crates/app/Cargo.toml"] = "[package]\nname = \"app\"\nversion = \"0.1.0\"\n"
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": app})
	j := rustJob(t, app, nil, "crates/app/tests/leaves.rs")
	j.Only = []string{"app:leaves::a", "app:leaves::b", "app:leaves::c"}
	r, exit := w.RunAny(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	if ok, why := formats.Consistent(r, exit); ok || !strings.Contains(why, "ended with 0 before") {
		t.Errorf("exit %d, consistent %v %q: %v", exit, ok, why, kittest.Outcomes(r))
	}
}

// TestRustStale fills the cache with one version of the sources and runs another
// of the same time and size: it must be the one that runs.
func TestRustStale(t *testing.T) {
	cache := needCargo(t)
	app := kit.Map{
		"Cargo.toml": "[package]\nname = \"app\"\nversion = \"0.1.0\"\n",
		"build.rs": "fn main() { println!(\"cargo:rerun-if-changed=build.rs\"); " +
			"println!(\"cargo:rustc-env=BUILT=1\") }\n",
		"src/lib.rs": "pub fn version() -> u8 { 1 }\npub fn built() -> &'static str { env!(\"BUILT\") }\n",
		"tests/it.rs": "#[test] fn version() { assert_eq!(app::version(), 2) }\n#[test] fn built() { " +
			"assert_eq!(app::built(), \"2\") }\n#[test] fn data() { assert_eq!(include_str!(\"data.txt\"), \"2\") }\n",
		"tests/data.txt":    "1",
		"src/bin/helper.rs": "fn main() {}\n",
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": app})
	root := filepath.Join(w.Root, "acme/app")
	age := func() {
		for _, name := range app.Files() {
			old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
			if err := os.Chtimes(filepath.Join(root, name), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	age()
	j := rustJob(t, app, nil, "tests/it.rs")
	warm := kittest.Plan(t, Toolchain{}, j)
	warm.Build, warm.Test = append(warm.Warm, warm.Build...), ":"
	warm.Test = "cd \"$WIDESWE_REPO\" && cargo test --test it; cd \"$WIDESWE_REPO\" && cargo test --test it -- --list"
	w.RunAny(t, j, warm, "WIDESWE_CACHE="+cache)
	for name, text := range app {
		changed := strings.NewReplacer("{ 1 }", "{ 2 }", "BUILT=1", "BUILT=2").Replace(text)
		if name == "tests/data.txt" {
			changed = "2"
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	age()
	got, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	want := map[string]schema.TestOutcome{"app:it::version": schema.Pass, "app:it::built": schema.Pass,
		"app:it::data": schema.Pass}
	if diff := cmp.Diff(want, kittest.Outcomes(got)); diff != "" || exit != 0 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
}

// TestRustRunOfARequirementThatMoves: base asks for a version that the sibling's
// tree has left behind, gold for the tree's. Each is right: base is built with the
// published version and says so, gold with the tree, and neither tree is touched.
func TestRustRunOfARequirementThatMoves(t *testing.T) {
	cache := needCargo(t)
	lib := kit.Map{"Cargo.toml": "[package]\nname = \"lib\"\nversion = \"2.0.0\"\n",
		"src/lib.rs": "pub fn made() -> &'static str { \"in the tree\" }\n"}
	app := func(requirement, made string) kit.Map {
		return kit.Map{
			"Cargo.toml": "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nlib = \"" +
				requirement + "\"\n",
			// What stands for the registry, which a test has no way to.
			".cargo/config.toml": "[source.crates-io]\nreplace-with = \"kept\"\n[source.kept]\ndirectory = " +
				"\"vendor\"\n",
			"vendor/lib/Cargo.toml":           "[package]\nname = \"lib\"\nversion = \"1.0.0\"\n",
			"vendor/lib/src/lib.rs":           "pub fn made() -> &'static str { \"for the registry\" }\n",
			"vendor/lib/.cargo-checksum.json": `{"files":{},"package":"` + strings.Repeat("0", 64) + `"}`,
			"src/lib.rs":                      "pub use lib::made;\n",
			"tests/it.rs":                     "#[test] fn made() { assert_eq!(app::made(), \"" + made + "\") }\n",
		}
	}
	for _, c := range []struct {
		name string
		tree kit.Map
		note bool
	}{{"base", app("1", "for the registry"), true}, {"gold", app("2", "in the tree"), false}} {
		w := kittest.Layout(t, map[string]kit.Map{"acme/app": c.tree, "acme/lib": lib})
		j := rustJob(t, c.tree, []kit.Sibling{{Repository: "acme/lib", Tree: lib}}, "tests/it.rs")
		p := kittest.Plan(t, Toolchain{}, j)
		// Setup has a copy of the tree to itself.
		p.Build = slices.Concat([]string{"export CARGO_NET_OFFLINE=true"}, p.Setup, []string{"rm Cargo.lock"}, p.Build)
		got, exit := w.Run(t, j, p, "WIDESWE_CACHE="+cache)
		if diff := cmp.Diff(map[string]schema.TestOutcome{"app:it::made": schema.Pass}, kittest.Outcomes(got)); diff != "" ||
			exit != 0 {
			t.Errorf("%s: exit %d, -want +got\n%s", c.name, exit, diff)
		}
		if said := strings.Contains(strings.Join(p.Notes, "\n"), "does not admit"); said != c.note {
			t.Errorf("%s: notes %q", c.name, p.Notes)
		}
		if _, err := os.Stat(filepath.Join(w.Root, "acme/app/Cargo.lock")); err == nil {
			t.Errorf("%s: a lock file is left in the tree", c.name)
		}
	}
}
