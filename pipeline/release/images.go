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

// imageFiles is what may lie under images/, beside the list of its checksums.
var imageFiles = []string{imageArchive, imageReferences, agentImages}

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
	f, err := pipeline.NewFile(to)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Cleanup() }()
	sum := sha256.New()
	z, err := zstd.NewWriter(io.MultiWriter(f, sum))
	if err != nil {
		return 0, err
	}
	err = save(z)
	if err := errors.Join(err, z.Close()); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	// The list goes first: an archive without its checksum is never there.
	if err := errors.Join(os.RemoveAll(to), r.addImageSum(imageArchive, hex.EncodeToString(sum.Sum(nil)))); err != nil {
		return 0, err
	}
	return info.Size(), f.CloseAtomicallyReplace()
}

// LoadImages gives the archive of images to load, as tar, once its checksum was
// found right.
func (r *Release) LoadImages(ctx context.Context, load func(io.Reader) error) error {
	if err := r.VerifyImages(ctx); err != nil {
		return err
	}
	f, err := r.regular(imageArchive)
	if errors.Is(err, fs.ErrNotExist) && r.HasReferences() {
		return pipeline.Need("the release %s holds no images, but says where they are: wideswe release images pull "+
			"--release %s", r.Dir, r.Dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return pipeline.Need("the release %s holds no images; wideswe release images save --release %s puts them there, on "+
			"the machine that validated it", r.Dir, r.Dir)
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

// VerifyImages holds what came for images against its checksums: the archive, the
// references of a registry, the list of images for agents.
func (r *Release) VerifyImages(ctx context.Context) error {
	list, err := r.imageSums()
	if err != nil {
		return err
	}
	for _, name := range imageFiles {
		if err := ctx.Err(); err != nil {
			return err
		}
		want := list[path.Base(name)]
		delete(list, path.Base(name))
		switch sum, err := r.sum(name); {
		case errors.Is(err, fs.ErrNotExist) && want == "":
		case errors.Is(err, fs.ErrNotExist):
			return r.damaged(name + ", which " + imageSums + " tells of, is missing")
		case err != nil:
			return fmt.Errorf("release %s: %w", r.Dir, err)
		case sum != want:
			return r.damaged(name + " is not the file that " + imageSums + " tells of")
		}
	}
	for _, file := range sortedKeys(list) {
		return r.damaged(imageSums + " tells of " + file + ", which no release has")
	}
	return nil
}

// imageSums reads the checksums of what came for images; none of it is no error.
func (r *Release) imageSums() (map[string]string, error) {
	list, err := r.sums(imageSums)
	if !errors.Is(err, fs.ErrNotExist) {
		return list, err
	}
	for _, name := range imageFiles {
		if _, err := r.root.Lstat(name); err == nil {
			return nil, r.damaged(imageSums + " is missing")
		}
	}
	return map[string]string{}, nil
}

// addImageSum keeps the checksum of a file that is about to stand under images/.
func (r *Release) addImageSum(name, sum string) error {
	list, err := r.sums(imageSums)
	if errors.Is(err, fs.ErrNotExist) {
		list, err = map[string]string{}, nil
	}
	if err != nil {
		return err
	}
	list[path.Base(name)] = sum
	return writeSums(r.Dir, imageSums, list)
}
