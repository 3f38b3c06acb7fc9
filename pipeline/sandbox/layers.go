package sandbox

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Layers walks the files of an image's layers, those of the image base left out,
// as everyone who gets the image can unpack them. The order is the engine's.
func (d *Docker) Layers(ctx context.Context, id, base string, visit func(layer string, h *tar.Header, r io.Reader) error) error {
	under := map[string]bool{}
	if base != "" {
		b, err := d.api.ImageInspect(ctx, base)
		if err != nil {
			return d.trouble("inspecting an image", err)
		}
		for _, id := range b.RootFS.Layers {
			under[id] = true
		}
	}
	saved, err := d.api.ImageSave(ctx, []string{id})
	if err != nil {
		return d.trouble("saving an image", err)
	}
	defer saved.Close()
	layers := layerReader{tar.NewReader(saved)}
	for {
		layer, err := layers.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return d.trouble("saving an image", err)
		}
		if err := walkLayer(layer, under, visit); err != nil {
			return err
		}
	}
}

// layerReader reads the layers of a saved image, in the order in which the engine wrote
// them.
type layerReader struct{ archive *tar.Reader }

// Next gives the next layer, or [io.EOF]. A document of the archive may come as one: it
// is no tar file.
func (l layerReader) Next() (io.Reader, error) {
	for {
		h, err := l.archive.Next()
		if err != nil {
			return nil, err
		}
		// By engine: ID/layer.tar, or blobs/sha256/DIGEST beside documents of the same form.
		if h.Typeflag == tar.TypeReg && (strings.HasSuffix(h.Name, "/layer.tar") || strings.HasPrefix(h.Name, "blobs/sha256/")) {
			return l.archive, nil
		}
	}
}

// walkLayer visits one layer. Whether it is one of base's is known only when it was
// read, so it is kept until then.
func walkLayer(r io.Reader, under map[string]bool, visit func(layer string, h *tar.Header, r io.Reader) error) error {
	sum := sha256.New()
	if len(under) > 0 {
		spool, err := newSpool(io.TeeReader(r, sum))
		if err != nil {
			return machine("keeping a layer", err)
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
