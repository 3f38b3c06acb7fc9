package cpp

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// cppLibraries are the distribution's packages by the names that find_package,
// pkg-config and Meson's dependency know.
var cppLibraries = map[string][]string{
	"gtest": {"libgtest-dev", "libgmock-dev", "googletest"}, "gmock": {"libgmock-dev", "libgtest-dev", "googletest"},
	"gtest_main": {"libgtest-dev"}, "googletest": {"libgtest-dev", "libgmock-dev"},
	"catch2": {"catch2"}, "doctest": {"doctest-dev"}, "cppunit": {"libcppunit-dev"}, "check": {"check"},
	"cmocka": {"libcmocka-dev"}, "cpputest": {"cpputest"}, "criterion": {"libcriterion-dev"},
	"benchmark": {"libbenchmark-dev"}, "boost": {"libboost-all-dev"},
	"openssl": {"libssl-dev"}, "libssl": {"libssl-dev"}, "libcrypto": {"libssl-dev"}, "mbedtls": {"libmbedtls-dev"},
	"gnutls": {"libgnutls28-dev"}, "sodium": {"libsodium-dev"}, "libsodium": {"libsodium-dev"},
	"libgcrypt": {"libgcrypt20-dev"},
	"zlib":      {"zlib1g-dev"}, "bzip2": {"libbz2-dev"}, "liblzma": {"liblzma-dev"}, "zstd": {"libzstd-dev"},
	"libzstd": {"libzstd-dev"}, "lz4": {"liblz4-dev"}, "liblz4": {"liblz4-dev"}, "snappy": {"libsnappy-dev"},
	"brotli": {"libbrotli-dev"},
	"curl":   {"libcurl4-openssl-dev"}, "libcurl": {"libcurl4-openssl-dev"}, "libevent": {"libevent-dev"},
	"libuv": {"libuv1-dev"}, "nghttp2": {"libnghttp2-dev"}, "zeromq": {"libzmq3-dev"}, "libzmq": {"libzmq3-dev"},
	"cares": {"libc-ares-dev"}, "c-ares": {"libc-ares-dev"}, "asio": {"libasio-dev"},
	"sqlite3": {"libsqlite3-dev"}, "postgresql": {"libpq-dev"}, "libpq": {"libpq-dev"},
	"mysql": {"default-libmysqlclient-dev"}, "hiredis": {"libhiredis-dev"}, "leveldb": {"libleveldb-dev"},
	"protobuf": {"libprotobuf-dev", "protobuf-compiler"}, "grpc": {"libgrpc++-dev", "protobuf-compiler-grpc"},
	"absl": {"libabsl-dev"}, "flatbuffers": {"libflatbuffers-dev"}, "capnproto": {"libcapnp-dev"},
	"thrift": {"libthrift-dev"},
	"fmt":    {"libfmt-dev"}, "spdlog": {"libspdlog-dev"}, "glog": {"libgoogle-glog-dev"}, "gflags": {"libgflags-dev"},
	"nlohmann_json": {"nlohmann-json3-dev"}, "rapidjson": {"rapidjson-dev"}, "jsoncpp": {"libjsoncpp-dev"},
	"jansson": {"libjansson-dev"}, "cjson": {"libcjson-dev"}, "json-c": {"libjson-c-dev"}, "yaml-cpp": {"libyaml-cpp-dev"},
	"re2": {"libre2-dev"}, "pugixml": {"libpugixml-dev"}, "tinyxml2": {"libtinyxml2-dev"}, "cli11": {"libcli11-dev"},
	"cxxopts": {"libcxxopts-dev"}, "range-v3": {"librange-v3-dev"}, "eigen3": {"libeigen3-dev"},
	"tl-expected": {"libexpected-dev"}, "pybind11": {"pybind11-dev", "python3-dev"}, "utf8proc": {"libutf8proc-dev"},
	"libxml2": {"libxml2-dev"}, "libxml-2.0": {"libxml2-dev"}, "libxslt": {"libxslt1-dev"}, "expat": {"libexpat1-dev"},
	"icu": {"libicu-dev"}, "pcre": {"libpcre2-dev"}, "pcre2": {"libpcre2-dev"}, "libpcre2-8": {"libpcre2-dev"},
	"readline": {"libreadline-dev"}, "curses": {"libncurses-dev"}, "ncurses": {"libncurses-dev"},
	"libedit": {"libedit-dev"}, "glib-2.0": {"libglib2.0-dev"}, "libffi": {"libffi-dev"}, "gmp": {"libgmp-dev"},
	"mpfr": {"libmpfr-dev"}, "uuid": {"uuid-dev"}, "libarchive": {"libarchive-dev"}, "libgit2": {"libgit2-dev"},
	"libssh2": {"libssh2-1-dev"},
	"png":     {"libpng-dev"}, "libpng": {"libpng-dev"}, "jpeg": {"libjpeg-dev"}, "tiff": {"libtiff-dev"},
	"freetype": {"libfreetype-dev"}, "freetype2": {"libfreetype-dev"}, "lua": {"liblua5.4-dev"},
	"lua54": {"liblua5.4-dev"}, "python3": {"python3-dev"}, "tbb": {"libtbb-dev"}, "openmp": nil, "threads": nil,
	"flex": {"flex"}, "bison": {"bison"}, "perl": {"perl"}, "doxygen": nil, "git": nil, "x11": {"libx11-dev"},
	"opengl": {"libgl-dev"}, "sdl2": {"libsdl2-dev"}, "libsystemd": {"libsystemd-dev"}, "dbus-1": {"libdbus-1-dev"},
	"libunwind": {"libunwind-dev"}, "alsa": {"libasound2-dev"},
}

