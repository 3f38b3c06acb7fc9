package rust

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests cargo's packages.
type Toolchain struct{}

// distroRust is the minor version of the distribution's Rust, 1.85.
const distroRust = 85

// RustFeatures is the recipe's environment variable that names the features tests
// are built with: all, or a list with commas. Without it they are the ones that
// the selected tests name.
const RustFeatures = "WIDESWE_CARGO_FEATURES"

// Name is the recipe's word.
func (Toolchain) Name() string { return "rust" }

// Detect recognises a package's Cargo.toml.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	tree := readRust(t)
	if len(tree.crates) == 0 {
		return schema.Recipe{}, false
	}
	r := schema.Recipe{
		Toolchain: "rust", Report: "libtest", Image: kit.DistroImage,
		Packages: []string{"build-essential", "ca-certificates", "git", "pkg-config"},
		Env: map[string]string{
			"CARGO_INCREMENTAL": "0", "CARGO_NET_RETRY": "5",
			// A repository's own configuration does not choose how cargo and libtest speak.
			"CARGO_TERM_COLOR": "never", "CARGO_TERM_PROGRESS_WHEN": "never", "CARGO_TERM_QUIET": "false",
			"CARGO_TERM_VERBOSE": "false",
			"RUST_BACKTRACE":     "0", "RUST_TEST_NOCAPTURE": "0", "RUST_TEST_SHUFFLE": "0",
			// Line numbers are what panics and backtraces show; the rest is most of an image.
			"CARGO_PROFILE_DEV_DEBUG": "line-tables-only",
			"CI":                      "true", "INSTA_UPDATE": "no",
		},
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain rust: %s (%d packages)", path.Join(tree.crates[0].dir, "Cargo.toml"), len(tree.crates))
	tree.runtime(&r, because)
	if !kit.Has(t, path.Join(tree.workspaceOf(tree.crates[0].dir), "Cargo.lock")) {
		r.Env["CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS"] = "fallback"
		because("no Cargo.lock: setup takes the newest versions that the manifests and the compiler admit")
	}
	for _, p := range tree.systemPackages() {
		if !slices.Contains(r.Packages, p.Name) {
			r.Packages = append(r.Packages, p.Name)
			because("package %s: %s", p.Name, p.Why)
		}
	}
	sort.Strings(r.Packages)
	if file, ok := tree.allFeatures(); ok {
		r.Env[RustFeatures] = "all"
		because("%s=all: %s tests with --all-features", RustFeatures, file)
	}
	if file := tree.denies(); file != "" {
		r.Env["RUSTFLAGS"] = "--cap-lints=warn"
		because("RUSTFLAGS=--cap-lints=warn: %s makes warnings errors, and each compiler has others", file)
	}
	return r, true
}

var (
	rustChannel  = regexp.MustCompile(`(?m)^\s*(?:channel\s*=\s*)?["']?((?:nightly|beta|stable|\d+\.\d+)[\w.-]*)["']?\s*$`)
	rustMinor    = regexp.MustCompile(`^1\.(\d+)`)
	rustUnstable = regexp.MustCompile(`(?m)^#!\[feature\(|^\s*cargo-features\s*=`)
)

// runtime chooses the compiler.
func (r rustTree) runtime(to *schema.Recipe, because func(string, ...any)) {
	minor, from := 0, ""
	want := func(n int, why string) {
		if n > minor {
			minor, from = n, why
		}
	}
	for _, c := range r.crates {
		manifest := path.Join(c.dir, "Cargo.toml")
		if m := rustMinor.FindStringSubmatch(c.minimum); m != nil {
			want(kit.LeadingInt(m[1]), manifest+" says rust-version "+c.minimum)
		}
		if c.edition == "2024" {
			want(85, manifest+" is of edition 2024")
		}
	}
	channel, file := r.channel()
	if m := rustMinor.FindStringSubmatch(channel); m != nil {
		want(kit.LeadingInt(m[1]), file+" says "+channel)
	}
	unstable := r.unstable()
	if strings.HasPrefix(channel, "nightly") {
		unstable = file + " says " + channel
	}
	if minor > distroRust {
		suite := "trixie"
		if minor < 89 {
			suite = "bookworm"
		}
		to.Runtime, to.Image = fmt.Sprintf("1.%d", minor), fmt.Sprintf("rust:1.%d-%s", minor, suite)
		because("runtime %s: %s", to.Runtime, from)
		because("image %s: the distribution's Rust is 1.%d", to.Image, distroRust)
	} else {
		to.Runtime = fmt.Sprintf("1.%d", distroRust)
		to.Packages = append(to.Packages, "cargo", "rustc")
		if from == "" {
			from = "nothing rules it out"
		}
		if channel != "" && !strings.Contains(from, file) {
			from += "; " + file + " says " + channel
		}
		because("runtime %s, the distribution's: %s", to.Runtime, from)
	}
	if unstable != "" {
		to.Env["RUSTC_BOOTSTRAP"] = "1"
		because("RUSTC_BOOTSTRAP=1: %s, and a release's compiler takes unstable features only so", unstable)
	}
}

