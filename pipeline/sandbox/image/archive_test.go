package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
)

// archive is a tar of entries; a name that ends with "@" is a link to the text.
func archive(t *testing.T, entries ...[2]string) io.Reader {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e[0], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(e[1]))}
		if name, link := strings.CutSuffix(e[0], "@"); link {
			h = &tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: e[1]}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(e[1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestArchivesOfImagesAreNotTrusted(t *testing.T) {
	const plain = `[{"Config":"ab.json","RepoTags":null,"Layers":["x/layer.tar"]}]`
	for name, c := range map[string]struct {
		entries [][2]string
		want    string // '' is taken
	}{
		"as it is written": {[][2]string{{"ab.json", "{}"}, {"x/layer.tar", "l"}, {"y/layer.tar@", "../x/layer.tar"},
			{"manifest.json", plain}}, ""},
		"by a newer engine": {[][2]string{{"blobs/sha256/ab", "{}"}, {"index.json", `{"manifests":[{"digest":"d"}]}`},
			{"manifest.json", `[{"Config":"blobs/sha256/ab"}]`}}, ""},
		"a name": {[][2]string{{"manifest.json", `[{"Config":"ab.json","RepoTags":["debian:trixie"]}]`}},
			"debian:trixie"},
		"a name in the index": {[][2]string{{"index.json",
			`{"manifests":[{"annotations":{"io.containerd.image.name":"debian:trixie"}}]}`}, {"manifest.json", plain}},
			"debian:trixie"},
		"names of old":  {[][2]string{{"manifest.json", plain}, {"repositories", `{"debian":{}}`}}, "repositories"},
		"another image": {[][2]string{{"manifest.json", `[{"Config":"ab.json"},{"Config":"cd.json"}]`}}, "sha256:cd"},
		"a second list": {[][2]string{{"manifest.json", plain}, {"./x/../manifest.json",
			`[{"Config":"ab.json","RepoTags":["debian:trixie"]}]`}}, "debian:trixie"},
		"a link for the list": {[][2]string{{"manifest.json@", "x"}}, "manifest.json"},
		"a link for a folder": {[][2]string{{"x@", "."}, {"x/manifest.json", plain}}, "holds x"},
		"a folder by its layer": {[][2]string{{"layer.tar@", "."}, {"layer.tar/manifest.json", plain}},
			"layer.tar/manifest.json"},
		"no list":       {[][2]string{{"x/layer.tar", "l"}}, "no list"},
		"no archive":    {nil, "no list"},
		"a broken list": {[][2]string{{"manifest.json", "{"}}, "manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckArchive(archive(t, c.entries...), map[string]string{"sha256:ab": "wideswe/ab:1"})
			var usage *pipeline.UsageError
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(),
				c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
