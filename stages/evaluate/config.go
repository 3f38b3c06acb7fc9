package evaluate

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// runnerConfig says whether a change to a file may change how tests are found, run
// or reported, rather than what the code does. before and after are the file's
// bytes, nil where it does not exist.
func runnerConfig(file string, before, after []byte) bool {
	base := path.Base(file)
	switch strings.ToLower(base) {
	case "conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "noxfile.py", ".coveragerc",
		"sitecustomize.py", "usercustomize.py",
		"makefile", "gnumakefile", "justfile", "taskfile.yml", "taskfile.yaml", "rakefile",
		"go.work", "go.work.sum", "build.rs", "nextest.toml",
		".rspec", "spec_helper.rb", "rails_helper.rb", "test_helper.rb",
		"phpunit.xml", "phpunit.xml.dist", ".env", ".npmrc", ".mocharc.js", ".mocharc.json", ".mocharc.yml", ".mocharc.cjs":
		return true
	case "pyproject.toml":
		return !bytes.Equal(toolSections(before), toolSections(after))
	case "package.json":
		return !slices.Equal(testScripts(before), testScripts(after))
	}
	switch {
	case strings.HasSuffix(base, ".pth"),
		strings.HasSuffix(file, ".cargo/config"), strings.HasSuffix(file, ".cargo/config.toml"),
		jsConfig.MatchString(base), supportFile.MatchString(file):
		return true
	case strings.HasSuffix(base, "_test.go"):
		return takesOver.Match(after) || takesOver.Match(before)
	}
	return false
}

var (
	jsConfig = regexp.MustCompile(`^(jest|vitest|karma|cypress|playwright|ava|babel|wdio)\.(config|conf|setup)\.[a-z.]+$|^setupTests\.[jt]sx?$`)
	// supportFile knows what test scripts are built on: helpers in test folders.
	supportFile = regexp.MustCompile(`(^|/)(tests?|t|spec|__tests__)/(.*/)?(lib|helpers?|common|utils?|support|bootstrap|harness|setup|runner|run)([-_.][^/]*)?$|(^|/)(tests?|t)/(lib|helpers?|support)/`)
	// takesOver finds what runs before, or instead of, the tests of a Go package.
	takesOver = regexp.MustCompile(`(?m)^func\s+(TestMain\s*\(|init\s*\(\s*\))`)
)

// toolSections gives the parts of pyproject.toml that test runners read.
func toolSections(b []byte) []byte {
	var out []byte
	inside := false
	for line := range bytes.Lines(b) {
		if t := bytes.TrimSpace(line); bytes.HasPrefix(t, []byte("[")) {
			name := strings.Trim(string(t), "[] \t")
			inside = strings.HasPrefix(name, "tool.pytest") || strings.HasPrefix(name, "tool.tox") || strings.HasPrefix(name, "tool.coverage") || strings.HasPrefix(name, "tool.nox") ||
				strings.HasPrefix(name, "build-system") || strings.Contains(name, "entry-points") // a pytest plugin is an entry point
		}
		if inside {
			out = append(out, line...)
		}
	}
	return out
}

// testScripts gives what package.json says of running: scripts and the runners'
// own keys.
func testScripts(b []byte) []string {
	var p map[string]json.RawMessage
	if json.Unmarshal(b, &p) != nil {
		return []string{string(b)}
	}
	var out []string
	for _, k := range []string{"scripts", "jest", "mocha", "ava", "vitest", "c8", "nyc", "type"} {
		var plain bytes.Buffer
		if v, ok := p[k]; ok && json.Compact(&plain, v) == nil {
			out = append(out, k+"="+plain.String())
		}
	}
	return out
}
