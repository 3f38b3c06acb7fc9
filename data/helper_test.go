package data_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline/githubtest"
)

// world is the demo's ecosystem, built, with its script.
type world struct {
	*githubtest.Built
	data.Script
	pulls map[string]githubtest.Pull
}

func build(t *testing.T) world {
	t.Helper()
	eco, err := githubtest.Load(data.Demo())
	if err != nil {
		t.Fatal(err)
	}
	built, err := githubtest.Build(t.Context(), eco, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script, err := data.DemoScript()
	if err != nil {
		t.Fatal(err)
	}
	w := world{built, script, map[string]githubtest.Pull{}}
	for _, p := range eco.Pulls {
		w.pulls[fmt.Sprintf("%s#%d", p.Repository, p.Number)] = p
	}
	return w
}

// out runs a program and gives its output, whatever its exit code.
func out(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s %v: %w\n%s", name, args, err, &stderr)
	}
	return stdout.String(), err
}

func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	text, err := out(t.Context(), dir, nil, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func isTest(path string) bool {
	return strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "tests/") || strings.Contains(path,
		"/GlowTests/")
}

// ends are the commits of a pull's base and gold.
func (w world) ends(t *testing.T, pull string) (base, gold string) {
	t.Helper()
	c, ok := w.Commits(pull)
	if !ok {
		t.Fatalf("%s is no pull of the demo", pull)
	}
	if w.pulls[pull].HeadGone {
		return c.Before, c.Merged
	}
	return c.Base, c.Head
}

// checkout writes one commit of a repository below root, as owner/name.
func (w world) checkout(t *testing.T, root, repository, commit string) string {
	t.Helper()
	dir := filepath.Join(root, repository)
	must(t, "", "git", "clone", "--quiet", "--no-checkout", w.GitDir(repository), dir)
	must(t, dir, "git", "-c", "advice.detachedHead=false", "checkout", "--quiet", commit)
	return dir
}

// workspace is every pull's repository at base, hidden tests laid over, or at gold.
func (w world) workspace(t *testing.T, pulls []string, gold bool, patches map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for _, pull := range pulls {
		base, goldCommit := w.ends(t, pull)
		repository := w.pulls[pull].Repository
		if gold {
			base = goldCommit
		}
		dir := w.checkout(t, root, repository, base)
		if patch := patches[repository]; patch != "" {
			file := filepath.Join(t.TempDir(), "patch")
			if err := os.WriteFile(file, []byte(patch), 0o644); err != nil {
				t.Fatal(err)
			}
			must(t, dir, "git", "apply", file)
		}
		for _, path := range w.hidden(pull) {
			must(t, dir, "git", "checkout", "--quiet", goldCommit, "--", path)
		}
	}
	return root
}

func (w world) hidden(pull string) []string {
	var paths []string
	for _, f := range w.pulls[pull].Files {
		if isTest(f.Path) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// outcomes runs the tests of the files that the pull's hidden tests touch: true is a pass.
func (w world) outcomes(t *testing.T, root, pull, shell string) map[string]bool {
	t.Helper()
	dir := filepath.Join(root, w.pulls[pull].Repository)
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return goOutcomes(t, root, dir, w.hidden(pull))
	}
	results := map[string]bool{}
	for _, script := range w.hidden(pull) {
		text, _ := out(t.Context(), dir, nil, shell, script)
		readTAP(script, text, results)
	}
	return results
}

var point = regexp.MustCompile(`(?m)^(not )?ok \d+ - (.*)$`)

func readTAP(script, text string, into map[string]bool) {
	for _, m := range point.FindAllStringSubmatch(text, -1) {
		into[script+"::"+m[2]] = m[1] == ""
	}
}

// goOutcomes wires the module to its siblings with a go.mod outside the tree.
func goOutcomes(t *testing.T, root, dir string, hidden []string) map[string]bool {
	t.Helper()
	mod := filepath.Join(t.TempDir(), "go.mod")
	text := must(t, dir, "cat", "go.mod")
	if err := os.WriteFile(mod, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	siblings, _ := filepath.Glob(filepath.Join(root, "lanternworks", "*", "go.mod"))
	for _, s := range siblings {
		if folder := filepath.Dir(s); folder != dir {
			must(t, dir, "go", "mod", "edit", "-replace", "lanternworks.example/"+filepath.Base(folder)+"="+folder, mod)
		}
	}
	env := []string{"GOFLAGS=-mod=mod -modfile=" + mod, "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off"}
	names := declared(t, dir, hidden)
	events, _ := out(t.Context(), dir, env, "go", "test", "-json", "-count=1", "-run", "^("+strings.Join(names, "|")+")$",
		"./...")
	results := map[string]bool{}
	for line := range strings.Lines(events) {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Test != "" && (e.Action == "pass" || e.Action == "fail") {
			results[e.Package+"::"+e.Test] = e.Action == "pass"
		}
	}
	return results
}

// declared names the tests that Go files declare.
func declared(t *testing.T, dir string, files []string) []string {
	t.Helper()
	var names []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if name := regexp.MustCompile(`^Test\w+`).FindString(nameOf(d)); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// shells are those whose sh scripts a pull's tests must pass under.
func (w world) shells(t *testing.T, pull string) []string {
	t.Helper()
	if slices.ContainsFunc(w.hidden(pull), func(path string) bool { return strings.HasSuffix(path, ".go") }) {
		return []string{"sh"}
	}
	var found []string
	for _, shell := range []string{"dash", "bash"} {
		if _, err := exec.LookPath(shell); err == nil {
			found = append(found, shell)
		}
	}
	if len(found) == 0 {
		t.Fatal("neither dash nor bash is here")
	}
	return found
}

// lists gives the tests that only gold passes, and those that base passes too.
func lists(base, gold map[string]bool) (f2p, p2p []string) {
	for id, passes := range gold {
		switch {
		case passes && base[id]:
			p2p = append(p2p, id)
		case passes:
			f2p = append(f2p, id)
		}
	}
	slices.Sort(f2p)
	slices.Sort(p2p)
	return f2p, p2p
}

// nameOf is the name of a top-level function, "" for anything else.
func nameOf(d ast.Decl) string {
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
		return f.Name.Name
	}
	return ""
}
