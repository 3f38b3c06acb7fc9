package pipeline

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// WriteFile writes a file whole or not at all, in a folder that it makes where there is
// none. A file that is as it should be is left alone.
func WriteFile(name string, text []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	f, err := NewFile(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // it is in its place by then, unless something failed
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// NewFile begins a file that lies beside its place until it is whole, for what is too
// large for [WriteFile]. Cleanup removes one that is not put into its place.
func NewFile(name string) (*renameio.PendingFile, error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return renameio.NewPendingFile(name, renameio.WithTempDir(dir), renameio.WithPermissions(0o644))
}

// CreateFile makes a file that a person names. A file that is there already is replaced
// only with force.
func CreateFile(name string, force bool) (*os.File, error) {
	how := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if force {
		how = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	f, err := os.OpenFile(name, how, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, Usage("%s is there already; give another file, or --force to replace it", name)
	case err != nil:
		return nil, Usage("%s can't be written: %v", name, err)
	}
	return f, nil
}