var (
	cppFinds = regexp.MustCompile(`(?im)^[^#\n]*?\b(?:find_package|find_dependency)\s*\(\s*([\w.+-]+)|` +
		`^[^#\n]*?\bpkg_(?:check|search)_modules?\s*\(\s*\w+((?:\s+[\w.+<>=-]+)+)|` +
		`^[^#\n]*?\bPKG_CHECK_MODULES\s*\(\s*\[?\w+\]?\s*,\s*\[?([\w.+<>= -]+)|` +
		`^[^#\n]*?\bdependency\s*\(\s*'([\w.+-]+)'`)
	cppOption = regexp.MustCompile(`(?is)\b(?:cmake_dependent_)?option\s*\(\s*"?(\w+)"?\s+((?:"(?:[^"\\]|\\.)*"|\S+))\s*([^)\s]*)`)
	isTestOpt = regexp.MustCompile(`(?i)(?:^|_)(?:UNIT_?)?TEST(?:S|ING|_SUITE)?(?:_ENABLED?)?$|(?:^|_)(?:BUILD|ENABLE|` +
		`WITH|MAKE)_(?:UNIT_?)?TEST(?:S|ING)?(?:$|_)`)
	notTest = regexp.MustCompile(`(?i)BENCH|FUZZ|COVERAGE|INSTALL|PERF|SANITI|VALGRIND|MEMCHECK|CUDA|NETWORK|ONLINE|` +
		`EXAMPLE|MODULE`)
	testOff  = regexp.MustCompile(`(?i)(?:^|_)(?:WITHOUT|NO|DISABLE|SKIP|EXCLUDE|OMIT)_(?:\w+_)?TEST`)
	mesonOpt = regexp.MustCompile(`(?is)\boption\s*\(\s*'([\w-]+)'\s*,[^)]*?type\s*:\s*'(\w+)'`)
)

// cppManifests are the files that say what a build looks for.
func cppManifests(t kit.Tree) (files []string) {
	for _, f := range t.Files() {
		switch base := path.Base(f); {
		case base == "CMakeLists.txt", path.Ext(f) == ".cmake", base == "meson.build", path.Ext(f) == ".wrap",
			base == "configure.ac", base == "configure.in",
			base == "meson_options.txt", base == "meson.options", base == ".gitmodules", base == "conanfile.txt",
			base == "vcpkg.json":
			if !cppVendored(f) {
				files = append(files, f)
			}
		}
	}
	return files
}

// cppVendored says that a file belongs to another project's copy.
func cppVendored(file string) bool {
	for _, part := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
		switch part {
		case "third_party", "third-party", "thirdparty", "3rdparty", "external", "externals", "extern", "vendor", "vendored",
			"deps", "subprojects", "examples", "example":
			return true
		}
		if strings.HasPrefix(part, "googletest") || strings.HasPrefix(part, "gtest") {
			return true
		}
	}
	return false
}

