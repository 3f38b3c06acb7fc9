package pipeline

import (
	"bytes"
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
