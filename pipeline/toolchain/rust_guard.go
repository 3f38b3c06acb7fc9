package toolchain

import (
	"strings"
)

// Guard knows cargo's configuration, build scripts, and what of a manifest decides
// which tests there are, with what harness they run, and what stands in for crates.
func (Rust) Guard(c Change) Guard {
	switch base := c.name(); {
	case base == "build.rs", base == "rust-toolchain", base == "rust-toolchain.toml", base == "nextest.toml", base == ".nextest.toml",
		strings.HasSuffix(c.Path, ".cargo/config"), strings.HasSuffix(c.Path, ".cargo/config.toml"):
		return whole
	case base == "cargo.toml":
		return tomlGuard(c, cargoSettings, func(name string) bool {
			return name == "test" || name == "bench" || name == "replace" || name == "patch" || strings.HasPrefix(name, "patch.") || strings.HasPrefix(name, "profile.")
		})
	}
	return Guard{}
}

func cargoSettings(v map[string]any) any {
	return []any{v["test"], v["bench"], v["patch"], v["replace"], v["profile"],
		at(v, "package", "build"), at(v, "package", "autotests"), at(v, "lib", "test"), at(v, "lib", "harness"), at(v, "lib", "doctest"),
		pathStandIns(v)}
}

// pathStandIns are the development dependencies that lie in a folder of the repository:
// what tests decide with may be one that says yes to everything.
func pathStandIns(v map[string]any) map[string]any {
	out := map[string]any{}
	dev, _ := v["dev-dependencies"].(map[string]any)
	for name, d := range dev {
		if p, ok := at(d, "path").(string); ok && !strings.HasPrefix(p, "../..") {
			out[name] = p
		}
	}
	return out
}