// cppPackages names what a tree's build looks for of the distribution. What the tree
// itself makes is none of it: its tests of the installed package look for that, and
// the distribution's headers would stand in front of the tree's.
func cppPackages(t kit.Tree) (out []kit.Reasoned) {
	seen, own := map[string]bool{}, cppOwn(t)
	for name, packages := range cppLibraries {
		for _, p := range packages {
			seen[p] = seen[p] || own[cppPlain(name)]
		}
	}
	for _, file := range cppManifests(t) {
		for _, m := range cppFinds.FindAllStringSubmatch(kit.Read(t, file), 500) {
			for _, name := range strings.Fields(m[1] + " " + m[2] + " " + m[3] + " " + m[4]) {
				if own[cppPlain(name)] {
					continue
				}
				for _, p := range cppLibraries[strings.ToLower(name)] {
					if !seen[p] {
						seen[p] = true
						out = append(out, kit.Reasoned{Name: p, Why: file + " looks for " + name})
					}
				}
			}
		}
	}
	sort.Slice(out, func(i, k int) bool { return out[i].Name < out[k].Name })
	return out
}

var (
	cppNamed = regexp.MustCompile(`(?i)(?:^|\n)[^#\n]*?(?:\bproject\s*\(\s*['"]?|\bAC_INIT\s*\(\s*\[*|` +
		`\boverride_dependency\s*\(\s*')([\w.+-]+)`)
	cppTemplate = regexp.MustCompile(`(?i)^([\w.+-]+?)(?:-?config\.cmake|\.pc|-uninstalled\.pc)(?:\.in|\.cmakein|` +
		`\.cmake)?$`)
)

// cppOwn are the names under which a tree's own libraries are found: those of the
// projects that are built by themselves, and of the files that they install for
// find_package and pkg-config.
func cppOwn(t kit.Tree) map[string]bool {
	own := map[string]bool{}
	for _, root := range cppRoots(t) {
		for _, m := range cppNamed.FindAllStringSubmatch(kit.Read(t, root.manifest), 200) {
			own[cppPlain(m[1])] = true
		}
	}
	for _, f := range t.Files() {
		if m := cppTemplate.FindStringSubmatch(path.Base(f)); m != nil && !cppVendored(f) {
			own[cppPlain(m[1])] = true
		}
	}
	return own
}

// cppPlain is a library's name as find_package's users write it, whatever their case.
func cppPlain(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// cppOptions switches the tests on: the options of the project whose names say so.
func cppOptions(t kit.Tree, root cppRoot) (out []kit.Reasoned) {
	switch root.runner {
	case cmakeRunner:
		out = append(out, kit.Reasoned{Name: "-DBUILD_TESTING=ON", Why: "ctest's own switch"})
		for _, file := range cppManifests(t) {
			if path.Ext(file) != ".cmake" && path.Base(file) != "CMakeLists.txt" || !strings.HasPrefix(file,
				strings.TrimPrefix(root.dir+"/", "./")) {
				continue
			}
			for _, m := range cppOption.FindAllStringSubmatch(kit.Read(t, file), 200) {
				o := "-D" + m[1] + "=" + testSwitch(m[1], "ON", "OFF")
				if isTestOpt.MatchString(m[1]) && !notTest.MatchString(m[1]) && !slices.ContainsFunc(out,
					func(r kit.Reasoned) bool { return r.Name == o }) {
					out = append(out, kit.Reasoned{Name: o, Why: file + " has the option"})
				}
			}
		}
	case mesonRunner:
		for _, file := range []string{"meson_options.txt", "meson.options"} {
			file = path.Join(root.dir, file)
			for _, m := range mesonOpt.FindAllStringSubmatch(kit.Read(t, file), 200) {
				name := strings.ReplaceAll(m[1], "-", "_")
				value := map[string]string{"boolean": testSwitch(name, "true", "false"), "feature": testSwitch(name, "enabled",
					"disabled")}[m[2]]
				if value != "" && isTestOpt.MatchString(name) && !notTest.MatchString(name) {
					out = append(out, kit.Reasoned{Name: "-D" + m[1] + "=" + value, Why: file + " has the option"})
				}
			}
		}
	}
	return out
}

// testSwitch is the value of an option that has the tests built: off for one that
// leaves them out.
func testSwitch(name, on, off string) string {
	if testOff.MatchString(name) {
		return off
	}
	return on
}
