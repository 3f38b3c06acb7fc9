package node

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

var (
	nodeExts   = []string{".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"}
	nodeNamed  = regexp.MustCompile(`(^|[./_-])(tests?|specs?)\.[cm]?[jt]sx?$`)
	nodeTestIn = regexp.MustCompile(`(^|/)(__tests__|tests?|specs?)(/|$)`)
	nodeHelper = regexp.MustCompile(`(^|/)(__mocks__|__snapshots__|helpers?|_helpers?|support|utils?|mocks?|stubs?|` +
		`node_modules|dist)(/|$)|(^|/)(setup|config|globals?)[^/]*\.[cm]?[jt]sx?$|\.d\.[cm]?ts$`)
	nodeCalls = regexp.MustCompile(`(?:^|[^\w.$])(?:describe|context|suite|it|test|specify|t\.test|tap\.test|` +
		`tape)(?:\.\w+)*\s*(?:\(|` + "`" + `)`)
)

// nodeTests lists the files that hold tests: those named like tests, and those in
// a folder of tests that call a runner's functions.
func nodeTests(t kit.Tree) []string {
	var tests []string
	for _, name := range t.Files() {
		if slices.Contains(nodeExts, path.Ext(name)) && isNodeTest(t, name) {
			tests = append(tests, name)
		}
	}
	return tests
}

func isNodeTest(t kit.Tree, name string) bool {
	if strings.Contains("/"+name, "/node_modules/") || strings.HasSuffix(strings.TrimSuffix(name, path.Ext(name)), ".d") {
		return false
	}
	if nodeNamed.MatchString(name) && !notOurs.MatchString(path.Dir(name)+"/") {
		return true
	}
	if !nodeTestIn.MatchString(path.Dir(name)) || nodeHelper.MatchString(name) || notOurs.MatchString(name) {
		return false
	}
	text := kit.Read(t, name)
	if nodeCalls.MatchString(text) {
		return true
	}
	return slices.ContainsFunc(runnerImports, func(r struct {
		name string
		re   *regexp.Regexp
	}) bool {
		return r.re.MatchString(text)
	})
}

// nodeSnapshot is the test file whose snapshots a file holds.
func nodeSnapshot(name string) string {
	if ext := path.Ext(name); (ext == ".snap" || ext == ".md") && (path.Base(path.Dir(name)) == "__snapshots__" ||
		path.Base(path.Dir(name)) == "snapshots") {
		return path.Join(path.Dir(path.Dir(name)), strings.TrimSuffix(path.Base(name), ext))
	}
	return ""
}

// Select runs the hidden test files, each in the package and by the runner it
// belongs to. A snapshot selects its test; a fixture or a helper the tests of the
// nearest folder, unless one of them is selected already.
func (Toolchain) Select(t kit.Tree, r schema.Recipe, hidden []string) (kit.Selection, error) {
	tests := nodeTests(t)
	hidden = slices.Clone(hidden)
	for i, name := range hidden {
		if test := nodeSnapshot(path.Clean(name)); test != "" && slices.Contains(tests, test) {
			hidden[i] = test
		}
	}
	s, err := kit.PickFiles(t, r, tests, hidden, "no test file stands beside it")
	if err != nil {
		return s, err
	}
	files := s.Files
	s.Files = nil
	list := nodePackages(t)
	units := map[[2]string]int{}
	for _, file := range files {
		runner, dir := testRunner(t, list, file)
		if runner == "" && r.Test == "" {
			why := "no package.json stands above it"
			if dir != "" {
				why = "no runner known here is named by " + path.Join(dir, "package.json") + " or those above it"
			}
			s.Left = append(s.Left, kit.Left{Path: file, Reason: why})
			continue
		}
		key := [2]string{dir, runner}
		if _, ok := units[key]; !ok {
			units[key] = len(s.Units)
			s.Units = append(s.Units, kit.Unit{Dir: path.Clean(dir), Runner: runner})
		}
		u := &s.Units[units[key]]
		u.Files = append(u.Files, file)
	}
	sort.SliceStable(s.Units, func(i, j int) bool {
		return s.Units[i].Dir+"\x00"+s.Units[i].Runner < s.Units[j].Dir+"\x00"+s.Units[j].Runner
	})
	sort.SliceStable(s.Left, func(i, j int) bool { return s.Left[i].Path < s.Left[j].Path })
	return s, nil
}
