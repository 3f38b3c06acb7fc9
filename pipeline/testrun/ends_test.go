package testrun_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// ending is how base's run of one of the two files ends: the environment of the run says so,
// so that the files are the same on base and gold.
type ending struct{ way, place, verbosity string }

var (
	ways        = []string{"exit0", "exit1", "abort", "kill", "segv"}
	places      = []string{"setup", "test", "between", "teardown", "end"}
	verbosities = []string{"quiet", "usual", "loud"}
)

// endings are pairwise over way, place and verbosity. Where not all are run, the subjects
// share the pairs of way and place among them.
func endings(subject int) (list []ending) {
	for i, way := range ways {
		for j, place := range places {
			if testscope.All() || (j+2*i)%len(places) == subject && i != subject {
				list = append(list, ending{way, place, verbosities[(i+j)%len(verbosities)]})
			}
		}
	}
	return append(list, ending{"stop", "test", "usual"})
}

// subject is a small suite of one runner. Its first file has the tests a, b, c and d, of
// which c and d pass on base by themselves however b ends, and a has or is followed by one
// that only gold has, new; the other file has z.
type subject struct {
	name   string
	recipe schema.Recipe
	files  map[string]string
	hidden []string
	ids    string // of a test of the first file, %s
	added  string // the id of new; empty where the runner knows no test that comes and goes
	other  string // the id of z
	env    func(t *testing.T, e ending) map[string]string
}

// run runs a subject as base or gold.
func (s subject) run(t *testing.T, workspace, state string, e ending, expected []string) *testrun.Report {
	t.Helper()
	p := process.Open(registry.HostCaches(t.Context()))
	p.TempDir = t.TempDir()
	r := &testrun.Runner{Backend: p, Limits: sandbox.Limits{Timeout: 2 * time.Minute}}
	q := testrun.Request{Repository: "o/q", Workspace: workspace, HiddenFiles: s.hidden, Recipe: s.recipe,
		Expected: expected, Doubt: state == "base"}
	q.Recipe.Env = map[string]string{"STATE": state, "WAY": e.way, "PLACE": e.place, "VERBOSITY": e.verbosity,
		"WIDESWE_CANARY": "off"}
	if s.env != nil {
		maps.Copy(q.Recipe.Env, s.env(t, e))
	}
	rep, err := r.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func (s subject) id(name string) string { return fmt.Sprintf(s.ids, name) }

// falseF2P lists the tests that base's run says fail or are missing, and that pass there.
func (s subject) falseF2P(rep *testrun.Report, e ending) (list []string) {
	if first := rep.First().Status; first == testrun.Inconsistent || first == testrun.NoReport {
		return nil // validate skips the target
	}
	stay := []string{s.other}
	if e.place != "setup" {
		stay = append(stay, s.id("a"), s.id("c"), s.id("d"))
	}
	for _, id := range stay {
		switch rep.Outcome(id) {
		case schema.Missing, schema.Fail, schema.Error:
			list = append(list, id+" "+cmp.Or(string(rep.Outcome(id)), "missing"))
		}
	}
	return list
}

// TestNoTestThatPassesOnBaseIsF2P: however base's run ends, wherever, and however much it
// was asked to print, with the real runners of this machine.
func TestNoTestThatPassesOnBaseIsF2P(t *testing.T) {
	for n, s := range []subject{pytestSubject(), goSubject(), nodeSubject(), shellSubject(), cargoSubject()} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			workspace := t.TempDir()
			for name, text := range s.files {
				p := filepath.Join(workspace, "o", "q", name)
				if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			testscope.Programs(t, map[string]string{"python": "python3", "rust": "cargo", "shell": "sh"}[s.recipe.Toolchain]+
				map[string]string{"go": "go", "node": "node"}[s.recipe.Toolchain])
			gold := s.run(t, workspace, "gold", ending{}, nil)
			expected := []string{s.other, s.id("a"), s.id("b"), s.id("c"), s.id("d")}
			if s.added != "" {
				expected = append(expected, s.added)
			}
			slices.Sort(expected)
			for _, id := range expected {
				if gold.Outcome(id) != schema.Pass {
					t.Fatalf("%s does not pass on gold: %+v\n%s", id, gold.Results, gold.First().Output)
				}
			}
			if clean := s.run(t, workspace, "base", ending{}, expected); s.added != "" &&
				clean.Outcome(s.added) != schema.Missing || len(clean.Attempts) != 1 {
				t.Errorf("a run that comes to its end: %d attempts, %+v, %+v", len(clean.Attempts), clean.Results,
					clean.First().Parsed.Ends)
			}
			cases, attempts, began := endings(n), 0, time.Now()
			for _, e := range cases {
				rep := s.run(t, workspace, "base", e, expected)
				attempts += len(rep.Attempts)
				if list := s.falseF2P(rep, e); len(list) > 0 {
					first := rep.First()
					t.Errorf("%v: false F2P %q\n%s (%s) after %d runs: %+v\n%+v\n%s", e, list, first.Status, first.Detail,
						len(rep.Attempts), rep.Results, first.Parsed, first.Output)
				}
			}
			t.Logf("%d endings in %d runs, %s", len(cases), attempts, time.Since(began).Round(time.Second))
		})
	}
}

