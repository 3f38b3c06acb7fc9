package folder

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

func TestRecipeComesBack(t *testing.T) {
	f := newFolder(t)
	want := schema.Recipe{Repository: "o/a", Build: []string{"go build -o cmd/x/x ./cmd/x"}, Path: []string{"cmd/x"},
		Env: map[string]string{"A": "1"}}
	if _, err := f.WriteRecipe(want); err != nil {
		t.Fatal(err)
	}
	got, err := f.Recipe("o/a", time.Now())
	if d := cmp.Diff([]schema.RecipePart{{Number: 1, Recipe: want}}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	if got, err = f.Recipe("o/other", time.Now()); len(got) > 0 || err != nil {
		t.Error(got, err)
	}
}

func TestRecipePartsByDate(t *testing.T) {
	f := newFolder(t)
	put(t, f, "recipes/o__a.yaml", `# how it went
- add: {packages: [make]}
- until: 2024-05-01
  image: debian:bookworm
- from: 2024-05-01
  toolchain: node
- from: 2025-01-01T12:00:00Z
  until: 2025-02-01
  packages: [nodejs, cmake]
  add: {build: [make]}
`)
	detected := schema.Recipe{Toolchain: "make", Image: "debian:trixie", Packages: []string{"gcc"}}
	base := schema.Recipe{Toolchain: "make", Image: "debian:trixie", Packages: []string{"gcc", "make"}}
	old, node := base, base
	old.Image, node.Toolchain = "debian:bookworm", "node"
	exception := node
	exception.Packages, exception.Build = []string{"nodejs", "cmake"}, []string{"make"}
	for day, want := range map[string]schema.Recipe{
		"2020-01-01": old, "2024-04-30T23:59:59Z": old, "2024-05-01": node, "2024-05-01T01:00:00+02:00": old,
		"2025-01-01": node, "2025-01-01T12:00:00Z": exception, "2025-02-01": node,
	} {
		at, err := schema.RecipeDate(day)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := f.Recipe("o/a", at)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, detected.Lay(parts...), cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Why" },
			cmp.Ignore())); d != "" {
			t.Errorf("%s: %s", day, d)
		}
	}
}

func TestRecipeMistakes(t *testing.T) {
	f := newFolder(t)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"unknown key": {"image: x\ntests: go test\n", []string{"recipes/o__a.yaml:2", `no key "tests"`,
			`did you mean "test"?`, "packages"}},
		"unknown key in a part": {"- image: x\n- from: 2024-01-01\n  pakages: [a]\n", []string{"recipes/o__a.yaml:3",
			`did you mean "packages"?`}},
		"unknown key in add": {"add: {package: [a]}\n", []string{"recipes/o__a.yaml:1", `no key "package" in add`,
			`did you mean "packages"?`}},
		"a word for a list":  {"packages: make\n", []string{"recipes/o__a.yaml:1"}},
		"text":               {"make test\n", []string{"recipes/o__a.yaml"}},
		"another repository": {"repository: o/b\n", []string{"o/b", "file's name"}},
		"timeout": {"- timeout: 5\n- from: 2024-01-01\n  timeout: -1\n",
			[]string{"recipes/o__a.yaml:2: part 2", "seconds"}},
		"a service without image": {"services: [{name: db}]\n", []string{"service db has no image"}},
		"a service's name":        {"services: [{name: 'D B', image: x}]\n", []string{"host name"}},
		"a service's key": {"services: [{name: db, image: x, prot: 5}]\n", []string{"recipes/o__a.yaml:1",
			"prot"}},
		"a file put out of the tree": {"relocate: [{from: a_test.go, to: ../b_test.go}]\n", []string{"relocate",
			"../b_test.go"}},
		"a name that is none": {"relocate: [{from: a_test.go, to: b_test.go, rename: {A: 'B()'}}]\n",
			[]string{"names of types"}},
		"no date": {"from: v1.2\n", []string{`from is "v1.2"`, "2025-03-01"}},
		"a commit": {"until: 0123456789012345678901234567890123456789\n", []string{"until is",
			"the base commit's date"}},
		"unknown key in relocate": {"relocate: [{from: a_test.go, into: b_test.go}]\n", []string{`no key "into" in relocate`,
			"from, to, rename"}},
		"an empty range": {"- from: 2024-02-01\n  until: 2024-02-01\n", []string{"holds no moment"}},
		"no such thing in add": {"add: {imag: [a]}\n", []string{"in add; there is: ",
			"packages, setup, warm, build, path"}},
		"unknown key in services": {"services:\n  - nmae: db\n    image: x\n", []string{"recipes/o__a.yaml:2",
			`no key "nmae" in services`, `did you mean "name"?`, "name, image, command, env, ready, port, tmpfs"}},
		"a part's key in services": {"- services: [{name: db, image: x, packages: [a]}]\n", []string{"in services"}},
		"ranges that cross": {"- from: 2024-01-01\n  until: 2024-06-01\n  image: a\n- from: 2024-05-01\n  image: b\n",
			[]string{"recipes/o__a.yaml:4", "parts 1 and 2 both are for 2024-05-01 until 2024-06-01",
				"end the one where the other begins"}},
		"the same twice": {"- from: 2024-01-01\n- from: 2024-01-01T00:00:00Z\n",
			[]string{"parts 1 and 2 are for the same dates"}},
		"always, twice": {"- image: a\n- image: b\n", []string{"parts 1 and 2 are for the same dates"}},
		"the wider one later": {"- from: 2024-01-01\n  until: 2024-02-01\n- image: a\n",
			[]string{"parts 1 and 2 are in the wrong order", "put the wider one first"}},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, f, "recipes/o__a.yaml", c.text)
			_, err := f.RecipeParts("o/a")
			usage(t, err, c.want...)
		})
	}
}

func TestRecipeRangesThatMeet(t *testing.T) {
	f := newFolder(t)
	put(t, f, "recipes/o__a.yaml", "[]\n")
	if parts, err := f.RecipeParts("o/a"); len(parts) > 0 || err != nil {
		t.Error(parts, err)
	}
	put(t, f, "recipes/o__a.yaml", "- from: 2024-06-01\n- until: 2024-06-01\n- until: 2020-01-01\n")
	if parts, err := f.RecipeParts("o/a"); len(parts) != 3 || err != nil {
		t.Error(parts, err)
	}
}
