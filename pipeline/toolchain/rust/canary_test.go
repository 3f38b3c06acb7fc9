package rust

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// canaryCrate has a root of each make: one that calls another attribute test, that
// denies warnings, that has modules beside it, that tells its own place, of an old
// edition, that does not compile, that is switched off.
var canaryCrate = kit.Map{
	"Cargo.toml": "[workspace]\nmembers = [\"app\", \"old\"]\nresolver = \"2\"\n",
	"app/Cargo.toml": "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[features]\nx = " +
		"[]\n[lib]\ndoctest = false\n",
	"app/src/lib.rs": "#![deny(warnings)]\n#![forbid(unsafe_code)]\nmod inner;\n#[cfg(test)] mod tests { #[test] fn " +
		"adds() { assert_eq!(crate::inner::one(), 1) } #[test] fn fails() { panic!() } }\n#[test] fn elsewhere() {}\n",
	"app/src/inner.rs": "#[cfg_attr(not(test), allow(dead_code))] pub fn one() -> u8 { 1 }\n",
	"app/tests/it.rs": "mod common;\nconst DATA: &str = include_str!(\"data.txt\");\n#[test] fn place() { " +
		"assert!(file!().ends_with(\"tests/it.rs\"), \"{}\", file!()); assert_eq!(DATA, common::data()) } // no newline",
	"app/tests/data.txt": "d", "app/tests/common/mod.rs": "pub fn data() -> &'static str { \"d\" }\n",
	"app/tests/shadow.rs": "#[allow(unused_macros)] macro_rules! ignored { () => {} }\nmod other { pub use " +
		"core::prelude::v1::derive as test; }\n#[allow(unused_imports)] use other::test;\n#[::core::prelude::v1::test] fn " +
		"shadowed() {}\n",
	"app/tests/broken.rs": "#[test] fn never() { undefined() }\n",
	"app/tests/off.rs":    "#![cfg(feature = \"x\")]\n#[test] fn off() {}\n",
	"old/Cargo.toml":      "[package]\nname = \"old\"\nversion = \"0.1.0\"\n[lib]\ndoctest = false\n",
	"old/src/lib.rs":      "#[test] fn dated() {}\n",
}

// TestRustCanary: the tests that are laid in run first in programs of every make,
// end as they are meant to, and leave neither the tree nor the ids changed.
func TestRustCanary(t *testing.T) {
	cache := needCargo(t)
	hidden := []string{"app/src/lib.rs", "app/tests/it.rs", "app/tests/shadow.rs", "app/tests/broken.rs", "old/src/lib.rs"}
	j := rustJob(t, canaryCrate, nil, hidden...)
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": canaryCrate})
	plain, _ := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	j.Canary = "secret"
	p := kittest.Plan(t, Toolchain{}, j)
	if len(p.Canaries) != len(hidden) {
		t.Fatalf("%d canaries", len(p.Canaries))
	}
	rep, _ := w.Run(t, j, p, "WIDESWE_CACHE="+cache)
	left, ends := kittest.Outcomes(rep), 0
	for _, c := range p.Canaries {
		for _, x := range rep.Results {
			_, name := schema.SplitTestID(x.ID)
			if want, ours := c.Want[name]; ours {
				ends++
				delete(left, x.ID)
				if x.Outcome != want {
					t.Errorf("%s: %s, want %s", x.ID, x.Outcome, want)
				}
			}
		}
	}
	if ends != 4*kit.CanarySize { // all but the broken one's
		t.Errorf("%d canary results", ends)
	}
	if diff := cmp.Diff(kittest.Outcomes(plain), left); diff != "" {
		t.Errorf("the canaries change the others: -without +with\n%s", diff)
	}
	if left["app::elsewhere"] != schema.Pass || left["app:it::place"] != schema.Pass {
		t.Errorf("outcomes %v", left)
	}
	for _, dir := range []string{"app/src", "app/tests", "old/src"} {
		entries, err := os.ReadDir(filepath.Join(w.Root, "acme/app", dir))
		if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return strings.HasPrefix(e.Name(),
				"wideswe_")
		}) {
			t.Errorf("%s: %v %v", dir, err, entries)
		}
	}
	j.Only = []string{"app::tests::adds"}
	rep, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+cache)
	if got := kittest.Outcomes(rep); len(got) != kit.CanarySize+1 || got["app::tests::adds"] != schema.Pass || exit != 0 {
		t.Errorf("one test: exit %d, %v", exit, slices.Sorted(maps.Keys(got)))
	}
}

func TestRustCanaryIsSecretAndCanBeLeftOut(t *testing.T) {
	j := rustJob(t, canaryCrate, nil, "app/tests/it.rs")
	if p := kittest.Plan(t, Toolchain{}, j); len(p.Canaries) > 0 || strings.Contains(p.Test, "wideswe_") {
		t.Error("a canary without a secret")
	}
	j.Canary = "a"
	first := kittest.Plan(t, Toolchain{}, j).Canaries[0]
	if first.File != "001.unit" || !slices.Contains(first.With, "001.log") {
		t.Errorf("report %s with %v", first.File, first.With)
	}
	n := map[schema.TestOutcome]int{}
	for _, o := range first.Want {
		n[o]++
	}
	j.Canary = "b"
	if cmp.Equal(first.Want, kittest.Plan(t, Toolchain{}, j).Canaries[0].Want) || n[schema.Pass] == 0 ||
		n[schema.Skip] == 0 {
		t.Errorf("canary %v", first.Want)
	}
	j.Recipe.Env[kit.CanaryOff] = "off"
	if p := kittest.Plan(t, Toolchain{}, j); len(p.Canaries) > 0 {
		t.Error("a canary that the recipe turned off")
	}
	c := rustCanary{names: []string{"n"}}
	for _, f := range [][2][]string{{nil, nil}, {{"--skip", "x"}, {"--skip", "x"}}, {{"--exact", "x"}, {"n", "--exact",
		"x"}}, {{"a::", "--skip", "x"}, {"n", "a::", "--skip", "x"}}} {
		if diff := cmp.Diff(f[1], c.filtered(f[0])); diff != "" {
			t.Errorf("%v: -want +got\n%s", f[0], diff)
		}
	}
}
