package image

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// maxManifest bounds the documents of an archive.
const maxManifest = 16 << 20

// CheckArchive reads an archive of images, wanted by id, through. It refuses names, images that are not
// wanted, and what could put a file where the archive's own lists lie.
func CheckArchive(r io.Reader, wanted map[string]string) error {
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
