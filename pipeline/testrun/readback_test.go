package testrun

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing"
)

// TestScatteredFilesAreReadAtOnce: each read of what a run left takes an engine a while.
// Files of many folders are read with the whole tree, and few files by themselves.
func TestScatteredFilesAreReadAtOnce(t *testing.T) {
	tree := map[string]string{}
	var files []string
	for i := range 40 {
		name := fmt.Sprintf("p%d/p_test.go", i)
		tree["/w/"+name] = name
		files = append(files, name)
	}
	files = append(files, "p0/never.txt")
	for _, c := range []struct{ files, reads int }{{3, 3}, {len(files), 2}} {
		reads := 0
		found, err := leftStates(context.Background(), leftTree(tree, &reads), "/w", files[:c.files])
		if err != nil || reads != c.reads {
			t.Errorf("%d files: %d reads, not %d; %v", c.files, reads, c.reads, err)
		}
		for _, name := range files[:c.files] {
			want := fileState{}
			if text, there := tree["/w/"+name]; there {
				want, _ = digest(tar.TypeReg, strings.NewReader(text))
			}
			if found[name] != want {
				t.Errorf("%s: %v, not %v", name, found[name], want)
			}
		}
	}
}

// leftTree serves files as a sandbox does, and counts how often it is asked.
func leftTree(files map[string]string, reads *int) func(context.Context, string) (io.ReadCloser, error) {
	return func(_ context.Context, place string) (io.ReadCloser, error) {
		*reads++
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for name, text := range files {
			if name != place && !strings.HasPrefix(name, place+"/") {
				continue
			}
			h := &tar.Header{Name: path.Base(place) + strings.TrimPrefix(name, place), Typeflag: tar.TypeReg,
				Size: int64(len(text)), Mode: 0o644}
			if err := w.WriteHeader(h); err != nil {
				return nil, err
			}
			if _, err := io.WriteString(w, text); err != nil {
				return nil, err
			}
		}
		if b.Len() == 0 {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(&b), w.Close()
	}
}
