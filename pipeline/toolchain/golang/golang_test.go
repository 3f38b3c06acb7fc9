package golang

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

const testFile = "package p\nimport \"testing\"\n"

func TestGoSelect(t *testing.T) {
	tree := kit.Map{
		"go.mod": "module ex.org/m\n\ngo 1.21\n",
		"a/a_test.go": testFile + "func TestA(t *testing.T) {}\nfunc TestMain(m *testing.M) {}\nfunc " +
			"Testify(t *testing.T) {}\nfunc BenchmarkA(b *testing.B) {}\nfunc FuzzA(f *testing.F) {}\nfunc TestHelper(t " +
			"*testing.T, x int) {}\n",
		"a/b_test.go": testFile + "func TestB(t *testing.T) {}\n// x\nfunc ExampleShown() {\n\t// Output: " +
			"1\n}\nfunc ExampleQuiet() {}\n",
		"a/helper_test.go":      testFile + "func help(t *testing.T) {}\n",
		"a/testdata/in.json":    "{}",
		"b/integration_test.go": "//go:build integration && !windows\n\n" + testFile + "func TestI(t *testing.T) {}\n",
		"b/b_test.go":           testFile + "func TestPlain(t *testing.T) {}\n",
		"b/x_windows_test.go":   testFile + "func TestW(t *testing.T) {}\n",
		"b/old_test.go":         "// +build ignore\n\n" + testFile + "func TestOld(t *testing.T) {}\n",
		"b/broken_test.go":      "package p\nfunc {",
		"c/suite_test.go":       testFile + "type S struct{}\nfunc (s *S) TestOne() {}\n",
		"c/run_test.go": testFile + "func TestSuite(t *testing.T) { run(t, new(S)) }\nfunc TestOther(t " +
			"*testing.T) {}\n",
		"sub/go.mod":               "module ex.org/m/sub\n",
		"sub/x/x_test.go":          testFile + "func TestX(t *testing.T) {}\n",
		"docs/guide.md":            "",
		"a/testdata/src/q_test.go": testFile + "func TestQ(t *testing.T) {}\n",
		"d/d_test.go":              testFile + "func TestD(t *testing.T) {}\n",
		"d/golden/one.txt":         "",
	}
	for _, c := range []struct {
		name   string
		recipe schema.Recipe
		hidden []string
		want   kit.Selection
	}{
		{"tests, fuzz targets, examples with output; no helpers, benchmarks, TestMain", schema.Recipe{},
			[]string{"a/a_test.go", "a/b_test.go"},
			kit.Selection{Units: []kit.Unit{{Module: ".", Dir: "a", Tests: []string{"ExampleShown", "FuzzA", "TestA",
				"TestB"}}}}},
		{"a helper file selects its package", schema.Recipe{}, []string{"a/helper_test.go"},
			kit.Selection{Units: []kit.Unit{{Module: ".", Dir: "a", Tests: []string{"ExampleShown", "FuzzA", "TestA",
				"TestB"}}}}},
		{"a fixture adds nothing where a test of its package is selected", schema.Recipe{}, []string{"a/testdata/in.json",
			"a/b_test.go"},
			kit.Selection{Units: []kit.Unit{{Module: ".", Dir: "a", Tests: []string{"ExampleShown", "TestB"}}}}},
		{"a fixture alone selects the package above", schema.Recipe{}, []string{"d/golden/one.txt",
			"a/testdata/src/q_test.go"},
			kit.Selection{Units: []kit.Unit{{Module: ".", Dir: "a", Tests: []string{"ExampleShown", "FuzzA", "TestA", "TestB"}},
				{Module: ".", Dir: "d", Tests: []string{"TestD"}}}}},
		{"build tags", schema.Recipe{}, []string{"b/integration_test.go", "b/b_test.go"},
			kit.Selection{Units: []kit.Unit{{Module: ".", Dir: "b", Tests: []string{"TestPlain"}}, {Module: ".", Dir: "b",
				Tests: []string{"TestI"}, Tags: []string{"integration"}}}}},
		{"what can't run is left, with the reason", schema.Recipe{}, []string{"b/x_windows_test.go", "b/old_test.go",
			"b/broken_test.go", "gone/g_test.go", "docs/guide.md"},
			kit.Selection{Left: []kit.Left{
				{Path: "b/broken_test.go", Reason: "it does not parse as Go"},
				{Path: "b/old_test.go", Reason: "its build constraint excludes Linux: ignore"},
				{Path: "b/x_windows_test.go", Reason: "its name is for windows"},
				{Path: "docs/guide.md", Reason: "no Go test stands beside it"},
				{Path: "gone/g_test.go", Reason: "the tree does not have it"}}}},
		{"a suite's methods select its runner", schema.Recipe{}, []string{"c/suite_test.go"},
			kit.Selection{Units: []kit.Unit{{Module: ".", Dir: "c", Tests: []string{"TestSuite"}}}}},
		{"a nested module", schema.Recipe{}, []string{"sub/x/x_test.go"},
			kit.Selection{Units: []kit.Unit{{Module: "sub", Dir: "sub/x", Tests: []string{"TestX"}}}}},
		{"a recipe's own selection", schema.Recipe{Select: []string{"./d", "./b TestPlain"}}, []string{"a/a_test.go"},
			kit.Selection{Units: []kit.Unit{{Module: ".", Dir: "b", Tests: []string{"TestPlain"}}, {Module: ".", Dir: "d",
				Tests: []string{"TestD"}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Toolchain{}.Select(tree, c.recipe, c.hidden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(kit.Unit{}, "First", "Last", "Runner", "Files")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if _, err := (Toolchain{}).Select(tree, schema.Recipe{Select: []string{"./nowhere"}}, nil); err == nil {
		t.Error("a selection of nothing is no error")
	}
}

func TestGoDetect(t *testing.T) {
	for _, c := range []struct {
		name string
		tree kit.Map
		want schema.Recipe
	}{
		{"the distribution's Go", kit.Map{"go.mod": "module m\n\ngo 1.22.3\n\ntoolchain go1.25.0\n",
			".github/workflows/t.yml": "go-version: '1.23'"},
			schema.Recipe{Runtime: "1.22.3", Image: "debian:trixie", Packages: []string{"ca-certificates", "git", "golang-1.24"},
				Env:   map[string]string{"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local"},
				Setup: []string{"go mod download || go mod download"}}},
		{"a newer one", kit.Map{"go.mod": "module m\n\ngo 1.25.1\n"},
			schema.Recipe{Runtime: "1.25.1", Image: "debian:trixie", Packages: []string{"ca-certificates", "git", "golang-1.24"},
				Env:   map[string]string{"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "go1.25.1"},
				Setup: []string{"go mod download || go mod download"}}},
		{"cgo, vendored, version from CI", kit.Map{"go.mod": "module m\n", "x.go": "package x\n\nimport \"C\"\n",
			"vendor/modules.txt": "", ".github/workflows/t.yml": "go-version: [1.19, '1.20']"},
			schema.Recipe{Runtime: "1.20", Image: "debian:trixie", Packages: []string{"ca-certificates", "git", "golang-1.24",
				"build-essential", "pkg-config"},
				Env: map[string]string{"CGO_ENABLED": "1", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Toolchain, c.want.Report = "go", "gotest"
			got, ok := (Toolchain{}).Detect(c.tree)
			if !ok {
				t.Fatalf("not detected as Go: %v", got)
			}
			if len(got.Why) < 3 {
				t.Errorf("reasons: %q", got.Why)
			}
			got.Why = nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// goJob is a service that depends on a sibling, and through it on another.
func goJob() kit.Job {
	service := kit.Map{
		"go.mod": "module ex.org/service\n\ngo 1.21\n\nrequire (\n\tex.org/lib v0.9.0\n\tex.org/far " +
			"v1.0.0\n)\n\nreplace ex.org/lib v0.9.0 => ex.org/fork v1.0.0\n\nreplace ex.org/far => ./far\n",
		"p/p_test.go":       testFile + "func TestP(t *testing.T) {}\n",
		"tools/go.mod":      "module ex.org/service/tools\n",
		"tools/t/t_test.go": testFile + "func TestT(t *testing.T) {}\n",
		"far/go.mod":        "module ex.org/far\n",
	}
	lib := kit.Map{"go.mod": "module ex.org/lib\n\nrequire ex.org/base v1.0.0\n",
		"examples/go.mod": "module ex.org/lib/examples\n\nrequire ex.org/lib v0.1.0\n"}
	base := kit.Map{"go.mod": "module ex.org/base\n", "unused/go.mod": "module ex.org/unused\n"}
	r, _ := Toolchain{}.Detect(service)
	s, _ := Toolchain{}.Select(service, r, []string{"p/p_test.go", "tools/t/t_test.go"})
	return kit.Job{Recipe: r, Repository: "acme/service", Tree: service, Selection: s,
		Siblings: []kit.Sibling{{Repository: "acme/lib", Tree: lib}, {Repository: "acme/base", Tree: base},
			{Repository: "acme/service", Tree: service}}}
}

func TestGoPlan(t *testing.T) {
	p, err := Toolchain{}.Plan(goJob())
	if err != nil {
		t.Fatal(err)
	}
	want := kit.Plan{
		Env: map[string]string{"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local"},
		Wire: []string{
			`if [ -d /usr/lib/go-1.24/bin ] && ! command -v go >/dev/null; then export PATH=/usr/lib/go-1.24/bin:"$PATH"; fi`,
			`mkdir -p "$WIDESWE_TMP"/go/root`,
			`cp "$WIDESWE_REPO"/go.mod "$WIDESWE_TMP"/go/root/go.mod`,
			`chmod u+w "$WIDESWE_TMP"/go/root/go.mod`,
			`go mod edit -dropreplace=ex.org/lib@v0.9.0 -replace=ex.org/far="$WIDESWE_REPO"/far ` +
				`-replace=ex.org/base="$WIDESWE_WORKSPACE"/acme/base -replace=ex.org/lib="$WIDESWE_WORKSPACE"/acme/lib ` +
				`"$WIDESWE_TMP"/go/root/go.mod`,
			`cat "$WIDESWE_REPO"/go.sum "$WIDESWE_WORKSPACE"/acme/base/go.sum "$WIDESWE_WORKSPACE"/acme/lib/go.sum ` +
				`2>/dev/null | sort -u >"$WIDESWE_TMP"/go/root/go.sum`,
			`export GOWORK=off`,
			`goflags="${GOFLAGS:-}"`,
			`export GOFLAGS="$goflags -modfile=$WIDESWE_TMP/go/root/go.mod -mod=mod"`,
		},
		Setup: []string{
			`go mod download || go mod download`,
			`(cd "$WIDESWE_REPO" && go list -e -deps -test ./... >/dev/null)`,
			`(cd "$WIDESWE_REPO"/tools && GOFLAGS="$goflags" go mod download)`,
			`(cd "$WIDESWE_REPO"/tools && GOFLAGS="$goflags" go list -e -deps -test ./... >/dev/null)`,
		},
		Manifests: []string{"far/go.mod", "go.mod", "tools/go.mod"},
		Warm: []string{
			`export GOPROXY=off GOSUMDB=off`,
			`(cd "$WIDESWE_REPO" && go test -vet=off -count=1 -run '^$' ./p >/dev/null) || true`,
			`(cd "$WIDESWE_REPO"/tools && GOFLAGS="$goflags" go test -vet=off -count=1 -run '^$' ./t >/dev/null) || true`,
		},
		Build:  []string{`export GOPROXY=off GOSUMDB=off`},
		Report: "gotest",
		Files:  []string{"001.json", "001.stderr", "002.json", "002.stderr"},
	}
	test := p.Test
	p.Test = ""
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	lines := strings.Split(test, "\n")
	wantRuns := []string{
		`run 001 "$WIDESWE_REPO" env go test -json -count=1 -failfast=false -vet=off -timeout=600s -run '^(TestP)$' ./p`,
		`run 002 "$WIDESWE_REPO"/tools env GOFLAGS="$goflags" go test -json -count=1 -failfast=false -vet=off ` +
			`-timeout=600s -run '^(TestT)$' ./t`,
		`exit "$worst"`,
	}
	if diff := cmp.Diff(wantRuns, lines[len(lines)-3:]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestGoPlanWithoutWiring(t *testing.T) {
	j := goJob()
	j.Siblings = []kit.Sibling{{Repository: "acme/other", Tree: kit.Map{"go.mod": "module ex.org/other\n"}}}
	p, err := Toolchain{}.Plan(j)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(p.Wire, "\n"); strings.Contains(text, "modfile") || strings.Contains(p.Test, "goflags") {
		t.Errorf("a sibling that nothing requires is wired:\n%s", text)
	}
}

func TestGoSkipAndOnly(t *testing.T) {
	j := goJob()
	for _, c := range []struct {
		name       string
		skip, only []string
		want       []string
	}{
		{"skip a subtest", []string{"ex.org/service/p::TestP/a_b/c(1)", "ex.org/other::TestP"}, nil,
			[]string{`-run '^(TestP)$' -skip '^TestP$/^a_b$/^c\(1\)$' ./p`, `-run '^(TestT)$' ./t`}},
		{"only one", nil, []string{"ex.org/service/tools/t::TestT/x #2"}, []string{`-run '^TestT$/^x$' ./t`}},
		{"a masked port", []string{"ex.org/service/p::TestP/127.0.0.1:PORT"}, nil,
			[]string{`-run '^(TestP)$' -skip '^TestP$/^127\.0\.0\.1:\d+$' ./p`, `-run '^(TestT)$' ./t`}},
		{"a test that is not selected", nil, []string{"ex.org/service/p::TestZ"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			j.Skip, j.Only = c.skip, c.only
			p, err := Toolchain{}.Plan(j)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.SplitSeq(p.Test, "\n") {
				if strings.HasPrefix(line, "run 0") {
					got = append(got, line[strings.Index(line, "-run"):])
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestGoWorkIsReplaced(t *testing.T) {
	j := goJob()
	j.Tree.(kit.Map)["go.work"] = "go 1.21\n\nuse (\n\t.\n\t./far\n)\n"
	p, err := Toolchain{}.Plan(j)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(p.Wire, "\n"); !strings.Contains(text, `-replace=ex.org/far="$WIDESWE_REPO"/far`) ||
		!strings.Contains(text, "GOWORK=off") {
		t.Errorf("the modules that go.work joins are not wired:\n%s", text)
	}
}
