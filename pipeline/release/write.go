package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Writer writes a release into a folder beside its place and moves it there when
// all of it is right.
type Writer struct {
	out, tmp string
	files    map[string]string
	sources  map[string]string // packed trees and their sha256
	guard    Guard
	found    []Finding
}

// Create begins a release at out, which is absent, empty, or a release that the
// new one replaces.
func Create(out string, guard Guard) (*Writer, error) {
	if err := replaceable(out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(out), ".wideswe-release-")
	if err != nil {
		return nil, err
	}
	return &Writer{out: out, tmp: tmp, files: map[string]string{}, sources: map[string]string{}, guard: guard},
		os.Chmod(tmp, 0o755)
}

func replaceable(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return wholly(out)
}

// wholly says no to replacing a folder that holds more than a release: what else
// lies there would go with it.
func wholly(out string) error {
	root, err := os.OpenRoot(out)
	if err != nil {
		return err
	}
	defer root.Close()
	r := &Release{Dir: out, root: root}
	index, err := r.read(indexName)
	if err != nil || json.Unmarshal(index, &r.Release) != nil {
		return pipeline.Usage("%s holds other files; give --out a new or empty folder, or an older release to replace", out)
	}
	extra, err := r.extra()
	if err != nil {
		return err
	}
	if len(extra) > 0 {
		return pipeline.Usage("%s holds %s beside an older release; move it away, or give --out another folder", out,
			extra[0])
	}
	return nil
}

// Abort removes what was written. After [Writer.Finish] it does nothing.
func (w *Writer) Abort() { os.RemoveAll(w.tmp) }

// Bytes adds one file.
func (w *Writer) Bytes(name string, b []byte) error {
	if _, twice := w.files[name]; twice || !fs.ValidPath(name) || len(b) > maxFile {
		return fmt.Errorf("release file %s: named twice, too large, or no path", name)
	}
	w.found = append(w.found, w.guard.Scan(name, b)...)
	to := filepath.Join(w.tmp, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	w.files[name] = digest(b)
	return os.WriteFile(to, b, 0o644)
}

// JSON adds a file of indented JSON.
func (w *Writer) JSON(name string, v any) error {
	b, err := EncodeJSON(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return w.Bytes(name, b)
}

// EncodeJSON writes indented JSON with < and > as they are, for people.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// YAML adds a file of YAML under a line of comment.
func (w *Writer) YAML(name, head string, v any) error {
	b, err := encodeYAML(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return w.Bytes(name, append([]byte("# "+head+"\n"), b...))
}

// Source adds a pinned tree, written by snapshot as tar, and proves its tree id.
func (w *Writer) Source(ctx context.Context, s schema.Source, snapshot func(io.Writer) error) error {
	sum, err := writeSource(ctx, filepath.Join(w.tmp, filepath.FromSlash(s.File())), s, snapshot)
	w.sources[path.Base(s.File())] = sum
	return err
}

// KeepSource takes a pinned tree over from the release that is being replaced;
// false where that one has no such tree.
func (w *Writer) KeepSource(ctx context.Context, s schema.Source) (bool, error) {
	old := filepath.Join(w.out, filepath.FromSlash(s.File()))
	if proveSource(ctx, old, s) != nil {
		return false, nil
	}
	to := filepath.Join(w.tmp, filepath.FromSlash(s.File()))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return false, err
	}
	sum, err := fileSum(old)
	if err != nil {
		return false, err
	}
	w.sources[path.Base(s.File())] = sum
	return true, os.Link(old, to)
}

// Finish writes release.json and moves the release to its place. It refuses a
// release with a credential in it. It returns the sha256 of release.json.
func (w *Writer) Finish(r schema.Release) (string, error) {
	defer w.Abort()
	if len(w.found) > 0 {
		return "", refuse(w.found)
	}
	r.Format, r.Files = schema.ReleaseFormat, w.files
	b, err := EncodeJSON(r)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(w.tmp, indexName), b, 0o644); err != nil {
		return "", err
	}
	if err := writeSums(w.tmp, indexSums, map[string]string{indexName: digest(b)}); err != nil {
		return "", err
	}
	if len(w.sources) > 0 {
		if err := writeSums(w.tmp, sourceSums, w.sources); err != nil {
			return "", err
		}
	}
	return digest(b), w.move()
}

// move puts the new folder in the old one's place; the old one stays aside until
// the new one is there.
func (w *Writer) move() error {
	aside := w.tmp + ".old"
	err := os.Rename(w.out, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(w.tmp, w.out); err != nil {
		return errors.Join(err, os.Rename(aside, w.out))
	}
	return os.RemoveAll(aside)
}
