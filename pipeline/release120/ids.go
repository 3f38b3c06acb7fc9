package release120

import (
	"path"
	"regexp"
	"strings"
)

// Runner names the programs whose ids have a rule.
type Runner string

// The runners that have a rule. What the others' ids become is not known.
const (
	Go       Runner = "go"       // go test -json
	Pytest   Runner = "pytest"   // pytest's JUnit file
	Jest     Runner = "jest"     // Jest, Vitest and Cypress: the file by its whole path
	PHPUnit  Runner = "phpunit"  // PHPUnit's JUnit file, and Pest's
	Surefire Runner = "surefire" // Maven's JUnit files
	RSpec    Runner = "rspec"    // RspecJunitFormatter
)

// workspaceFile is a path in the authors' containers.
var workspaceFile = regexp.MustCompile(`^/workspace/repos/[^/]+/[^/]+/(.+)$`)

// repeated is the number of one of several tests of one id in a report.
var repeated = regexp.MustCompile(`::#([0-9]+)$`)

// OurID gives the id that our reports have of a test of the authors', by the runner's
// rule. files are the test files of the target's tree, which tell where a dotted name of
// Python's divides. What has no equal in our reports gives the reason instead.
func OurID(r Runner, id string, files []string) (ours, why string) {
	rest, number := id, ""
	if m := repeated.FindStringSubmatch(id); m != nil {
		rest = strings.TrimSuffix(id, m[0])
		if m[1] != "1" { // ours has no number of the first
			number = " #" + m[1]
		}
	}
	unit, name, ok := strings.Cut(rest, "::")
	switch {
	case !ok || strings.HasPrefix(rest, "profile::"):
		return "", "the exit status of a whole script"
	case strings.HasSuffix(rest, "::<package-build>"), strings.HasSuffix(rest, "::<collection>"):
		return "", "a package or file that does not load, and no test"
	}
	switch r {
	case Go:
	case Pytest:
		unit = pythonUnit(unit, files)
	case Jest:
		unit = belowRepository(unit)
	case PHPUnit:
		class, method, ok := phpName(name)
		if !ok {
			return "", "no class and method"
		}
		unit, name = belowRepository(unit), strings.ReplaceAll(class, ".", `\`)+"::"+method
	case Surefire:
		name, _, _ = strings.Cut(name, "(") // the types of a parametrised method
	case RSpec:
		_, description, ok := strings.Cut(name, "::")
		if !ok {
			return "", "no file, class and description"
		}
		unit, name = strings.TrimPrefix(unit, "./"), description
	default:
		return "", "the runner has no rule"
	}
	return unit + "::" + name + number, ""
}

// belowRepository takes the folder of the container and of the repository off a path.
func belowRepository(file string) string {
	if m := workspaceFile.FindStringSubmatch(file); m != nil {
		return m[1]
	}
	return file
}

// phpName divides PHPUnit's class::method, and Pest's title::class::title: Pest puts the
// title behind the file, too.
func phpName(name string) (class, method string, ok bool) {
	parts := strings.Split(name, "::")
	if n := len(parts) / 2; len(parts) > 2 && len(parts)%2 == 1 {
		before, after := strings.Join(parts[:n], "::"), strings.Join(parts[n+1:], "::")
		if before == after {
			return parts[n], strings.Join(strings.Fields(after), " "), true
		}
	}
	return strings.Cut(name, "::")
}

// pythonUnit turns tests.test_x.TestA into tests/test_x.py::TestA: the longest beginning
// that is a file divides. Without one the name stays as it is, as ours do then.
func pythonUnit(dotted string, files []string) string {
	known := map[string]bool{}
	for _, f := range files {
		known[f] = true
	}
	parts := strings.Split(dotted, ".")
	for n := len(parts); n > 0; n-- {
		if file := path.Join(parts[:n]...) + ".py"; known[file] {
			return strings.Join(append([]string{file}, parts[n:]...), "::")
		}
	}
	return dotted
}
