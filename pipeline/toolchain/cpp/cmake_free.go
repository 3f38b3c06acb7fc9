package cpp

import (
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
)

// free tells whether a call concerns nothing but production: what it makes of the
// production's targets does not reach the programs of tests. What can't be told is not
// free.
func (p *cmakeProject) free(c cmakeCall) bool {
	if flags := buildFlag.FindString(c.text); flags != "" {
		return false
	}
	rule, known := cmakeFree[c.name]
	return known && rule(p, c) || p.functions[c.name]
}

// cmakeFree are the calls that may be free, each with when it is.
var cmakeFree map[string]func(*cmakeProject, cmakeCall) bool

func init() {
	of := func(rule func(*cmakeProject, cmakeCall) bool, names ...string) {
		for _, n := range names {
			cmakeFree[n] = rule
		}
	}
	cmakeFree = map[string]func(*cmakeProject, cmakeCall) bool{}
	of(always, "cmake_minimum_required", "install", "export", "message", "source_group", "mark_as_advanced",
		"write_basic_package_version_file", "target_compile_features", "add_feature_info", "feature_summary")
	of(plainProject, "project")
	of(ofProduction, "add_library", "add_executable", "add_dependencies")
	of(privately, "target_sources", "target_compile_definitions", "target_compile_options", "target_link_options",
		"target_precompile_headers")
	of(includesInside, "target_include_directories")
	of(linksLibraries, "target_link_libraries")
	of(plainProperties, "set_target_properties", "set_property")
	of(plainVariable, "set", "option", "list")
	of(globs, "file")
	of(findsInstalled, "find_package")
	of(includesModule, "include")
	of(productionFolder, "add_subdirectory")
	of(plainOptions, "add_compile_options")
	of(configuresHeader, "configure_file")
}

func always(*cmakeProject, cmakeCall) bool { return true }

var projectWords = regexp.MustCompile(`^(VERSION|LANGUAGES|DESCRIPTION|HOMEPAGE_URL|C|CXX|ASM|CUDA|Fortran|OBJC|` +
	`[0-9][\w.-]*)$`)

func plainProject(_ *cmakeProject, c cmakeCall) bool {
	for i, a := range c.args {
		text := i > 0 && (c.args[i-1] == "DESCRIPTION" || c.args[i-1] == "HOMEPAGE_URL" || c.args[i-1] == "VERSION")
		if i > 0 && !text && !projectWords.MatchString(a) {
			return false
		}
	}
	return true
}

// ofProduction: the target is production's, and no test is among its sources.
func ofProduction(p *cmakeProject, c cmakeCall) bool {
	if !p.production[c.arg(0)] {
		return false
	}
	for _, a := range c.args[1:] {
		if filerole.Hidden(a) {
			return false
		}
	}
	return true
}

// privately: nothing of it is handed on to what links the target.
func privately(p *cmakeProject, c cmakeCall) bool {
	if !ofProduction(p, c) || c.arg(1) != "PRIVATE" {
		return false
	}
	for _, a := range c.args[1:] {
		if a == "PUBLIC" || a == "INTERFACE" {
			return false
		}
	}
	return true
}

// includesInside: folders of the repository, none before those of the system.
func includesInside(p *cmakeProject, c cmakeCall) bool {
	if !ofProduction(p, c) {
		return false
	}
	for _, a := range c.args[1:] {
		a = cmakeBuildOnly.ReplaceAllString(a, "$1")
		plain := strings.TrimPrefix(cmakeHere.ReplaceAllString(a, ""), "/")
		switch {
		case a == "BEFORE" || a == "SYSTEM":
			return false
		case a == "PUBLIC", a == "PRIVATE", a == "INTERFACE", strings.HasPrefix(a, "$<INSTALL_INTERFACE:"):
		case strings.ContainsAny(plain, "$<>") || strings.HasPrefix(plain, "..") || filerole.Hidden(path.Join(plain, "x.h")):
			return false
		}
	}
	return true
}

var cmakeBuildOnly = regexp.MustCompile(`^\$<BUILD_INTERFACE:(.*)>$`)

// cmakeLibrary is a library by its name.
var cmakeLibrary = regexp.MustCompile(`^(?:[A-Za-z_][\w.+-]*(?:::[\w.+-]+)*|\$\{\w+_LIBRAR(?:Y|IES)\}|` +
	`\$\{CMAKE_(?:DL_LIBS|THREAD_LIBS_INIT)\})$`)

// linksLibraries: production's own and installed ones, no flags.
func linksLibraries(p *cmakeProject, c cmakeCall) bool {
	if !ofProduction(p, c) {
		return false
	}
	for _, a := range c.args[1:] {
		if !cmakeLibrary.MatchString(a) {
			return false
		}
	}
	return true
}

var plainProperty = regexp.MustCompile(`^(?:C|CXX|CUDA|OBJC)_(?:STANDARD|STANDARD_REQUIRED|EXTENSIONS|` +
	`VISIBILITY_PRESET)$|` +
	`^(?:VERSION|SOVERSION|POSITION_INDEPENDENT_CODE|PUBLIC_HEADER|FOLDER|EXPORT_NAME|VISIBILITY_INLINES_HIDDEN|` +
	`WINDOWS_EXPORT_ALL_SYMBOLS|MACOSX_RPATH)$`)

