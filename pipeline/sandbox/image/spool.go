package image

import (
	"errors"
	"io"
	"os"
)

// spool is a stream kept in a temporary file, to be read once more.
type spool struct{ f *os.File }

// newSpool takes all of r in.
func newSpool(r io.Reader) (*spool, error) {
	f, err := os.CreateTemp("", "wideswe-layer-")
	if err != nil {
		return nil, err
	}
	s := &spool{f}
	if err := os.Remove(f.Name()); err != nil { // gone with the process, however that ends
		return nil, errors.Join(err, f.Close())
	}
	if _, err := io.Copy(f, r); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	_, err = f.Seek(0, io.SeekStart)
	return s, err
}

// Read reads what was kept.
func (s *spool) Read(p []byte) (int, error) { return s.f.Read(p) }

// Close gives the room back.
func (s *spool) Close() error { return s.f.Close() }
