package docker

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	engine "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// SaveImages writes images, by id, as one archive in which layers that they share
// lie once. It holds no name: what loads it says what they are called.
func (d *Sandbox) SaveImages(ctx context.Context, ids []string, w io.Writer) error {
	saved, err := d.api.ImageSave(ctx, ids)
	if err != nil {
		return d.trouble("saving images", err)
	}
	defer saved.Close()
	_, err = io.Copy(w, saved)
	return err
}

// LoadImages reads an archive of images into the engine and gives each of them, id →
// name, its name. An archive is a stranger's: one with a name in it, which could take
// the name of an image that is here, or with another image than these, is refused
// before the engine has all of it. The engine itself holds layers against what an
// image's id says of them, so an id that is here afterwards has the content it stands
// for.
func (d *Sandbox) LoadImages(ctx context.Context, r io.Reader, names map[string]string) error {
	pr, pw := io.Pipe()
	watched := make(chan error, 1)
	go func() {
		err := image.CheckArchive(io.TeeReader(r, pw), names)
		_ = pw.CloseWithError(err)
		watched <- err
	}()
	answer, err := d.api.ImageLoad(ctx, pr, client.ImageLoadWithQuiet(true))
	if err == nil {
		err = loaded(answer)
	}
	_ = pr.CloseWithError(errors.New("the engine stopped reading"))
	var refused *pipeline.UsageError
	if why := <-watched; errors.As(why, &refused) {
		return why
	}
	if err != nil {
		return d.trouble("loading images", err)
	}
	return d.nameImages(ctx, names)
}

func (d *Sandbox) nameImages(ctx context.Context, names map[string]string) error {
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if !d.HasImage(ctx, id) {
			return pipeline.Need("the image %s (%s) is not in the archive: save it again where the release was "+
				"validated", names[id], id)
		}
		if !strings.HasPrefix(names[id], "wideswe/") {
			continue // not ours to give
		}
		if err := d.api.ImageTag(ctx, id, names[id]); err != nil {
			return d.trouble("naming an image", err)
		}
	}
	return nil
}

// loaded reads the engine's answer to its end.
func loaded(answer engine.LoadResponse) error {
	_, err := image.ReadProgress(answer.Body)
	return errors.Join(err, answer.Body.Close())
}
