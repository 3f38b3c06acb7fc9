package workspace

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lay writes a tree; a value "-> x" is a symbolic link to x, "! x" a file that may be run.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for p, body := range files {
		p = filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(body, "-> "); ok {
			err = os.Symlink(target, p)
		} else if script, ok := strings.CutPrefix(body, "! "); ok {
			err = os.WriteFile(p, []byte(script), 0o755)
		} else {
			err = os.WriteFile(p, []byte(body), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tree reads a tree back in the form lay takes.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := walk(t.Context(), dir, func(n node) error {
		switch {
		case n.mode.IsDir():
		case n.link != "":
			out[n.path] = "-> " + n.link
		default:
			b, err := os.ReadFile(filepath.Join(dir, n.path))
			if err != nil {
				return err
			}
			out[n.path] = string(b)
			if n.mode&0o100 != 0 {
				out[n.path] = "! " + string(b)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newFile is a patch that makes a file of one line.
func newFile(p, mode, line string) string {
	return "diff --git a/" + p + " b/" + p + "\nnew file mode " + mode + "\n--- /dev/null\n+++ b/" + p +
		"\n@@ -0,0 +1 @@\n+" + line + "\n"
}

const editA = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"

func TestApply(t *testing.T) {
	abc := map[string]string{"a.txt": "one\ntwo\nthree\n"}
	tests := map[string]struct {
		tree       map[string]string
		patch      string
		want       map[string]string
		normalised string
		unsafe     string // the path an UnsafeError must name
		failed     string // a piece of why
	}{
		"exact": {tree: abc, patch: editA, want: map[string]string{"a.txt": "one\n2\nthree\n"}},
		"empty": {tree: abc, patch: "\n", want: abc},
		"no newline": {tree: abc, patch: strings.TrimSuffix(editA, "\n"), want: map[string]string{"a.txt": "one\n2\nthree\n"},
			normalised: NormNewline},
		"stripped context": {tree: map[string]string{"a.txt": "one\ntwo\n\n"},
			patch: "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2",
			want:  map[string]string{"a.txt": "one\n2\n\n"}, normalised: NormContext},
		"file is CRLF": {tree: map[string]string{"a.txt": "one\r\ntwo\r\nthree\r\n"}, patch: editA,
			want: map[string]string{"a.txt": "one\r\n2\r\nthree\r\n"}, normalised: NormEOL},
		"file is mixed": {tree: map[string]string{"a.txt": "one\ntwo\r\nthree\n"}, patch: editA,
			want: map[string]string{"a.txt": "one\n2\r\nthree\n"}, normalised: NormEOL},
		"patch is CRLF": {tree: abc, patch: strings.ReplaceAll(editA, "\n", "\r\n"),
			want: map[string]string{"a.txt": "one\n2\nthree\n"}, normalised: NormEOL},
		"attributes don't count": {tree: map[string]string{"a.txt": "one\ntwo\nthree\n",
			".gitattributes": "* text eol=crlf\n"}, patch: editA,
			want: map[string]string{"a.txt": "one\n2\nthree\n", ".gitattributes": "* text eol=crlf\n"}},
		"one of two fails, none is written": {tree: abc, patch: newFile("b.txt", "100644", "x") + strings.Replace(editA,
			"-two", "-TWO", 1),
			want: abc, failed: "patch failed: a.txt:1"},
		"no fuzz":              {tree: map[string]string{"a.txt": "ONE\ntwo\nthree\n"}, patch: editA, failed: "patch failed"},
		"not a patch":          {tree: abc, patch: "I have fixed it.\n", want: abc, failed: "no diff in it"},
		"missing file":         {tree: map[string]string{}, patch: editA, failed: "No such file"},
		"upwards":              {patch: newFile("../x", "100644", "x"), unsafe: "../x"},
		"upwards within":       {patch: newFile("a/../../x", "100644", "x"), unsafe: "a/../../x"},
		"absolute":             {patch: newFile("/etc/x", "100644", "x"), unsafe: "/etc/x"},
		".git":                 {patch: newFile(".git/hooks/x", "100755", "x"), unsafe: ".git/hooks/x"},
		".git, other case":     {patch: newFile("sub/.GiT/config", "100644", "x"), unsafe: "sub/.GiT/config"},
		"git~1":                {patch: newFile("git~1/config", "100644", "x"), unsafe: "git~1/config"},
		".git with ignorables": {patch: newFile(".g\u200cit/config", "100644", "x"), unsafe: ".g\u200cit/config"},
		"quoted": {patch: "diff --git \"a/\\056git/x\" \"b/\\056git/x\"\nnew file mode 100644\n--- " +
			"/dev/null\n+++ \"b/\\056git/x\"\n@@ -0,0 +1 @@\n+x\n", unsafe: ".git/x"},
		"rename out": {tree: abc, patch: "diff --git a/a.txt b/../b.txt\nsimilarity index 100%\nrename from " +
			"a.txt\nrename to ../b.txt\n", want: abc, unsafe: "../b.txt"},
		"link out":      {patch: newFile("l", "120000", "../../etc/passwd"), unsafe: "l"},
		"link absolute": {patch: newFile("l", "120000", "/etc/passwd"), unsafe: "l"},
		"link within": {tree: map[string]string{"d/x": "1\n"}, patch: strings.Replace(newFile("e/l", "120000", "../d/x"),
			"\n+../d/x\n", "\n+../d/x\n\\ No newline at end of file\n", 1), want: map[string]string{"d/x": "1\n",
			"e/l": "-> ../d/x"}},
		"through its own link": {tree: map[string]string{"d/x": "1\n"},
			patch: newFile("l", "120000", "d") + newFile("l/y", "100644", "y"), unsafe: "l/y"},
		"through a link of the tree": {tree: map[string]string{"d/x": "1\n", "l": "-> d"}, patch: newFile("l/y", "100644",
			"y"), unsafe: "l/y",
			want: map[string]string{"d/x": "1\n", "l": "-> d"}},
		"a removed line that looks like a header": {tree: map[string]string{"q.sql": "-- ../up\nx\n"},
			patch: "diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1 @@\n--- ../up\n x\n",
			want:  map[string]string{"q.sql": "x\n"}},
		"mode": {tree: map[string]string{"s.sh": "x\n"},
			patch: "diff --git a/s.sh b/s.sh\nold mode 100644\nnew mode 100755\n", want: map[string]string{"s.sh": "! x\n"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, tc.tree)
			got, err := Apply(t.Context(), dir, []byte(tc.patch))
			var unsafe *UnsafeError
			var failed *FailedError
			switch {
			case tc.unsafe != "":
				if !errors.As(err, &unsafe) || unsafe.Path != tc.unsafe {
					t.Errorf("got error %v, want unsafe %s", err, tc.unsafe)
				}
			case tc.failed != "":
				if !errors.As(err, &failed) || !strings.Contains(failed.Why, tc.failed) {
					t.Errorf("got error %v, want one with %q", err, tc.failed)
				}
			case err != nil:
				t.Fatal(err)
			}
			if got.Normalised != tc.normalised {
				t.Errorf("normalised by %q, want %q", got.Normalised, tc.normalised)
			}
			if tc.want != nil {
				if d := cmp.Diff(tc.want, tree(t, dir)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// A repository above or at the tree must not draw the patch into it.
func TestApplyIgnoresRepositoriesAround(t *testing.T) {
	outer := lay(t, map[string]string{"inner/a.txt": "one\ntwo\nthree\n"})
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", outer).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	inner := filepath.Join(outer, "inner")
	if _, err := Apply(t.Context(), inner, []byte(editA)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"a.txt": "one\n2\nthree\n"}, tree(t, inner)); d != "" {
		t.Error(d)
	}
}

func TestOverlay(t *testing.T) {
	base := map[string]string{"a_test": "one\ntwo\nthree\n", "old_test": "x\n", "src": "s\n", "d/keep": "k\n"}
	edit := strings.ReplaceAll(editA, "a.txt", "a_test")
	again := strings.NewReplacer("a.txt", "a_test", " one\n-two\n+2", " one\n-2\n+II").Replace(editA)
	drop := "diff --git a/old_test b/old_test\ndeleted file mode 100644\n--- a/old_test\n+++ /dev/null\n@@ -1 +0,0 " +
		"@@\n-x\n"
	add := newFile("d/new_test", "100644", "n")
	layers := []Layer{{"01", []byte(edit + drop)}, {"02", []byte(again + add)}}
	want := map[string]string{"a_test": "one\nII\nthree\n", "src": "agent\n", "d/keep": "k\n", "d/new_test": "n\n"}
	tests := map[string]struct {
		agent    map[string]string
		replaced []string
		want     map[string]string
	}{
		"untouched": {agent: map[string]string{"a_test": "one\ntwo\nthree\n", "old_test": "x\n", "src": "agent\n",
			"d/keep": "k\n"}, want: want},
		"agent rewrote a test, removed one, added one": {
			agent:    map[string]string{"a_test": "mine\n", "src": "agent\n", "d/keep": "k\n", "d/new_test": "mine\n"},
			replaced: []string{"a_test", "d/new_test", "old_test"}, want: want},
		"agent made a link of a test": {
			agent:    map[string]string{"a_test": "-> src", "old_test": "x\n", "src": "agent\n", "d/keep": "k\n"},
			replaced: []string{"a_test"}, want: want},
		"agent made a link of the folder": {
			agent: map[string]string{"a_test": "one\ntwo\nthree\n", "old_test": "x\n", "src": "agent\n", "e/keep": "k\n",
				"d": "-> e"},
			want: map[string]string{"a_test": "one\nII\nthree\n", "src": "agent\n", "e/keep": "k\n", "d/new_test": "n\n"}},
		"agent made a folder of a test": {
			agent:    map[string]string{"a_test/x": "y\n", "old_test": "x\n", "src": "agent\n", "d/keep": "k\n"},
			replaced: []string{"a_test"}, want: want},
		"agent made a file of the folder": {
			agent: map[string]string{"a_test": "one\ntwo\nthree\n", "old_test": "x\n", "src": "agent\n", "d": "file\n"},
			want:  map[string]string{"a_test": "one\nII\nthree\n", "src": "agent\n", "d/new_test": "n\n"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dst := lay(t, tc.agent)
			got, err := Overlay(t.Context(), lay(t, base), dst, layers)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(Overlaid{Files: []string{"a_test", "d/new_test", "old_test"}, Replaced: tc.replaced},
				got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tc.want, tree(t, dst)); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("a link out of the tree is not written through", func(t *testing.T) {
		outside := lay(t, map[string]string{"keep": "k\n"})
		dst := lay(t, map[string]string{"a_test": "-> " + filepath.Join(outside, "victim"), "old_test": "x\n", "d": "-> " +
			outside})
		if _, err := Overlay(t.Context(), lay(t, base), dst, layers); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(map[string]string{"keep": "k\n"}, tree(t, outside)); d != "" {
			t.Error(d)
		}
	})
	t.Run("a layer that does not go on changes nothing", func(t *testing.T) {
		dst := lay(t, base)
		_, err := Overlay(t.Context(), lay(t, base), dst, []Layer{layers[0], {"02", []byte(edit)}})
		var inj *InjectionError
		if !errors.As(err, &inj) || inj.Layer != "02" {
			t.Errorf("got %v, want an injection error of layer 02", err)
		}
		if d := cmp.Diff(base, tree(t, dst)); d != "" {
			t.Error(d)
		}
	})
	t.Run("no layer", func(t *testing.T) {
		dst := lay(t, base)
		if got, err := Overlay(t.Context(), "/nonexistent", dst, nil); err != nil || got.Files != nil {
			t.Error(got, err)
		}
	})
}

func TestRestore(t *testing.T) {
	dst := lay(t, map[string]string{"conftest.py": "evil\n", "tox.ini": "evil\n", "src": "s\n"})
	if err := Restore(lay(t, map[string]string{"conftest.py": "base\n"}), dst, []string{"conftest.py",
		"tox.ini"}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"conftest.py": "base\n", "src": "s\n"}, tree(t, dst)); d != "" {
		t.Error(d)
	}
}

func archive(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if h.Typeflag == tar.TypeReg {
			h.Size, h.Mode = 1, 0o644
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			w.Write([]byte("x"))
		}
	}
	w.Close()
	return &b
}

func TestExtractRefuses(t *testing.T) {
	file := func(n string) tar.Header { return tar.Header{Name: n, Typeflag: tar.TypeReg} }
	link := func(n, to string) tar.Header { return tar.Header{Name: n, Linkname: to, Typeflag: tar.TypeSymlink} }
	tests := map[string][]tar.Header{
		"upwards":       {file("../x")},
		"absolute":      {file("/x")},
		".git":          {file("a/.git/config")},
		"hard link":     {{Name: "h", Linkname: "/etc/passwd", Typeflag: tar.TypeLink}},
		"device":        {{Name: "d", Typeflag: tar.TypeChar}},
		"link in link":  {link("l", "d"), link("l/x", "y")},
		"file in link":  {link("l", "/tmp"), file("l/x")},
		"named twice":   {file("a"), file("a")},
		"cut":           nil,
		"link on a dir": {file("d/x"), link("d", "e")},
	}
	for name, headers := range tests {
		t.Run(name, func(t *testing.T) {
			b := archive(t, headers...)
			if headers == nil {
				b = bytes.NewBuffer(archive(t, file("a")).Bytes()[:512])
			}
			if err := Extract(t.Context(), b, filepath.Join(t.TempDir(), "x")); err == nil {
				t.Error("accepted")
			}
		})
	}
	if err := Extract(t.Context(), archive(t, file("a")), lay(t, map[string]string{"there": "x"})); err == nil {
		t.Error("a folder that is not empty was accepted")
	}
}

var odd = map[string]string{
	"a.txt": "one\r\ntwo\n", "run.sh": "! #!/bin/sh\n", "link": "-> a.txt", "up": "-> ../../x", "empty": "",
	"d.x": "1", "d/y": "2", "d-z": "3", "sp ace/ü\"q\\\n\x01": "4", ".gitignore": "*\n",
	".gitattributes": "* text eol=crlf\n", "bin": "\x00\xff",
}

func TestTarRoundTripIsDeterministic(t *testing.T) {
	dir := lay(t, odd)
	var one, two bytes.Buffer
	if err := Tar(t.Context(), dir, &one); err != nil {
		t.Fatal(err)
	}
	hash, err := TreeHash(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := TarTreeHash(t.Context(), bytes.NewReader(one.Bytes())); got != hash || err != nil {
		t.Errorf("the archive's tree id is %s, %v, the folder's %s", got, err, hash)
	}
	copied := filepath.Join(t.TempDir(), "c")
	if err := Extract(t.Context(), bytes.NewReader(one.Bytes()), copied); err != nil {
		t.Fatal(err)
	}
	if err := Tar(t.Context(), copied, &two); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the archive of an extracted tree differs from the first")
	}
	if d := cmp.Diff(odd, tree(t, copied)); d != "" {
		t.Error(d)
	}
	third := filepath.Join(t.TempDir(), "d")
	if err := CopyTree(t.Context(), dir, third); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(odd, tree(t, third)); d != "" {
		t.Error(d)
	}
}

func TestCommitOne(t *testing.T) {
	ids := map[string]bool{}
	for range 2 {
		dir := lay(t, odd)
		link := Gitlink{Path: "mod", Commit: strings.Repeat("ab", 20)}
		want, err := TreeHash(t.Context(), dir, link)
		if err != nil {
			t.Fatal(err)
		}
		id, err := CommitOne(t.Context(), dir, link)
		if err != nil {
			t.Fatal(err)
		}
		ids[id] = true
		ask := func(args ...string) string {
			out, stderr, err := git(context.Background(), dir, filepath.Join(dir, ".git"), nil, args...)
			if err != nil {
				t.Fatal(args, stderr)
			}
			return strings.TrimSpace(out)
		}
		if got := ask("rev-parse", "HEAD^{tree}"); got != want {
			t.Errorf("git's tree %s, ours %s", got, want)
		}
		if got := ask("rev-list", "--all", "--count"); got != "1" {
			t.Errorf("%s commits", got)
		}
		if got := ask("status", "--porcelain", "--ignore-submodules"); got != "" {
			t.Errorf("status is not clean: %s", got)
		}
		if got := ask("for-each-ref", "--format=%(refname)"); got != "refs/heads/main" {
			t.Errorf("refs: %s", got)
		}
	}
	if len(ids) != 1 {
		t.Errorf("the same tree gave %d ids", len(ids))
	}
}

func FuzzApplyStaysInside(f *testing.F) {
	f.Add([]byte(editA))
	f.Add([]byte(newFile("../x", "100644", "x")))
	f.Add([]byte(newFile("l", "120000", "..") + newFile("l/y", "100644", "y")))
	f.Fuzz(func(t *testing.T, patch []byte) {
		outer := t.TempDir()
		inner := filepath.Join(outer, "in")
		if err := os.MkdirAll(filepath.Join(inner, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, _ = Apply(t.Context(), inner, patch)
		for _, d := range []string{outer, filepath.Join(inner, ".git")} {
			entries, err := os.ReadDir(d)
			if err != nil || len(entries) != map[string]int{outer: 1}[d] {
				t.Errorf("%s holds %v, %v", d, entries, err)
			}
		}
	})
}
