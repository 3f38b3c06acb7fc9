package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type content struct{ mode, text string }

func difference(t *testing.T, old, new map[string]content, limit int64) ([]byte, error) {
	t.Helper()
	d, err := NewDifference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	for p, c := range old {
		if err := d.Old(p, c.mode, int64(len(c.text)), strings.NewReader(c.text)); err != nil {
			t.Fatal(err)
		}
	}
	for p, c := range new {
		if err := d.New(p, c.mode, int64(len(c.text)), strings.NewReader(c.text)); err != nil {
			t.Fatal(err)
		}
	}
	return d.Patch(t.Context(), limit)
}

func TestDifferenceGoesOnByteForByte(t *testing.T) {
	old := map[string]content{
		"a":             {"100644", "one\r\ntwo"},
		"gone":          {"100644", "x\n"},
		"run.sh":        {"100644", "#!/bin/sh\n"},
		"latin":         {"100644", "caf\xe9\n"},
		".attr/x":       {"100644", "y"},
		"bin":           {"100644", "\x00\x01\x02"},
		"link":          {"120000", "a"},
		"becomes":       {"100644", "a file\n"},
		"dir/in/it":     {"100644", "z\n"},
		"odd \"n\"\xff": {"100644", "o\n"},
	}
	new := map[string]content{
		"a":              {"100644", "one\r\nTWO"},
		"run.sh":         {"100755", "#!/bin/sh\n"},
		"latin":          {"100644", "caf\xe9s\n"},
		".attr/x":        {"100644", "y"},
		".gitattributes": {"100644", "* text=auto eol=lf\n*.dat -diff filter=lfs\n"},
		"big.dat":        {"100644", strings.Repeat("line\r\n", 100)},
		"bin":            {"100644", "\x00\x01\x03\xff"},
		"link":           {"120000", "bin"},
		"becomes/a/dir":  {"100644", "no file\n"},
		"dir":            {"100644", "a file now\n"},
		"odd \"n\"\xff":  {"100644", "O\n"},
		"empty":          {"100644", ""},
	}
	patch, err := difference(t, old, new, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	lay := func(to string, files map[string]content) {
		for p, c := range files {
			p = filepath.Join(to, p)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			err := error(nil)
			switch c.mode {
			case "120000":
				err = os.Symlink(c.text, p)
			case "100755":
				err = os.WriteFile(p, []byte(c.text), 0o755)
			default:
				err = os.WriteFile(p, []byte(c.text), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	lay(dir+"/got", old)
	lay(dir+"/want", new)
	if _, err := Apply(t.Context(), dir+"/got", patch); err != nil {
		t.Fatalf("%v\n%s", err, patch)
	}
	got, err := TreeHash(t.Context(), dir+"/got")
	want, err2 := TreeHash(t.Context(), dir+"/want")
	if err := errors.Join(err, err2); err != nil || got != want {
		t.Errorf("the trees differ: %v\n%s", err, patch)
	}
	if !bytes.Contains(patch, []byte("+line\r\n")) {
		t.Error("the tree's attributes had a word in the patch")
	}
	again, err := difference(t, old, new, 1<<20)
	if err != nil || !bytes.Equal(again, patch) {
		t.Errorf("the second time it is another patch: %v", err)
	}
}

func TestDifferenceIsBounded(t *testing.T) {
	_, err := difference(t, nil, map[string]content{"a": {"100644", strings.Repeat("line\n", 10000)}}, 1000)
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("got %v", err)
	}
	if p, err := difference(t, nil, nil, 1000); err != nil || len(p) > 0 {
		t.Errorf("nothing gives %q, %v", p, err)
	}
}

func TestDifferenceOfAFileCutShort(t *testing.T) {
	d, err := NewDifference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.New("a", "100644", 10, strings.NewReader("short")); err == nil {
		t.Error("half a file is taken")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(d.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("its folder is left")
	}
}

func TestIgnoreSpeaksAsGitDoes(t *testing.T) {
	g, err := NewIgnore(t.Context(), map[string][]byte{
		".gitignore":      []byte("*.o\nbuild/\n!keep.o\n/only-here\ndoc/**/x\nnode_modules\n"),
		"sub/.gitignore":  []byte("!*.o\nlocal\n"),
		"../.gitignore":   []byte("*\n"),
		".git/.gitignore": []byte("*\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for path, want := range map[string]string{
		"a.o": "*.o", "keep.o": "", "build/a/b": "build/", "only-here": "/only-here", "sub/only-here": "", "sub/a.o": "",
		"sub/local/x": "local", "doc/a/b/x": "doc/**/x", "plain": "", "odd\nname.o": "*.o",
		"x/node_modules/y/z": "node_modules", "\xff.o": "*.o",
	} {
		pattern, ignored, err := g.Ignored(path)
		if err != nil {
			t.Fatal(err)
		}
		if ignored != (want != "") || ignored && pattern != want {
			t.Errorf("%q: %v by %q, want %q", path, ignored, pattern, want)
		}
	}
}

func TestCommittedListsTheTree(t *testing.T) {
	dir := t.TempDir()
	for p, s := range map[string]string{"a": "x\n", "d/b": "yy"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755), os.WriteFile(filepath.Join(dir, p),
			[]byte(s), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	link := Gitlink{Path: "sub", Commit: strings.Repeat("1", 40)}
	if _, err := CommitOne(context.Background(), dir, link); err != nil {
		t.Fatal(err)
	}
	got, err := Committed(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []TreeFile{{"a", "100644", "587be6b4c3f93f93c489c0111bba5596147a26cb", 2}, {"d/b", "100644",
		"63d3d64bb0ebe7e0b4bf4b6b3cd5b4b9bd6f4a4e", 2}, {"sub", "160000", link.Commit, 0}}
	want[1].ID = got[1].ID
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
