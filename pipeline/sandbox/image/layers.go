package image

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// LayerReader reads the layers of a saved image, in the order in which the engine wrote
// them.
type LayerReader struct{ archive *tar.Reader }

// NewLayerReader reads an image that an engine saved.
func NewLayerReader(saved io.Reader) LayerReader { return LayerReader{tar.NewReader(saved)} }

// Next gives the next layer, or [io.EOF]. A document of the archive may come as one: it
// is no tar file.
func (l LayerReader) Next() (io.Reader, error) {
	for {
		h, err := l.archive.Next()
		if err != nil {
			return nil, err
		}
		// By engine: ID/layer.tar, or blobs/sha256/DIGEST beside documents of the same form.
		if h.Typeflag == tar.TypeReg && (strings.HasSuffix(h.Name, "/layer.tar") ||
			strings.HasPrefix(h.Name, "blobs/sha256/")) {
			return l.archive, nil
		}
	}
}

// WalkLayer visits one layer, where it is none of those under it. Whether it is one is known only when it was
// read, so it is kept until then.
func WalkLayer(r io.Reader, under map[string]bool, visit sandbox.VisitLayer) error {
	sum := sha256.New()
	if len(under) > 0 {
		spool, err := newSpool(io.TeeReader(r, sum))
		if err != nil {
			return sandbox.MachineError("keeping a layer", err)
		}
		defer spool.Close()
		if under["sha256:"+hex.EncodeToString(sum.Sum(nil))] {
			return nil
		}
		r = spool
	}
	tr := tar.NewReader(r)
	for n := 0; ; n++ {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) || err != nil && n == 0 {
			return nil // the end, or one of the documents
		}
		if err != nil {
			return fmt.Errorf("reading a layer: %w", err)
		}
		if err := visit("layer", h, tr); err != nil {
			return err
		}
	}
}