func pytestSubject() subject {
	const text = `import os, signal, threading, time, atexit, pytest
STATE, WAY, PLACE = (os.environ.get(k) for k in ("STATE", "WAY", "PLACE"))
def end(place):
    if STATE != "base" or PLACE != place: return
    if WAY == "exit0": os._exit(0)
    if WAY == "exit1": os._exit(1) if place in ("between", "end") else pytest.exit("no", 1)
    if WAY == "abort": os.abort()
    if WAY == "kill": os.kill(os.getpid(), signal.SIGKILL)
    if WAY == "segv": os.kill(os.getpid(), signal.SIGSEGV)
    if WAY == "stop": assert False
atexit.register(end, "end")
@pytest.fixture(scope="module", autouse=True)
def around():
    end("setup")
    yield
    end("teardown")
def test_a(): pass
if STATE == "gold":
    def test_new(): pass
def test_b():
    if STATE == "base" and PLACE == "between": threading.Timer(0.05, end, ["between"]).start()
    end("test")
def test_c():
    if STATE == "base" and PLACE == "between": time.sleep(0.3)
def test_d(): pass
`
	return subject{name: "pytest", recipe: schema.Recipe{Toolchain: "python", Report: "junit"},
		hidden: []string{"tests/test_m.py", "tests/test_z.py"},
		files: map[string]string{"pyproject.toml": "[project]\nname = \"q\"\n", "tests/test_m.py": text,
			"tests/test_z.py": "def test_z(): pass\n"},
		ids: "tests/test_m.py::test_%s", added: "tests/test_m.py::test_new", other: "tests/test_z.py::test_z",
		env: func(t *testing.T, e ending) map[string]string {
			python, err := exec.Command("python3", "-c", "import pytest, sys; print(sys.executable)").Output()
			if err != nil {
				t.Skip("pytest is not installed")
			}
			cache := t.TempDir()
			if err := os.MkdirAll(filepath.Join(cache, "venv", "bin"), 0o755); err != nil {
				t.Fatal(err)
			}
			script := "#!/bin/sh\nexec '" + strings.TrimSpace(string(python)) + "' \"$@\"\n"
			if err := os.WriteFile(filepath.Join(cache, "venv", "bin", "python"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			options := map[string]string{"quiet": "-qq", "loud": "-vv -s"}[e.verbosity]
			if e.way == "stop" {
				options += " -x"
			}
			return map[string]string{"WIDESWE_CACHE": cache, "PYTEST_ADDOPTS": options}
		}}
}

func goSubject() subject {
	const text = `package q

import ("os"; "syscall"; "testing"; "time")

func end(t *testing.T, place string) {
	if os.Getenv("STATE") != "base" || os.Getenv("PLACE") != place { return }
	switch os.Getenv("WAY") {
	case "exit0": syscall.Exit(0)
	case "exit1": os.Exit(1)
	case "abort": panic("no")
	case "kill": syscall.Kill(os.Getpid(), syscall.SIGKILL); time.Sleep(time.Second)
	case "segv": var p *int; *p = 1
	case "stop": t.Error("no")
	}
}
func TestMain(m *testing.M) { end(nil, "setup"); code := m.Run(); end(nil, "end"); os.Exit(code) }
func Test_a(t *testing.T) {}
func Test_n(t *testing.T) { if os.Getenv("STATE") == "gold" { t.Run("new", func(t *testing.T) {}) } }
func Test_b(t *testing.T) {
	if os.Getenv("STATE") == "base" && os.Getenv("PLACE") == "between" { go func() { time.Sleep(20 * time.Millisecond); end(nil, "between") }() }
	t.Cleanup(func() { end(t, "teardown") })
	end(t, "test")
}
func Test_c(t *testing.T) { if os.Getenv("PLACE") == "between" { time.Sleep(200 * time.Millisecond) } }
func Test_d(t *testing.T) {}
`
	return subject{name: "go", recipe: schema.Recipe{Toolchain: "go", Report: "gotest"}, hidden: []string{"q_test.go",
		"z/z_test.go"},
		files: map[string]string{"go.mod": "module example.org/q\n\ngo 1.21\n", "q.go": "package q\n", "q_test.go": text,
			"z/z_test.go": "package z\nimport \"testing\"\nfunc Test_z(t *testing.T) {}\n"},
		ids: "example.org/q::Test_%s", added: "example.org/q::Test_n/new", other: "example.org/q/z::Test_z",
		env: func(_ *testing.T, e ending) map[string]string {
			if e.way == "stop" {
				return map[string]string{"GOFLAGS": "-failfast"}
			}
			return nil
		}}
}

func nodeSubject() subject {
	const text = `const { test, before, after, afterEach } = require('node:test')
const env = process.env
function end (place) {
  if (env.STATE !== 'base' || env.PLACE !== place) return
  if (env.WAY === 'exit0') process.exit(0)
  if (env.WAY === 'exit1') process.exit(1)
  if (env.WAY === 'abort') process.abort()
  if (env.WAY === 'kill') process.kill(process.pid, 'SIGKILL')
  if (env.WAY === 'segv') process.kill(process.pid, 'SIGSEGV')
  if (env.WAY === 'stop') throw new Error('no')
}
end('setup')
after(() => end('teardown'))
process.on('exit', () => end('end'))
test('a', () => {})
if (env.STATE === 'gold') test('new', () => {})
test('b', () => {
  if (env.STATE === 'base' && env.PLACE === 'between') setTimeout(() => end('between'), 20)
  end('test')
})
test('c', async () => { if (env.PLACE === 'between') await new Promise(resolve => setTimeout(resolve, 200)) })
test('d', () => {})
`
	return subject{name: "node", recipe: schema.Recipe{Toolchain: "node", Report: "node", Runtime: "20"},
		hidden: []string{"m.test.js", "z.test.js"},
		files: map[string]string{"package.json": `{"name":"q","scripts":{"test":"node --test"}}`, "m.test.js": text,
			"z.test.js": "require('node:test').test('z', () => {})\n"},
		ids: "m.test.js::%s", added: "m.test.js::new", other: "z.test.js::z"}
}

func shellSubject() subject {
	const text = `end() {
  if [ "$STATE" != base ] || [ "$PLACE" != "$1" ]; then return 0; fi
  case "$WAY" in exit0) exit 0;; exit1) exit 1;; abort) kill -ABRT $$;; kill) kill -KILL $$;; segv) kill -SEGV $$;; stop) echo 'Bail out! no'; exit 1;; esac
}
n=4; if [ "$STATE" = gold ]; then n=5; fi
if [ "$VERBOSITY" != quiet ]; then echo "1..$n"; fi
end setup
echo ok 1 - a
end test
if [ "$VERBOSITY" = loud ]; then echo "some words"; fi
echo ok 2 - b
end between
echo ok 3 - c
echo ok 4 - d
end teardown
if [ "$STATE" = gold ]; then echo ok 5 - new; fi
if [ "$VERBOSITY" = quiet ]; then echo "1..$n"; fi
end end
`
	return subject{name: "shell", recipe: schema.Recipe{Toolchain: "shell", Report: "tap"}, hidden: []string{"t/m.sh",
		"t/z.sh"},
		files: map[string]string{"t/m.sh": text, "t/z.sh": "echo 1..1\necho ok 1 - z\n"},
		ids:   "t/m.sh::%s", added: "t/m.sh::new", other: "t/z.sh::z"}
}

func cargoSubject() subject {
	const text = `use std::env::var;
fn is(name: &str, value: &str) -> bool { var(name).unwrap_or_default() == value }
extern "C" { fn raise(signal: i32) -> i32; }
fn end(place: &str) {
    if !is("STATE", "base") || !is("PLACE", place) { return }
    match var("WAY").unwrap_or_default().as_str() {
        "exit0" => std::process::exit(0),
        "exit1" => std::process::exit(1),
        "abort" => std::process::abort(),
        "kill" => unsafe { raise(9); },
        "segv" => unsafe { raise(11); },
        "stop" => panic!("no"),
        _ => {}
    }
}
extern "C" fn first() { if std::env::args().any(|a| a.contains("logfile")) { end("setup") } }
#[used] #[link_section = ".init_array"] static FIRST: extern "C" fn() = first;
extern "C" fn last() { if std::env::args().any(|a| a.contains("logfile")) { end("end") } }
#[used] #[link_section = ".fini_array"] static LAST: extern "C" fn() = last;
struct After;
impl Drop for After { fn drop(&mut self) { end("teardown") } }
#[test] fn a() {}
#[test] fn b() {
    let _after = After;
    if is("STATE", "base") && is("PLACE", "between") {
        std::thread::spawn(|| { std::thread::sleep(std::time::Duration::from_millis(20)); end("between") });
    }
    end("test")
}
#[test] fn c() { if is("PLACE", "between") { std::thread::sleep(std::time::Duration::from_millis(200)) } }
#[test] fn d() {}
`
	return subject{name: "cargo", recipe: schema.Recipe{Toolchain: "rust", Report: "libtest"},
		hidden: []string{"tests/m.rs", "tests/z.rs"},
		files: map[string]string{"Cargo.toml": "[package]\nname = \"q\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/lib.rs": "",
			"tests/m.rs": text, "tests/z.rs": "#[test] fn z() {}\n"},
		ids: "q:m::%s", other: "q:z::z",
		env: func(t *testing.T, e ending) map[string]string {
			home, err := os.UserHomeDir()
			if err != nil {
				t.Fatal(err)
			}
			return map[string]string{"RUSTUP_HOME": cmp.Or(os.Getenv("RUSTUP_HOME"), filepath.Join(home, ".rustup")),
				"RUST_TEST_NOCAPTURE": map[string]string{"loud": "1"}[e.verbosity]}
		}}
}
