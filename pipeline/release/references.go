package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// imageReferences says where a registry has the release's images.
const imageReferences = "images/references.json"

// HasReferences says whether the release's images were pushed to a registry.
func (r *Release) HasReferences() bool {
	_, err := r.root.Lstat(imageReferences)
	return err == nil
}

// KeepReferences writes down where a registry has the release's images, in place of
// what stood there.
func (r *Release) KeepReferences(list []schema.ImageReference) error {
	return r.keepImageList(imageReferences, list)
}

// keepImageList writes a list of images beside their checksums.
func (r *Release) keepImageList(name string, list any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(list); err != nil {
		return err
	}
	to := filepath.Join(r.Dir, filepath.FromSlash(name))
	f, err := pipeline.NewFile(to)
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }()
	if _, err := f.Write(b.Bytes()); err != nil {
		return err
	}
	// The list of checksums goes first, as with the archive.
	if err := errors.Join(os.RemoveAll(to), r.addImageSum(name, digest(b.Bytes()))); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// References tells where a registry has the release's images, each of them once.
func (r *Release) References(ctx context.Context) ([]schema.ImageReference, error) {
	if err := r.VerifyImages(ctx); err != nil {
		return nil, err
	}
	text, err := r.read(imageReferences)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, pipeline.Need("the images of %s were pushed to no registry; wideswe release images push --release %s "+
			"--to REGISTRY/PATH does that on the machine that validated it", r.Dir, r.Dir)
	}
	if err != nil {
		return nil, err
	}
	var list []schema.ImageReference
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, r.damaged(imageReferences + ": " + err.Error())
	}
	return list, nil
}
