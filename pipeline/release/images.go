package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// imageArchive holds the release's images as docker save writes them.
const imageArchive = "images/images.tar.zst"

// IsImage says whether a target was validated in an image of an engine: the process
// sandbox has none, and leaves a word of its own.
func IsImage(i schema.ImageFile) bool { return strings.HasPrefix(i.ID, "sha256:") }

// Images lists the images that the targets were validated in, each once, in the
// order of tasks and targets.
func (r *Release) Images() ([]schema.ImageFile, error) {
	var list []schema.ImageFile
	seen := map[string]bool{}
	for _, line := range r.Tasks {
		t, err := r.Task(line.ID)
		if err != nil {
			return nil, err
		}
		for _, x := range t.Hidden {
			if id := x.Image.ID; IsImage(x.Image) && !seen[id] {
				seen[id] = true
				list = append(list, x.Image)
			}
		}
	}
	return list, nil
}

// ImagesBytes is the size of the images that were saved into the release, packed; 0
// where none were.
func (r *Release) ImagesBytes() int64 {
	info, err := r.root.Lstat(imageArchive)
	if err != nil {
		return 0
	}
	return info.Size()
}

// SaveImages keeps an archive of images in the release, under its checksum; save
// writes it as tar. It takes the place of one that is there.
func (r *Release) SaveImages(save func(io.Writer) error) (size int64, err error) {
	to := filepath.Join(r.Dir, filepath.FromSlash(imageArchive))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".save-")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	sum := sha256.New()
	z, err := zstd.NewWriter(io.MultiWriter(f, sum))
	if err != nil {
		return 0, errors.Join(err, f.Close())
	}
	err = save(z)
	if err := errors.Join(err, z.Close(), f.Chmod(0o644), f.Close()); err != nil {
		return 0, err
	}
	info, err := os.Stat(f.Name())
	if err != nil {
		return 0, err
	}
	// The list goes first: an archive without its checksum is never there.
	if err := errors.Join(os.RemoveAll(to), writeSums(r.Dir, imageSums, map[string]string{path.Base(imageArchive): hex.EncodeToString(sum.Sum(nil))})); err != nil {
		return 0, err
	}
	return info.Size(), os.Rename(f.Name(), to)
}

// LoadImages gives the archive of images to load, as tar, once its checksum was
// found right.
func (r *Release) LoadImages(ctx context.Context, load func(io.Reader) error) error {
	if err := r.VerifyImages(ctx); err != nil {
		return err
	}
	f, err := r.regular(imageArchive)
	if errors.Is(err, fs.ErrNotExist) {
		return pipeline.Need("the release %s holds no images; wideswe release images save --release %s puts them there, on the machine that validated it", r.Dir, r.Dir)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := unzip(f)
	if err != nil {
		return err
	}
	defer z.Close()
	return load(z)
}

// VerifyImages holds the archive of images, where there is one, against its checksum.
func (r *Release) VerifyImages(ctx context.Context) error {
	list, err := r.sums(imageSums)
	if errors.Is(err, fs.ErrNotExist) {
		if r.ImagesBytes() > 0 {
			return r.damaged(imageSums + " is missing")
		}
		return nil
	}
	if err != nil {
		return err
	}
	sum, err := r.sum(imageArchive)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return r.damaged(imageArchive + ", which " + imageSums + " tells of, is missing")
	case err != nil:
		return fmt.Errorf("release %s: %w", r.Dir, err)
	case len(list) != 1 || list[path.Base(imageArchive)] != sum:
		return r.damaged(imageArchive + " is not the file that " + imageSums + " tells of")
	}
	return nil
}
