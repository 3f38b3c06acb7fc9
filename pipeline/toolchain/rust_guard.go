package toolchain

import (
	"path"
	"strings"
)

// rustguard knows cargo's configuration, build scripts, and what of a manifest decides
// which tests there are, with what harness they run, and what stands in for crates.
func rustguard(c Change) Guard {
	switch base := c.name(); {
	case base == "build.rs", base == "rust-toolchain", base == "rust-toolchain.toml", base == "nextest.toml", base == ".nextest.toml",
		strings.HasSuffix(c.Path, ".cargo/config"), strings.HasSuffix(c.Path, ".cargo/config.toml"):
		return whole
	case base == "cargo.toml":
		return tomlGuard(c, cargoSettings(path.Dir(c.Path)), func(name string) bool {
			return name == "test" || name == "bench" || name == "replace" || name == "patch" || strings.HasPrefix(name, "patch.") || strings.HasPrefix(name, "profile.")
		})
	}
	return Guard{}
}

// cargoSettings gives what of the manifest in a folder decides tests.
func cargoSettings(dir string) func(map[string]any) any {
	return func(v map[string]any) any { return cargoDecides(dir, v) }
}

func cargoDecides(dir string, v map[string]any) any {
	return []any{v["test"], v["bench"], v["patch"], v["replace"], v["profile"],
		at(v, "package", "build"), at(v, "package", "autotests"), at(v, "package", "workspace"), at(v, "lib", "test"), at(v, "lib", "harness"), at(v, "lib", "doctest"),
		at(v, "lib", "proc-macro"), at(v, "lib", "proc_macro"), pathStandIns(dir, v)}
}

// pathStandIns are the dependencies that lie in a folder of the repository and that
// tests decide with: those of development, which may say yes to everything, and whatever
// takes the name of a library of the language or of one made for tests.
func pathStandIns(dir string, v map[string]any) map[string]any {
	out := map[string]any{}
	note := func(table any, of string, only func(name string) bool) {
		list, _ := table.(map[string]any)
		for name, d := range list {
			p, ok := at(d, "path").(string)
			if called, _ := at(d, "package").(string); ok && inside(dir, p) && (only(name) || only(called)) {
				out[of+" "+name] = p
			}
		}
	}
	whatever := func(name string) bool { return name != "" }
	tables := func(of string, v any) {
		note(at(v, "dev-dependencies"), of, whatever)
		note(at(v, "dev_dependencies"), of, whatever)
		for _, kind := range []string{"dependencies", "build-dependencies", "build_dependencies"} {
			note(at(v, kind), of+kind, rustDecides)
		}
	}
	tables("", v)
	note(at(v, "workspace", "dependencies"), "workspace", rustDecides)
	platforms, _ := v["target"].(map[string]any)
	for name, platform := range platforms {
		tables(name, platform)
	}
	return out
}

// rustDecides knows the crates that tests find by themselves, and those made for them.
func rustDecides(name string) bool {
	switch strings.ReplaceAll(name, "_", "-") {
	case "std", "core", "alloc", "test", "proc-macro", "pretty-assertions", "assert-matches", "assert-cmd", "assert-fs", "predicates", "proptest", "quickcheck",
		"quickcheck-macros", "rstest", "test-case", "test-log", "insta", "expect-test", "similar-asserts", "claims", "googletest", "mockall", "mockito", "wiremock",
		"speculoos", "approx", "trybuild", "tokio-test", "serial-test", "static-assertions", "more-asserts", "k9", "goldenfile", "snapbox", "trycmd", "float-cmp", "libtest-mimic":
		return true
	}
	return false
}
