package sandbox

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	engine "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/wideswe/wideswe/pipeline"
)

// HasImage says whether the engine has an image, by id, without fetching it.
func (d *Docker) HasImage(ctx context.Context, id string) bool {
	_, err := d.api.ImageInspect(ctx, id)
	return err == nil
}

// SaveImages writes images, by id, as one archive in which layers that they share
// lie once. It holds no name: what loads it says what they are called.
func (d *Docker) SaveImages(ctx context.Context, ids []string, w io.Writer) error {
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
func (d *Docker) LoadImages(ctx context.Context, r io.Reader, names map[string]string) error {
	pr, pw := io.Pipe()
	watched := make(chan error, 1)
	go func() {
		err := watchArchive(io.TeeReader(r, pw), names)
		_ = pw.CloseWithError(err)
		watched <- err
	}()
	answer, err := d.api.ImageLoad(ctx, pr, client.ImageLoadWithQuiet(true))
	if err == nil {
		err = errors.Join(loadEnded(answer), answer.Body.Close())
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

func (d *Docker) nameImages(ctx context.Context, names map[string]string) error {
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if !d.HasImage(ctx, id) {
			return pipeline.Need("the image %s (%s) is not in the archive: save it again where the release was validated", names[id], id)
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

// loadEnded reads the engine's answer, whose errors come in its lines.
func loadEnded(answer engine.LoadResponse) error {
	for d := json.NewDecoder(answer.Body); ; {
		var line struct {
			Error string `json:"error"`
		}
		switch err := d.Decode(&line); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case line.Error != "":
			return errors.New(line.Error)
		}
	}
}

// maxManifest bounds the documents of an archive.
const maxManifest = 16 << 20

// watchArchive reads an archive through. It refuses names, images that are not
// wanted, and what could put a file where the archive's own lists lie.
func watchArchive(r io.Reader, wanted map[string]string) error {
	tr := tar.NewReader(r)
	listed := false
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) && !listed {
			return pipeline.Usage("the archive holds no list of images, so docker save did not write it")
		}
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, r) // what fills the last block
			return err
		}
		if err != nil {
			return pipeline.Usage("the archive of images can't be read: %v", err)
		}
		name := path.Clean("/" + h.Name)[1:]
		switch {
		case h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeDir && path.Base(name) != "layer.tar",
			slices.Contains(strings.Split(path.Dir(name), "/"), "layer.tar"):
			return pipeline.Usage("the archive holds %s, which no archive of images does", h.Name)
		case name == "manifest.json":
			listed = true
			err = checkManifest(io.LimitReader(tr, maxManifest), wanted)
		case name == "index.json":
			err = checkIndex(io.LimitReader(tr, maxManifest))
		case name == "repositories":
			err = named(h.Name)
		}
		if err != nil {
			return err
		}
	}
}

func named(name string) error {
	return pipeline.Usage("the archive gives an image the name %s; wideswe release images save writes none", name)
}

// checkManifest reads the list that every engine writes and reads.
func checkManifest(r io.Reader, wanted map[string]string) error {
	var list []struct {
		Config   string
		RepoTags []string
	}
	if err := json.NewDecoder(r).Decode(&list); err != nil {
		return pipeline.Usage("the archive's manifest.json can't be read: %v", err)
	}
	for _, i := range list {
		if len(i.RepoTags) > 0 {
			return named(i.RepoTags[0])
		}
		id := "sha256:" + strings.TrimSuffix(path.Base(i.Config), ".json")
		if _, ok := wanted[id]; !ok {
			return pipeline.Usage("the archive holds the image %s, which is none of the release's", id)
		}
	}
	return nil
}

// checkIndex reads the list that newer engines write beside it.
func checkIndex(r io.Reader) error {
	var index struct {
		Manifests []struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"manifests"`
	}
	if err := json.NewDecoder(r).Decode(&index); err != nil {
		return pipeline.Usage("the archive's index.json can't be read: %v", err)
	}
	for _, m := range index.Manifests {
		for _, key := range []string{"io.containerd.image.name", "org.opencontainers.image.ref.name"} {
			if name := m.Annotations[key]; name != "" {
				return named(name)
			}
		}
	}
	return nil
}
