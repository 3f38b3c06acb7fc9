package testrun_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// suite is a Go repository; test is the text of its test file's functions.
func suite(t *testing.T, test string) (workspace string) {
	t.Helper()
	testscope.Programs(t, "go")
	workspace = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/q\n\ngo 1.21\n",
		"q.go":   "package q\n",
		"q_test.go": "package q\n\nimport (\"os\"; \"strings\"; \"syscall\"; \"testing\"; \"time\")\n\nvar _, _, _, _ = " +
			"os.Exit, strings.Contains, time.Now, syscall.Exit\n\n" + test,
	} {
		p := filepath.Join(workspace, "o", "q", name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return workspace
}

func run(t *testing.T, workspace string, change func(*testrun.Request)) *testrun.Report {
	t.Helper()
	p := process.Open(registry.HostCaches(t.Context()))
	p.TempDir = t.TempDir()
	r := &testrun.Runner{Backend: p, Limits: sandbox.Limits{Timeout: 2 * time.Minute}}
	q := testrun.Request{Repository: "o/q", Workspace: workspace, HiddenFiles: []string{"q_test.go"},
		Recipe: schema.Recipe{Toolchain: "go"}}
	if change != nil {
		change(&q)
	}
	rep, err := r.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func outcomes(rep *testrun.Report) map[string]schema.TestOutcome {
	m := map[string]schema.TestOutcome{}
	for _, r := range rep.Results {
		_, name := schema.SplitTestID(r.ID)
		m[name] = r.Outcome
	}
	return m
}

func TestRunSaysHowEachRunWent(t *testing.T) {
	for _, c := range []struct {
		name, test string
		change     func(*testrun.Request)
		status     testrun.Status
		detail     string
		want       map[string]schema.TestOutcome
	}{
		{name: "plain", test: `func TestA(t *testing.T) {}; func TestB(t *testing.T) { t.Error("no") }; func TestC(t ` +
			`*testing.T) { t.Skip() }`,
			status: testrun.OK, want: map[string]schema.TestOutcome{"TestA": schema.Pass, "TestB": schema.Fail,
				"TestC": schema.Skip}},
		{name: "does not compile", test: `func TestA(t *testing.T) { undefined() }`,
			status: testrun.BuildFailed, want: map[string]schema.TestOutcome{}},
		{name: "build step fails", test: `func TestA(t *testing.T) {}`, status: testrun.BuildFailed,
			detail: "build ended with 9: no luck",
			change: func(q *testrun.Request) { q.Recipe.Build = []string{"echo no luck", "exit 9"} },
			want:   map[string]schema.TestOutcome{}},
		{name: "hangs", test: `func TestA(t *testing.T) {}; func TestB(t *testing.T) { time.Sleep(time.Hour) }`,
			status: testrun.Timeout,
			change: func(q *testrun.Request) { q.Recipe.Timeout = 15 }, want: map[string]schema.TestOutcome{"TestA": schema.Pass,
				"TestB": schema.Error}},
		{name: "ends with 0 before its tests did", test: `func TestA(t *testing.T) {}; func TestMain(m *testing.M) { ` +
			`os.Exit(0) }`,
			status: testrun.NoReport, want: map[string]schema.TestOutcome{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep := run(t, suite(t, c.test), c.change)
			a := rep.First()
			if a.Status != c.status {
				t.Errorf("status %s (%s), want %s\n%s", a.Status, a.Detail, c.status, a.Output)
			}
			if !strings.Contains(a.Detail, c.detail) {
				t.Errorf("detail %q", a.Detail)
			}
			if d := cmp.Diff(c.want, outcomes(rep)); d != "" {
				t.Errorf("%s\n%s", d, a.Output)
			}
		})
	}
}

func TestRunFillsInWhatACrashHid(t *testing.T) {
	workspace := suite(t, `
func TestP(t *testing.T) {
	t.Run("a", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) { var m map[int]int; m[1] = 1 })
	t.Run("b", func(t *testing.T) {})
	t.Run("c", func(t *testing.T) { t.Error("no") })
}
func TestQ(t *testing.T) {}`)
	id := func(name string) string { return "example.org/q::" + name }
	rep := run(t, workspace, func(q *testrun.Request) {
		// What gold passed; base knows the last not at all, which the rerun proves.
		q.Expected = []string{id("TestP"), id("TestP/a"), id("TestP/bad"), id("TestP/b"), id("TestQ"), id("TestP/new")}
	})
	want := map[string]schema.TestOutcome{"TestP": schema.Fail, "TestP/a": schema.Pass, "TestP/bad": schema.Fail,
		"TestP/b": schema.Pass, "TestQ": schema.Pass}
	got := outcomes(rep)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s\n%s", d, rep.First().Output)
	}
	if s := rep.First().Status; s != testrun.Crashed || len(rep.Attempts) < 2 {
		t.Errorf("status %s after %d runs", s, len(rep.Attempts))
	}
}

func TestEnsureImageIsBuiltOnceAndFoundAgain(t *testing.T) {
	workspace := suite(t, `func TestA(t *testing.T) {}`)
	b := &builder{images: map[string]sandbox.Image{}}
	r := &testrun.Runner{Backend: b, Images: map[string]string{"debian:trixie": "local/base"}}
	q := testrun.ImageRequest{Repository: "o/q", BaseWorkspace: workspace, GoldWorkspace: workspace,
		HiddenFiles: []string{"q_test.go"},
		Recipe:      schema.Recipe{Toolchain: "go", Image: "debian:trixie", Packages: []string{"golang-1.24", "git"}}}
	ensure := func() testrun.Image {
		img, err := r.EnsureImage(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	first := ensure()
	if len(b.built) != 3 || b.built[0].Base != "sha256:base" || first.Base != "local/base" || first.Cached {
		t.Fatalf("built %+v, got %+v", b.built, first)
	}
	var steps []string
	for _, image := range b.built[1:] {
		for _, s := range image.Steps {
			steps = append(steps, image.Labels["wideswe.stage"]+" "+s.Name+map[bool]string{true: " online",
				false: " offline"}[s.Network]+" "+s.User)
		}
	}
	if d := cmp.Diff([]string{"dependencies setup at base online ", "dependencies setup at gold online ",
		"warm warm at base offline "}, steps); d != "" {
		t.Error(d)
	}
	if again := ensure(); !again.Cached || again.ID != first.ID || len(b.built) != 3 {
		t.Errorf("again: %+v after %d builds", again, len(b.built))
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(workspace, "o/q", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// Another tree has caches of its own on the same dependencies.
	write("more.go", "package q\n")
	other := ensure()
	if other.Cached || other.ID == first.ID || len(b.built) != 4 || !other.Layers[1].Cached ||
		other.Layers[1].ID != first.Layers[1].ID {
		t.Errorf("other: %+v after %d builds", other, len(b.built))
	}
	// Another manifest has dependencies of its own on the same packages.
	write("go.sum", "example.org/x v1.0.0 h1:0\n")
	if third := ensure(); len(b.built) != 6 || !third.Layers[0].Cached || third.Layers[1].ID == first.Layers[1].ID {
		t.Errorf("third: %+v after %d builds", third, len(b.built))
	}
	if cached, built := r.LayerCounts(); cached != 6 || built != 6 {
		t.Errorf("%d cached, %d built", cached, built)
	}
	q.Recipe.Why = []string{"a new reason"}
	if same := ensure(); !same.Cached {
		t.Error("a reason decides nothing, yet made another image")
	}
}

func TestEnsureImageTriesAgainWhereTheNetworkWasSilent(t *testing.T) {
	workspace := suite(t, `func TestA(t *testing.T) {}`)
	b := &builder{images: map[string]sandbox.Image{}, fail: []error{&sandbox.BuildError{Step: "packages", ExitCode: 100,
		Tail: "E: Temporary failure resolving 'x'"}}}
	r := &testrun.Runner{Backend: b}
	q := testrun.ImageRequest{Repository: "o/q", BaseWorkspace: workspace, GoldWorkspace: workspace,
		Recipe: schema.Recipe{Toolchain: "go"}, HiddenFiles: []string{"q_test.go"}}
	if _, err := r.EnsureImage(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	b.images = map[string]sandbox.Image{}
	b.fail = []error{&sandbox.BuildError{Step: "packages", ExitCode: 100, Tail: "E: Unable to locate package x"}}
	if _, err := r.EnsureImage(t.Context(), q); err == nil || sandbox.IsInfra(err) {
		t.Errorf("got %v", err)
	}
}

// builder is a backend that notes what it is asked to build.
type builder struct {
	built  []sandbox.ImageSpec
	images map[string]sandbox.Image
	fail   []error
}

func (b *builder) Name() string                                    { return "noting" }
func (b *builder) Platform(context.Context) (string, error)        { return "x/y", nil }
func (b *builder) ImageID(context.Context, string) (string, error) { return "sha256:base", nil }
func (b *builder) Pin(context.Context, string, bool) (string, error) {
	return "sha256:base", nil
}
func (b *builder) Host(context.Context) (sandbox.Host, error)      { return sandbox.Host{}, nil }
func (b *builder) Abilities() sandbox.Abilities                    { return sandbox.NewAbilities(nil, nil, nil) }
func (b *builder) Machine(context.Context) (float64, int64, error) { return 2, 8 << 30, nil }
func (b *builder) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{}, nil
}
func (b *builder) FindImage(_ context.Context, key string) (sandbox.Image, error) {
	return b.images[key], nil
}
func (b *builder) BuildImage(_ context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	if len(b.fail) > 0 {
		err := b.fail[0]
		b.fail = b.fail[1:]
		return sandbox.Image{}, err
	}
	b.built = append(b.built, s)
	b.images[s.Key] = sandbox.Image{ID: "id-" + s.Key, Name: s.Name, Key: s.Key}
	return b.images[s.Key], nil
}
