package rust

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// rustguard knows cargo's configuration, build scripts, and what of a manifest decides
// which tests there are, with what harness they run, and what stands in for crates.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case base == "build.rs", base == "rust-toolchain", base == "rust-toolchain.toml", base == "nextest.toml",
		base == ".nextest.toml",
		strings.HasSuffix(c.Path, ".cargo/config"), strings.HasSuffix(c.Path, ".cargo/config.toml"):
		return kit.Whole
	case base == "cargo.toml":
		return kit.GuardTOML(c, cargoSettings(path.Dir(c.Path)), func(name string) bool {
			return name == "test" || name == "bench" || name == "replace" || name == "patch" || strings.HasPrefix(name,
				"patch.") || strings.HasPrefix(name, "profile.")
		})
	}
	return kit.Guard{}
}

// cargoSettings gives what of the manifest in a folder decides tests.
func cargoSettings(dir string) func(map[string]any) any {
	return func(v map[string]any) any { return cargoDecides(dir, v) }
}

func cargoDecides(dir string, v map[string]any) any {
	return []any{v["test"], v["bench"], v["patch"], v["replace"], v["profile"],
		kit.ValueAt(v, "package", "build"), kit.ValueAt(v, "package", "autotests"), kit.ValueAt(v, "package", "workspace"),
		kit.ValueAt(v, "lib", "test"), kit.ValueAt(v, "lib", "harness"), kit.ValueAt(v, "lib", "doctest"),
		kit.ValueAt(v, "lib", "proc-macro"), kit.ValueAt(v, "lib", "proc_macro"), pathStandIns(dir, v)}
}

// pathStandIns are the dependencies that lie in a folder of the repository and that
// tests decide with: those of development, which may say yes to everything, and whatever
// takes the name of a library of the language or of one made for tests.
func pathStandIns(dir string, v map[string]any) map[string]any {
	out := map[string]any{}
	note := func(table any, of string, only func(name string) bool) {
		list, _ := table.(map[string]any)
		for name, d := range list {
			p, ok := kit.ValueAt(d, "path").(string)
			if called, _ := kit.ValueAt(d, "package").(string); ok && kit.StaysInside(dir, p) && (only(name) || only(called)) {
				out[of+" "+name] = p
			}
		}
	}
	whatever := func(name string) bool { return name != "" }
	tables := func(of string, v any) {
		note(kit.ValueAt(v, "dev-dependencies"), of, whatever)
		note(kit.ValueAt(v, "dev_dependencies"), of, whatever)
		for _, kind := range []string{"dependencies", "build-dependencies", "build_dependencies"} {
			note(kit.ValueAt(v, kind), of+kind, rustDecides)
		}
	}
	tables("", v)
	note(kit.ValueAt(v, "workspace", "dependencies"), "workspace", rustDecides)
	platforms, _ := v["target"].(map[string]any)
	for name, platform := range platforms {
		tables(name, platform)
	}
	return out
}

// rustDecides knows the crates that tests find by themselves, and those made for them.
func rustDecides(name string) bool {
	switch strings.ReplaceAll(name, "_", "-") {
	case "std", "core", "alloc", "test", "proc-macro", "pretty-assertions", "assert-matches", "assert-cmd", "assert-fs",
		"predicates", "proptest", "quickcheck",
		"quickcheck-macros", "rstest", "test-case", "test-log", "insta", "expect-test", "similar-asserts", "claims",
		"googletest", "mockall", "mockito", "wiremock",
		"speculoos", "approx", "trybuild", "tokio-test", "serial-test", "static-assertions", "more-asserts", "k9",
		"goldenfile", "snapbox", "trycmd", "float-cmp", "libtest-mimic":
		return true
	}
	return false
}
