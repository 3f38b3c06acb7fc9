package testrun_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// crate lays a package whose one hidden test fails, and whose library runs a function
// before libtest does.
func crate(t *testing.T, first string) (workspace string, change func(*testrun.Request)) {
	t.Helper()
	testscope.Programs(t, "cargo")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	workspace = t.TempDir()
	for name, text := range map[string]string{
		"Cargo.toml":  "[package]\nname = \"q\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"tests/it.rs": "#[test] fn fails() { assert_eq!(q::one(), 2) }\n#[test] fn passes() {}\n",
		"src/lib.rs": `#[used] #[link_section = ".init_array"] static FIRST: extern "C" fn() = first;
extern "C" fn first() {
    let args = std::fs::read_to_string("/proc/self/cmdline").unwrap_or_default();
    if args.contains("--logfile") { work() }
}
pub fn one() -> u8 { std::hint::black_box(&FIRST); 1 }
#[allow(dead_code)] fn say(tests: &[String]) {
    use std::{io::Write, os::fd::FromRawFd};
    let mut log = unsafe { std::fs::File::from_raw_fd(3) };
    println!("\nrunning {} tests", tests.len());
    for name in tests { println!("test {name} ... ok"); log.write_all(format!("ok {name}\n").as_bytes()).unwrap() }
    println!("\ntest result: ok. {} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", tests.len());
    std::process::exit(0)
}
fn work() { ` + first + ` }
`,
	} {
		p := filepath.Join(workspace, "o", "q", name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return workspace, func(q *testrun.Request) {
		q.HiddenFiles, q.Recipe = []string{"tests/it.rs"}, schema.Recipe{Toolchain: "rust", Report: "libtest",
			Env: map[string]string{"RUSTUP_HOME": cmp.Or(os.Getenv("RUSTUP_HOME"), filepath.Join(home, ".rustup"))}}
	}
}

// TestForgedResultsOfRustAreInconsistent: a library that writes libtest's log itself,
// before libtest runs, and one that leaves it alone.
func TestForgedResultsOfRustAreInconsistent(t *testing.T) {
	for name, c := range map[string]struct {
		first string
		want  testrun.Status
	}{
		"honest":          {"", testrun.OK},
		"knows the names": {`say(&["fails".to_string(), "passes".to_string()])`, testrun.Inconsistent},
		"asks for every name": {`let list = std::process::Command::new("/proc/self/exe").arg("--list").output().unwrap();
    say(&String::from_utf8_lossy(&list.stdout).lines().filter_map(|l| l.strip_suffix(": test").map(str::to_string)).collect::<Vec<_>>())`, testrun.Inconsistent},
	} {
		t.Run(name, func(t *testing.T) {
			workspace, change := crate(t, c.first)
			rep := run(t, workspace, change)
			got := outcomes(rep)
			if a := rep.First(); a.Status != c.want {
				t.Errorf("status %s (%s), outcomes %v\n%s", a.Status, a.Detail, got, a.Output)
			}
			if c.want == testrun.OK && (len(got) != 2 || got["fails"] != schema.Fail || got["passes"] != schema.Pass) {
				t.Errorf("outcomes %v", got)
			}
		})
	}
}
