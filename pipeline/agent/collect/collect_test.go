package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/agent/agenttest"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// base is the repository that the agents of these tests get.
var base = map[string]string{
	".gitignore": "*.o\nbuild/\nvendor/\nnode_modules/\n*.log\n", "a.txt": "one\ntwo\n", "crlf.txt": "one\r\ntwo\r\n",
	"run.sh":   "#!/bin/sh\n",
	"gone.txt": "x\n", "logo.png": "\x89PNG\x00\x01", "vendor/lib/lib.go": "package lib\n", "dir/in/it.txt": "y\n",
	"latin.txt":      "caf\xe9\n",
	"sub/.gitignore": "local\n", "kept.log": "tracked though ignored\n",
}

// put lays a workspace with the repository o/r, and gives it and a copy of o/r at base.
func put(t *testing.T) (ws, pristine string) {
	t.Helper()
	ws, pristine = filepath.Join(t.TempDir(), "workspace"), filepath.Join(t.TempDir(), "base")
	dir := filepath.Join(ws, "o/r")
	for p, text := range base {
		p = filepath.Join(dir, p)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(filepath.Join(dir, "run.sh"), 0o755),
		os.Symlink("a.txt", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	if err := workspace.CopyTree(t.Context(), dir, pristine); err != nil {
		t.Fatal(err)
	}
	if _, err := workspace.CommitOne(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return ws, pristine
}

// shell does in the repository what an agent's script does.
func shell(t *testing.T, ws, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-e", "-c", script)
	cmd.Dir = filepath.Join(ws, "o/r")
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@a", "HOME="+t.TempDir(), "WS="+ws)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// after collects what a script did.
func after(t *testing.T, script string, change ...func(*Collection)) (got Result, ws, pristine string) {
	t.Helper()
	ws, pristine = put(t)
	laid := filepath.Join(t.TempDir(), "workspace")
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", ws, laid).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	shell(t, laid, script)
	c, err := New(t.Context(), ws, []string{"o/r"}, DefaultBounds, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(c)
	}
	all, err := c.Patches(t.Context(), OpenFolder(laid))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d repositories", len(all))
	}
	return all[0], laid, pristine
}

func TestCollect(t *testing.T) {
	testscope.NotShort(t, "it runs agents")
	for name, c := range map[string]struct {
		script  string
		changes map[string]string // path → what it is after the patch, '' gone
		left    string            // paths and reasons
	}{
		"nothing": {script: "git status"},
		"each way of leaving work": {
			script: `printf 'committed\n' > c.txt; git add c.txt; git commit -qm one; printf 'staged\n' > s.txt; git add s.txt; printf 'untracked\n' > u.txt
				printf 'ONE\ntwo\n' > a.txt; rm gone.txt; chmod +x a.txt; chmod -x run.sh; printf '\000\377' > bin.dat; printf '\211PNG\000\002' > logo.png
				mkdir build; echo junk > build/x; echo o > y.o; mkdir vendor/new; echo v > vendor/new/v.go; rm link; ln -s run.sh link; ln -s a.txt l2`,
			changes: map[string]string{"c.txt": `false "committed\n"`, "s.txt": `false "staged\n"`,
				"u.txt": `false "untracked\n"`, "a.txt": `true "ONE\ntwo\n"`, "gone.txt": "",
				"run.sh": `false "#!/bin/sh\n"`, "bin.dat": `false "\x00\xff"`, "logo.png": `false "\x89PNG\x00\x02"`,
				"vendor/new/v.go": `false "v\n"`, "link": "-> run.sh", "l2": "-> a.txt"},
			left: "build/x 5 ignored by build/|y.o 2 ignored by *.o",
		},
		"line ends and bytes that are no text": {
			script: `printf 'one\r\nTWO\r\n' > crlf.txt; printf 'caf\351s' > latin.txt; printf '* text=auto eol=crlf\n*.txt ` +
				`filter=evil diff=evil\n' > .gitattributes; git config core.autocrlf true`,
			changes: map[string]string{"crlf.txt": `false "one\r\nTWO\r\n"`, "latin.txt": `false "caf\xe9s"`,
				".gitattributes": `false "* text=auto eol=crlf\n*.txt filter=evil diff=evil\n"`},
		},
		"the history is gone": {script: "echo new > n.txt; rm -rf .git",
			changes: map[string]string{"n.txt": `false "new\n"`}},
		"the history is rewritten": {script: "echo new > n.txt; rm -rf .git; git init -q; git add -A; git commit " +
			"-qm all", changes: map[string]string{"n.txt": `false "new\n"`}},
		"the history lies": {
			script: "echo new > a.txt; git update-index --assume-unchanged a.txt; git update-index " +
				"--skip-worktree crlf.txt; echo x > crlf.txt; echo '*' > .git/info/exclude; echo u > u.txt; git " +
				"rm -q --cached gone.txt",
			changes: map[string]string{"a.txt": `false "new\n"`, "crlf.txt": `false "x\n"`, "u.txt": `false "u\n"`},
		},
		"committed and taken away again": {script: "echo x > x.txt; git add x.txt; git commit -qm x; rm x.txt"},
		"hooks, filters, a monitor": {script: hostile, changes: map[string]string{"a.txt": `false "new\n"`,
			".gitattributes": `false "* filter=evil\n"`}},
		"a rule of its own hides nothing": {
			script: "echo '*' >> .gitignore; echo mine > mine.txt; git add -A",
			changes: map[string]string{"mine.txt": `false "mine\n"`,
				".gitignore": `false "*.o\nbuild/\nvendor/\nnode_modules/\n*.log\n*\n"`},
		},
		"a rule that it removes uncovers": {
			script: "sed -i /build/d .gitignore; mkdir build; echo tool > build/tool.mk; echo o > x.o",
			changes: map[string]string{".gitignore": `false "*.o\nvendor/\nnode_modules/\n*.log\n"`,
				"build/tool.mk": `false "tool\n"`},
			left: "x.o 2 ignored by *.o",
		},
		"added by force": {script: "mkdir build; echo tool > build/tool.mk; echo x > build/y; " +
			"git add -f build/tool.mk", changes: map[string]string{"build/tool.mk": `false "tool\n"`},
			left: "build/y 2 ignored by build/"},
		"committed by force": {script: "echo o > x.o; git add -f x.o; git commit -qm x",
			changes: map[string]string{"x.o": `false "o\n"`}},
		"a tracked file that a rule names": {script: "echo more >> kept.log; echo x > other.log",
			changes: map[string]string{"kept.log": `false "tracked though ignored\nmore\n"`},
			left:    "other.log 2 ignored by *.log"},
		"another repository inside": {
			script: "mkdir -p dep; cd dep; git init -q -b main; echo d > d.txt; git add .; git commit -qm d; rm " +
				"-rf .git/hooks .git/info .git/description .git/logs; find .git -type f ! -name HEAD -delete",
			changes: map[string]string{"dep/d.txt": `false "d\n"`}, left: "dep/.git/ 21 a git folder",
		},
		"hard links": {
			script: "ln a.txt again.txt; ln crlf.txt build.o; ln dir/in/it.txt same.txt; rm gone.txt; ln run.sh " +
				"gone.txt",
			changes: map[string]string{"again.txt": `false "one\ntwo\n"`, "same.txt": `false "y\n"`,
				"gone.txt": `true "#!/bin/sh\n"`}, left: "build.o 10 ignored by *.o",
		},
		"what no patch may hold": {
			script: `ln -s /etc/passwd abs; ln -s ../../x out; ln -s .git/config g; mkfifo pipe; mkdir .GIT; echo x > ` +
				`.GIT/config; printf x > "$(printf 'new\nline')"; rm a.txt; ln -s /tmp a.txt; echo fine > fine.txt`,
			changes: map[string]string{"fine.txt": `false "fine\n"`},
			left: ".GIT/ 2 a git folder|a.txt 0 a symlink to the absolute path /tmp; the patch leaves the file as " +
				"it was|abs 0 a symlink to the absolute path /etc/passwd|" +
				"g 0 a symlink into a .git folder|new\uFFFDline 1 no patch may name it: a control character in " +
				"the path|out 0 a symlink that points outside, to ../../x",
		},
		"a link for a folder": {
			script:  "mkdir other; echo o > other/it.txt; rm -r dir; ln -s other dir",
			changes: map[string]string{"other/it.txt": `false "o\n"`, "dir/in/it.txt": ""},
			left:    "dir 0 a link in the place of a folder",
		},
		"a folder for a file": {script: "rm a.txt; mkdir a.txt; echo x > a.txt/x; rm -r dir; echo f > dir",
			changes: map[string]string{"a.txt": "", "a.txt/x": `false "x\n"`, "dir/in/it.txt": "",
				"dir": `false "f\n"`}},
		"an ignore file goes": {script: "rm .gitignore; echo o > x.o",
			changes: map[string]string{".gitignore": "", "x.o": `false "o\n"`}},
		"a forged index": {script: "mkdir build; echo x > build/x; head -c 4096 /dev/urandom > .git/index",
			left: "build/x 2 ignored by build/"},
		"no right to read": {script: "echo x > locked; chmod 000 locked a.txt; mkdir d; echo y > d/y; chmod " +
			"000 d", changes: map[string]string{"locked": `false "x\n"`, "d/y": `false "y\n"`}},
		"odd names": {script: `echo x > 'a b'; echo y > "$(printf 'caf\351')"; echo z > '"q"'; echo t > -n; echo ü > ü`,
			changes: map[string]string{"a b": `false "x\n"`, "caf\xe9": `false "y\n"`, `"q"`: `false "z\n"`, "-n": `false "t\n"`,
				"ü": `false "ü\n"`}},
		"empty and no newline": {script: "printf '' > empty; printf 'no end' > open; printf 'one\ntwo' > a.txt",
			changes: map[string]string{"empty": `false ""`, "open": `false "no end"`, "a.txt": `false "one\ntwo"`}},
		"whitespace at the ends": {script: "printf 'one\ntwo\n \n' > a.txt",
			changes: map[string]string{"a.txt": `false "one\ntwo\n \n"`}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, pristine := after(t, c.script)
			want := agenttest.TreeContents(t, pristine)
			for p, text := range c.changes {
				if want[p] = text; text == "" {
					delete(want, p)
				}
			}
			if _, err := workspace.Apply(t.Context(), pristine, got.Patch); err != nil {
				t.Fatalf("%v\n%s", err, got.Patch)
			}
			if d := cmp.Diff(want, agenttest.TreeContents(t, pristine)); d != "" {
				t.Errorf("%s\n%s", d, got.Patch)
			}
			var left []string
			for _, l := range got.LeftOut {
				if l.Reason != "neither a file nor a link" { // sockets and pipes: only some streams tell of them
					left = append(left, fmt.Sprintf("%s %d %s", l.Path, l.Bytes, l.Reason))
				}
			}
			if d := cmp.Diff(c.left, strings.Join(left, "|")); d != "" {
				t.Error(d)
			}
			if got.Lost || got.Over != "" {
				t.Errorf("lost %v, over %q", got.Lost, got.Over)
			}
			if _, err := os.Stat(hostileMark); err == nil {
				os.Remove(hostileMark)
				t.Error("something of the agent's ran here")
			}
		})
	}
}

const hostileMark = "/tmp/wideswe-hostile-mark"

// hostile lays traps for a git that would run here.
const hostile = `printf '#!/bin/sh\ntouch ` + hostileMark +
	`\n' > .git/evil; chmod +x .git/evil; mkdir -p .git/hooks .git/info
for h in post-checkout pre-commit post-index-change fsmonitor-watchman reference-transaction; do cp .git/evil .git/hooks/$h; done
echo new > a.txt; echo '* filter=evil' > .gitattributes
git config core.fsmonitor "$PWD/.git/evil"; git config core.hooksPath "$PWD/.git/hooks"; git config filter.evil.clean "$PWD/.git/evil"; git config filter.evil.smudge "$PWD/.git/evil"
git config filter.evil.process "$PWD/.git/evil"; git config diff.external "$PWD/.git/evil"; git config core.pager "$PWD/.git/evil"; git config core.excludesFile "$PWD/.git/evil"
git config core.attributesFile /tmp/x; git config core.worktree /; echo '* diff=evil filter=evil' > .git/info/attributes; git config diff.evil.textconv "$PWD/.git/evil"
rm -f ` + hostileMark

func TestCollectIsBounded(t *testing.T) {
	with := func(f func(*Bounds)) func(*Collection) { return func(c *Collection) { f(&c.bounds) } }
	got, _, _ := after(t, "seq 100000 > big.txt; echo x > small.txt", with(func(b *Bounds) { b.Patch = 1000 }))
	if got.Over == "" || got.Patch != nil {
		t.Errorf("a long patch: %q", got.Over)
	}
	got, _, _ = after(t, "for i in 1 2 3 4 5 6 7 8 9; do echo x > f$i; done", with(func(b *Bounds) { b.Changes = 5 }))
	if got.Over == "" || got.Patch != nil {
		t.Errorf("many changes: %q", got.Over)
	}
	got, _, _ = after(t, "truncate -s 1M big.bin; truncate -s 1M a.txt; echo x > small.txt",
		with(func(b *Bounds) { b.File = 1000 }))
	if got.Over != "" || !strings.Contains(string(got.Patch), "small.txt") || len(got.LeftOut) != 2 ||
		strings.Contains(string(got.Patch), "a.txt") {
		t.Errorf("large files: %+v %s", got.LeftOut, got.Patch)
	}
	for name, set := range map[string]func(*Bounds){"bytes": func(b *Bounds) { b.Stream = 1 << 20 },
		"entries": func(b *Bounds) { b.Entries = 10 }} {
		ws, _ := put(t)
		laid := filepath.Join(t.TempDir(), "workspace")
		if out, err := exec.CommandContext(t.Context(), "cp", "-a", ws, laid).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		if name == "bytes" {
			shell(t, laid, "truncate -s 100G holes.o")
		}
		b := DefaultBounds
		set(&b)
		c, err := New(t.Context(), ws, []string{"o/r"}, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		var over *OverError
		if _, err := c.Patches(t.Context(), OpenFolder(laid)); !errors.As(err, &over) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestCollectOfAFolderThatIsGone(t *testing.T) {
	for _, script := range []string{"cd ..; rm -rf r", "cd ..; mv r s; ln -s s r", "cd $WS; rm -rf o",
		"cd ..; rm -rf r; echo x > r"} {
		got, _, _ := after(t, script)
		if !got.Lost || got.Patch != nil {
			t.Errorf("%s: %+v", script, got)
		}
	}
}

func TestCollectKeepsSecretsOut(t *testing.T) {
	got, _, _ := after(t, "echo key=s3cret-value > .env; echo fine > f; echo s3cret-value >> a.txt; ln -s "+
		"s3cret-value l",
		func(c *Collection) { c.secrets = Secrets{{"API_KEY", []byte("s3cret-value")}} })
	if strings.Contains(string(got.Patch), "s3cret") || !strings.Contains(string(got.Patch), "+fine") ||
		len(got.LeftOut) != 3 {
		t.Errorf("%s %+v", got.Patch, got.LeftOut)
	}
}

func TestCollectTellsWhatLiesBeside(t *testing.T) {
	ws, _ := put(t)
	laid := filepath.Join(t.TempDir(), "workspace")
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", ws, laid).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	shell(t, laid, "mkdir -p ../../notes/deep ../q; echo 12345 > ../../notes/deep/n; echo 12 > ../q/n")
	c, err := New(context.Background(), ws, []string{"o/r"}, DefaultBounds, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Patches(t.Context(), OpenFolder(laid)); err != nil {
		t.Fatal(err)
	}
	want := []LeftOut{{"notes/deep/", 1, 6, "outside the repositories"}, {"o/q/", 1, 3, "outside the repositories"}}
	if d := cmp.Diff(want, c.Beside); d != "" {
		t.Error(d)
	}
}

func TestManyLeftOutAreSummed(t *testing.T) {
	got, _, _ := after(t, "mkdir -p node_modules/a node_modules/b; for i in $(seq 30); do echo x > "+
		"node_modules/a/$i; echo xy > node_modules/b/$i; done; echo o > x.o")
	want := []LeftOut{{"node_modules/", 60, 150, "ignored by node_modules/"}, {"x.o", 1, 2, "ignored by *.o"}}
	if d := cmp.Diff(want, got.LeftOut); d != "" {
		t.Error(d)
	}
}
