package transfer

import (
	"archive/tar"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func TestReadFilesTakesRegularFilesInBounds(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, body string) {
		h.Size = int64(len(body))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(body))
	}
	add(tar.Header{Name: "out/", Typeflag: tar.TypeDir}, "")
	add(tar.Header{Name: "out/good", Typeflag: tar.TypeReg}, "1234")
	add(tar.Header{Name: "out/link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, "")
	add(tar.Header{Name: "out/../../escape", Typeflag: tar.TypeReg}, "x")
	add(tar.Header{Name: "out/big", Typeflag: tar.TypeReg}, "1234567")
	add(tar.Header{Name: "out/fits", Typeflag: tar.TypeReg}, "12")
	add(tar.Header{Name: "out/more", Typeflag: tar.TypeReg}, "1")
	w.Close()
	files, dropped, err := ReadFiles(&b, sandbox.Limits{OutBytes: 6, OutFiles: 5})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string][]byte{"good": []byte("1234"), "fits": []byte("12")}, files); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"link", "escape", "big", "every file after the first 5"}, dropped); d != "" {
		t.Error(d)
	}
}

func TestSourcesNeverLeaveTheirFolder(t *testing.T) {
	err := WriteSources(&bytes.Buffer{}, []sandbox.Source{{Path: "/workspace/a/b", Files: map[string][]byte{"../x": nil}}})
	if err == nil || !strings.Contains(err.Error(), "leaves its folder") {
		t.Errorf("got %v", err)
	}
}

func TestSourcesLeaveSystemFoldersAlone(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSources(&b, []sandbox.Source{{Path: "/tmp/wideswe/out"}, {Path: "/workspace/a/b"}}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for tr := tar.NewReader(&b); ; {
		h, err := tr.Next()
		if err != nil {
			break
		}
		names = append(names, h.Name)
	}
	if d := cmp.Diff([]string{"tmp/wideswe/", "tmp/wideswe/out/", "workspace/", "workspace/a/", "workspace/a/b/"},
		names); d != "" {
		t.Error(d)
	}
}