// channel is what rustup would use, and the file that says so.
func (r rustTree) channel() (channel, file string) {
	for _, file := range []string{"rust-toolchain.toml", "rust-toolchain"} {
		if m := rustChannel.FindStringSubmatch(kit.Read(r.tree, file)); m != nil {
			return m[1], file
		}
	}
	return "", ""
}

// unstable is a root file that uses what only an unreleased compiler has.
func (r rustTree) unstable() string {
	for _, c := range r.crates {
		for _, t := range c.targets {
			if (t.kind == "lib" || t.kind == "test") && rustUnstable.MatchString(kit.Read(r.tree, t.root)) {
				return t.root + " uses #![feature]"
			}
		}
	}
	return ""
}

var rustAll = regexp.MustCompile(`(?m)^[^#\n]*\bcargo\b[^\n]*\b(?:test|nextest)\b[^\n]*--all-features`)

// allFeatures is the CI file that runs the tests with every feature.
func (r rustTree) allFeatures() (file string, ok bool) {
	for _, c := range r.crates {
		if c.features["nightly"] || c.features["unstable"] {
			return "", false
		}
	}
	for _, name := range r.tree.Files() {
		ci := strings.HasPrefix(name, ".github/workflows/") || name == ".gitlab-ci.yml" || name == ".travis.yml" ||
			name == "Makefile" || name == "justfile"
		if ci && rustAll.MatchString(kit.Read(r.tree, name)) {
			return name, true
		}
	}
	return "", false
}

var rustDeny = regexp.MustCompile(`(?m)^#!\[(?:cfg_attr\([^\n]*)?(?:deny|forbid)\([^\n]*\b(?:warnings|unused\w*|` +
	`rust_2018_idioms|deprecated|dead_code)\b|^\s*\w+\s*=\s*(?:"deny"|\{[^\n]*"deny")`)

// denies is a file that makes a compiler's warnings errors, "" too where flags of
// the repository's own would be lost to ours.
func (r rustTree) denies() string {
	for _, name := range []string{".cargo/config.toml", ".cargo/config"} {
		if strings.Contains(kit.Read(r.tree, name), "rustflags") {
			return ""
		}
	}
	for _, c := range r.crates {
		for _, t := range c.targets {
			if rustDeny.MatchString(kit.Read(r.tree, t.root)) {
				return t.root
			}
		}
	}
	for _, dir := range []string{"."} {
		if name := path.Join(dir, "Cargo.toml"); rustDeny.MatchString(kit.Read(r.tree, name)) {
			return name
		}
	}
	return ""
}

// rustLibraries are the system's libraries and tools that packages build with.
var rustLibraries = map[string][]string{
	"openssl-sys": {"libssl-dev"}, "openssl": {"libssl-dev"}, "native-tls": {"libssl-dev"},
	"libsqlite3-sys": {"libsqlite3-dev"}, "rusqlite": {"libsqlite3-dev"}, "pq-sys": {"libpq-dev"},
	"mysqlclient-sys": {"default-libmysqlclient-dev"}, "libudev-sys": {"libudev-dev"}, "alsa-sys": {"libasound2-dev"},
	"yeslogic-fontconfig-sys": {"libfontconfig-dev"}, "servo-fontconfig-sys": {"libfontconfig-dev"},
	"freetype-sys": {"libfreetype-dev"},
	"libdbus-sys":  {"libdbus-1-dev"}, "glib-sys": {"libglib2.0-dev"}, "libusb1-sys": {"libusb-1.0-0-dev"},
	"nettle-sys": {"nettle-dev"},
	"curl-sys":   {"libcurl4-openssl-dev"}, "zmq-sys": {"libzmq3-dev"}, "libxml": {"libxml2-dev"},
	"bindgen": {"clang", "libclang-dev"}, "clang-sys": {"clang", "libclang-dev"}, "cmake": {"cmake"},
	"aws-lc-sys":  {"cmake"},
	"prost-build": {"protobuf-compiler"}, "tonic-build": {"protobuf-compiler"}, "tonic-prost-build": {"protobuf-compiler"},
	"protobuf-src": {"cmake"}, "prettyplease": nil, "rustfmt-wrapper": {"rustfmt"}, "pyo3": {"python3-dev"},
	"pyo3-ffi": {"python3-dev"},
}

var lockedName = regexp.MustCompile(`(?m)^name = "([A-Za-z0-9_-]+)"$`)

// systemPackages names what the packages in use need of the distribution, by the
// lock file, or by the manifests where there is none.
func (r rustTree) systemPackages() (out []kit.Reasoned) {
	used := map[string]string{}
	for _, c := range r.crates {
		for _, d := range c.deps {
			used[d.name] = path.Join(c.dir, "Cargo.toml")
		}
	}
	for _, name := range r.tree.Files() {
		if path.Base(name) == "Cargo.lock" && rustSees(path.Dir(name)) {
			for _, m := range lockedName.FindAllStringSubmatch(kit.Read(r.tree, name), 20000) {
				if _, known := used[m[1]]; !known {
					used[m[1]] = name
				}
			}
		}
	}
	var names []string
	for name := range used {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, p := range rustLibraries[name] {
			out = append(out, kit.Reasoned{Name: p, Why: used[name] + " names " + name})
		}
	}
	return out
}
