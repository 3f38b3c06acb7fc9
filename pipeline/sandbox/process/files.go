package process

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/transfer"
)

// copyIn writes a spec's sources in the way of a container's: as a tar stream.
func copyIn(root string, s sandbox.Spec) error {
	for _, dir := range []string{"tmp", "home", sandbox.RelativePath(s.Dir)} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, "tmp", ".script"), []byte(s.Script), 0o644); err != nil {
		return err
	}
	in := s.In
	if s.Out != "" {
		in = append(append([]sandbox.Source{}, in...), sandbox.Source{Path: s.Out})
	}
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(transfer.WriteSources(w, in)) }()
	err := unpack(root, r)
	_ = r.CloseWithError(errors.New("unpacking ended"))
	return err
}

func unpack(root string, r io.Reader) error {
	top, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer top.Close()
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpackOne(top, tr, h); err != nil {
			return err
		}
	}
}

func unpackOne(top *os.Root, r io.Reader, h *tar.Header) error {
	name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
	if err := top.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return top.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return top.Symlink(h.Linkname, name)
	}
	f, err := top.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, h.FileInfo().Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// collect reads the regular files of the out folder in bounds. Links are not followed.
func collect(dir string, l sandbox.Limits) (map[string][]byte, []string, error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return map[string][]byte{}, nil, nil
	}
	r, w := io.Pipe()
	go func() {
		tw := tar.NewWriter(w)
		err := transfer.WriteDir(tw, "out", dir)
		_ = w.CloseWithError(errors.Join(err, tw.Close()))
	}()
	defer r.CloseWithError(errors.New("reading ended"))
	return transfer.ReadFiles(r, l)
}

// leftIn gives what a run of the process backend left below its folder.
func leftIn(root string) sandbox.Left {
	return func(_ context.Context, dir string) (io.ReadCloser, error) {
		return transfer.DirTar(filepath.Join(root, filepath.FromSlash(sandbox.RelativePath(dir))))
	}
}
