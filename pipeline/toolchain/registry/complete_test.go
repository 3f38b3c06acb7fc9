package registry_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
)

// shared are the folders beside the languages'.
var shared = []string{"kit", "kittest", "registry"}

// languages are the folders that hold a language.
func languages(t *testing.T) (dirs []string) {
	t.Helper()
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(shared, e.Name()) {
			dirs = append(dirs, e.Name())
		}
	}
	return dirs
}

func folderOf(tc kit.Toolchain) string { return filepath.Base(reflect.TypeOf(tc).PkgPath()) }

func TestEveryFolderIsRegistered(t *testing.T) {
	names := map[string]bool{}
	var registered []string
	for _, tc := range registry.All() {
		registered = append(registered, folderOf(tc))
		if names[tc.Name()] {
			t.Errorf("two toolchains are called %q", tc.Name())
		}
		names[tc.Name()] = true
	}
	for _, dir := range languages(t) {
		if !slices.Contains(registered, dir) {
			t.Errorf("pipeline/toolchain/%s is not in registry.All", dir)
		}
	}
}

func TestEveryLanguageHasItsFiles(t *testing.T) {
	for _, dir := range languages(t) {
		for _, want := range []string{"doc.go", "facts.go", "guard.go", "*_test.go"} {
			if found, err := filepath.Glob(filepath.Join("..", dir, want)); err != nil || len(found) == 0 {
				t.Errorf("pipeline/toolchain/%s lacks a file %s (%v)", dir, want, err)
			}
		}
	}
}

// TestNoFactIsOmitted fails for a fact that is neither set nor declared kit.None with
// a reason.
func TestNoFactIsOmitted(t *testing.T) {
	for _, tc := range registry.All() {
		facts := reflect.ValueOf(tc.Facts())
		for i := range facts.NumField() {
			name := facts.Type().Field(i).Name
			if fact, ok := facts.Field(i).Interface().(interface{ Omitted() bool }); ok && fact.Omitted() {
				t.Errorf("%s: the fact %s is neither known nor declared kit.None with a reason", tc.Name(), name)
			}
		}
		if tc.Facts().Version == "" {
			t.Errorf("%s: the fact Version is empty", tc.Name())
		}
	}
}

// TestLanguagesHaveNoOtherMethods fails for a method that nobody asks for: what others
// need to know of a language is a fact.
func TestLanguagesHaveNoOtherMethods(t *testing.T) {
	asked := reflect.TypeFor[kit.Toolchain]()
	for _, tc := range registry.All() {
		of := reflect.TypeOf(tc)
		for i := range of.NumMethod() {
			if _, ok := asked.MethodByName(of.Method(i).Name); !ok {
				t.Errorf("%s: nobody calls its method %s: make it a fact in facts.go", tc.Name(), of.Method(i).Name)
			}
		}
	}
}

// TestEveryLanguageRunsAPlan fails for a language none of whose tests runs a plan with
// the real program.
func TestEveryLanguageRunsAPlan(t *testing.T) {
	without := []string{"dotnet"} // no distribution has its SDK
	for _, dir := range languages(t) {
		if !slices.Contains(without, dir) && !strings.Contains(testsOf(t, dir), "kittest.Layout(") {
			t.Errorf("no test in pipeline/toolchain/%s runs a plan with the real program: write run_test.go "+
				"with kittest.Layout, Setup and Run", dir)
		}
	}
}

// testsOf is the text of a language's tests.
func testsOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// TestEveryLanguageIsInTheReadme looks for the row in the table of toolchains.
func TestEveryLanguageIsInTheReadme(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range registry.All() {
		if !strings.Contains(string(text), "\n| `"+tc.Name()+"` | ") {
			t.Errorf("README.md has no row for %s in the table of toolchains (section Recipes)", tc.Name())
		}
	}
}

// TestLanguagesKnowOnlyTheKit keeps the languages apart, and the kit free of them.
func TestLanguagesKnowOnlyTheKit(t *testing.T) {
	const toolchains = "github.com/wideswe/wideswe/pipeline/toolchain/"
	for _, dir := range append(languages(t), "kit") {
		files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range f.Imports {
				other, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), toolchains)
				allowed := other == "kit" || other == "kittest" && strings.HasSuffix(file, "_test.go")
				if ours && !allowed {
					t.Errorf("%s imports toolchain/%s: what two languages need belongs to the kit", file, other)
				}
			}
		}
	}
}

// languageWords are names of tools, and those of languages that are no folder's.
var languageWords = regexp.MustCompile(`(?i)\b(golang|go test|go\.mod|python|pytest|pypi|pip|rust|cargo|node|npm|` +
	`jest|mocha|vitest|java|maven|gradle|junit|` +
	`cmake|meson|ctest|php|composer|ruby|rspec|bundler|dotnet|csproj)\b`)

func TestTheKitNamesNoLanguage(t *testing.T) {
	names := []string{}
	for _, dir := range languages(t) {
		if dir != "shell" { // plans are shell scripts
			names = append(names, dir)
		}
	}
	folders := regexp.MustCompile(`(?i)\b(` + strings.Join(names, "|") + `)\b`)
	files, err := filepath.Glob("../kit/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range []*regexp.Regexp{languageWords, folders} {
			if word := words.Find(text); word != nil {
				t.Errorf("%s names %q: what belongs to one language is in its folder", file, word)
			}
		}
	}
}

// TestCanariesAreWhereTheFactsSay holds the fact against plans of the languages' own
// test runs: see canary_test.go in their folders.
func TestCanariesAreWhereTheFactsSay(t *testing.T) {
	for _, tc := range registry.All() {
		_, err := os.Stat(filepath.Join("..", folderOf(tc), "canary_test.go"))
		if known := tc.Facts().Canary.Known(); known != (err == nil) {
			t.Errorf("%s: the fact Canary is known: %v, tests of a canary: %v", tc.Name(), known, err)
		}
	}
}
