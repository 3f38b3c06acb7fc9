package node

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// nodeguard knows the runners' configuration files, npm's, and what package.json says of
// running.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case strings.HasPrefix(c.Path, "node_modules/"), strings.Contains(c.Path, "/node_modules/"):
		return kit.Whole // node takes a folder's own before what was installed
	case base == "package.json":
		return kit.GuardJSON(c, nodeSettings, joinNodeSettings)
	case base == ".npmrc", base == ".yarnrc", base == ".yarnrc.yml", base == ".pnpmfile.cjs", base == ".taprc",
		strings.HasPrefix(base, ".mocharc."), strings.HasPrefix(base, ".c8rc"),
		strings.HasPrefix(base, ".nycrc"), strings.HasPrefix(base, ".swcrc"), base == ".babelrc", strings.HasPrefix(base,
			".babelrc."), strings.HasPrefix(base, ".postcssrc"), nodeConfig.MatchString(base), nodeMocks.MatchString(c.Path):
		return kit.Whole
	case compilerAliases(base):
		return kit.Guard{Touched: !slices.Equal(testAlias.FindAllString(string(c.Before), -1),
			testAlias.FindAllString(string(c.After), -1))}
	}
	return kit.Guard{}
}

var (
	nodeConfig = regexp.MustCompile(`(?i)^(jest|vitest|vite|postcss|karma|cypress|playwright|ava|babel|wdio|mocha|tap|` +
		`jasmine)(\.[a-z]+)*\.(config|conf|setup|workspace|preset)(\.[a-z]+)*$|^(setup-?tests?|jest-?setup|vitest-?setup|` +
		`test-?setup|global-?setup)(\.[a-z]+)+$`)
	// nodeMocks are modules that jest takes instead of those of that name.
	nodeMocks = regexp.MustCompile(`(^|/)__mocks__/`)
)

// nodeRunnerKeys are the keys of package.json that are the runners' own.
var nodeRunnerKeys = []string{"jest", "mocha", "ava", "vitest", "c8", "nyc", "tap", "type", "babel", "imports"}

// nodeHook knows scripts that run without being asked for, in the name of the tests, or
// before them.
var nodeHook = regexp.MustCompile(`^(pre|post)|test|^(install|prepare|dependencies)$|^(build|compile|bundle|dist|` +
	`transpile|tsc)(:|$)`)

// nodeSettings are the runners' keys, and of the scripts those that tests run by, with
// what they call: a new script that none of them calls is the patch's own affair.
func nodeSettings(object map[string]json.RawMessage) map[string]json.RawMessage {
	guarded := map[string]json.RawMessage{}
	for _, k := range nodeRunnerKeys {
		if v, ok := object[k]; ok {
			guarded[k] = v
		}
	}
	scripts := kit.InnerObject(object, "scripts")
	for name := range nodeCalled(scripts) {
		guarded["scripts "+name] = scripts[name]
	}
	return guarded
}

var nodeWord = regexp.MustCompile(`[\w@:./-]+`)

// nodeCalled are the scripts that run without being asked for or for the tests, and
// those that their commands name.
func nodeCalled(scripts map[string]json.RawMessage) map[string]bool {
	called := map[string]bool{}
	var call func(name string)
	call = func(name string) {
		if _, there := scripts[name]; !there || called[name] {
			return
		}
		called[name] = true
		for _, w := range nodeWord.FindAllString(string(scripts[name]), -1) {
			call(w)
		}
	}
	for name := range scripts {
		if nodeHook.MatchString(name) {
			call(name)
		}
	}
	return called
}

func joinNodeSettings(object, guarded map[string]json.RawMessage) {
	for _, k := range nodeRunnerKeys {
		delete(object, k)
	}
	scripts := kit.InnerObject(object, "scripts")
	for name := range nodeCalled(scripts) {
		delete(scripts, name)
	}
	for k, v := range guarded {
		if name, ok := strings.CutPrefix(k, "scripts "); ok {
			scripts[name] = v
		} else {
			object[k] = v
		}
	}
	kit.SetInnerObject(object, "scripts", scripts)
}

// compilerAliases knows the settings by which TypeScript's and JavaScript's tools load
// one module for another.
func compilerAliases(base string) bool {
	ok, err := path.Match("[tj]sconfig*.json", base)
	return ok && err == nil
}

// testAlias are the names of modules that tests decide with, where such a file gives
// them a place.
var testAlias = regexp.MustCompile(`"(node:\w+|assert(/[\w*]+)?|chai|expect|should|sinon|vitest|mocha|ava|tape?|jest|` +
	`uvu(/[\w*]+)?|@jest/[\w*]+|@vitest/[\w*]+|@testing-library/[\w*-]+|power-assert|unexpected|must|` +
	`\*)"\s*:\s*\[[^\]]*\]`)