// plainProperties: such of any target as change neither what it is made of nor what of it
// runs.
func plainProperties(_ *cmakeProject, c cmakeCall) bool {
	targets, values, sets := cmakeProperties(c)
	if !sets || len(targets) == 0 {
		return false
	}
	for i := 0; i < len(values); i += 2 {
		if !plainProperty.MatchString(values[i]) {
			return false
		}
		if c.name == "set_property" {
			break // one property, whatever the number of values
		}
	}
	return true
}

func cmakeProperties(c cmakeCall) (targets, values []string, ok bool) {
	word, args := "PROPERTIES", c.args
	if c.name == "set_property" {
		if c.arg(0) != "TARGET" {
			return nil, nil, false
		}
		word, args = "PROPERTY", args[1:]
	}
	for i, a := range args {
		if a == word {
			return args[:i], args[i+1:], i+1 < len(args)
		}
	}
	return nil, nil, false
}

var (
	plainCMakeVariable = regexp.MustCompile(`^CMAKE_(?:C|CXX|CUDA|OBJC)_(?:STANDARD|STANDARD_REQUIRED|EXTENSIONS|` +
		`VISIBILITY_PRESET)$|` +
		`^CMAKE_(?:POSITION_INDEPENDENT_CODE|EXPORT_COMPILE_COMMANDS|VISIBILITY_INLINES_HIDDEN)$`)
	// deciding are variables that CMake or its modules read.
	deciding = regexp.MustCompile(`(?i)^(?:CMAKE|CTEST|CPACK|ENV|BUILD_TESTING|_)|[{}$]|_(?:DIR|ROOT|PATH|INCLUDE_DIRS?|` +
		`LIBRAR(?:Y|IES)|COMMAND|EXECUTABLE|LAUNCHER|EMULATOR)$`)
)

// plainVariable: one that nothing reads which concerns tests, or that holds nothing but
// production's sources, before and after.
func plainVariable(p *cmakeProject, c cmakeCall) bool {
	name, values := c.arg(0), c.args[min(1, len(c.args)):]
	if c.name == "list" {
		if name != "APPEND" && name != "PREPEND" || len(c.args) < 2 {
			return false
		}
		name, values = c.args[1], c.args[2:]
	}
	switch {
	case plainCMakeVariable.MatchString(name):
		return true
	case name == "" || deciding.MatchString(name):
		return false
	case p.tied[name]:
		return c.name != "option" && p.sources[name] && productionSources(values)
	}
	return true
}

// globs: a list of files in a variable as plain as any.
func globs(p *cmakeProject, c cmakeCall) bool {
	if c.arg(0) != "GLOB" && c.arg(0) != "GLOB_RECURSE" {
		return false
	}
	return !deciding.MatchString(c.arg(1)) && !p.tied[c.arg(1)]
}

var packageWords = regexp.MustCompile(`^(?:REQUIRED|QUIET|COMPONENTS|OPTIONAL_COMPONENTS|MODULE|CONFIG|EXACT|` +
	`[A-Za-z0-9_.+-]+)$`)

func findsInstalled(_ *cmakeProject, c cmakeCall) bool {
	for _, a := range c.args {
		if !packageWords.MatchString(a) || a == "PATHS" || a == "HINTS" || a == "NAMES" || a == "CONFIGS" {
			return false
		}
	}
	return true
}

var cmakeModule = regexp.MustCompile(`^(?:[A-Za-z0-9_]+|(?:\$\{(?:CMAKE_(?:CURRENT_)?|PROJECT_)(?:SOURCE|` +
	`LIST)_DIR\}/)?[\w./-]+\.cmake)$`)

// includesModule: one of CMake's, or a file that is compared itself.
func includesModule(_ *cmakeProject, c cmakeCall) bool {
	return cmakeModule.MatchString(c.arg(0)) && !strings.Contains(c.arg(0), "..") && c.arg(0) != "CTest" &&
		filerole.Of(c.arg(0)) != filerole.Test
}

func productionFolder(_ *cmakeProject, c cmakeCall) bool {
	return len(c.args) == 1 && cmakeName.MatchString(strings.ReplaceAll(c.arg(0), "/", "")) &&
		!strings.Contains(c.arg(0), "..") && filerole.Of(path.Join(c.arg(0), "x.c")) == filerole.Source
}

var plainOption = regexp.MustCompile(`^-(?:W[a-z0-9+=-]+|O[0-3sg]?|g[0-9]?|std=[\w+]+|pedantic|fPIC|fvisibility=\w+)$`)

func plainOptions(_ *cmakeProject, c cmakeCall) bool {
	for _, a := range c.args {
		if !plainOption.MatchString(a) {
			return false
		}
	}
	return true
}

var buildFolder = regexp.MustCompile(`^\$\{(?:CMAKE_(?:CURRENT_)?|PROJECT_)BINARY_DIR\}/`)

// configuresHeader: it writes a header or a package's description, below the build folder.
func configuresHeader(_ *cmakeProject, c cmakeCall) bool {
	out := buildFolder.ReplaceAllString(c.arg(1), "")
	switch path.Ext(out) {
	case ".h", ".hh", ".hpp", ".pc":
		return !strings.ContainsAny(out, "$<>") && !strings.Contains(out, "..") && !path.IsAbs(out) &&
			!newHeader.MatchString(path.Base(out))
	}
	return strings.HasSuffix(out, "Config.cmake") && !strings.ContainsAny(out, "$<>/") && out != "CTestConfig.cmake"
}
