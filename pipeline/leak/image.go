package leak

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Layers walks the files of an image, layer by layer; what a later layer removed is
// still there for who unpacks them.
type Layers func(ctx context.Context, visit func(layer string, h *tar.Header, r io.Reader) error) error

// Released says whether a version of a repository's package came before base, or is
// base itself. known is false where nothing tells.
type Released func(ctx context.Context, repository, version string) (before, known bool, err error)

// Image looks through an image's layers: for secrets under any name, inside archives
// of package caches too, for a repository's tree, and for versions of the task's
// repositories that came after base.
func (s *Secrets) Image(ctx context.Context, layers Layers, released Released) ([]Finding, error) {
	i := &imageSearch{s: s, links: map[string]bool{}}
	if err := layers(ctx, i.visit); err != nil {
		return nil, fmt.Errorf("reading the layers: %w", err)
	}
	for _, h := range i.copies {
		if i.links[path.Dir(h.place)] {
			continue // the package manager's note of the tree that is laid at run time
		}
		before, known, err := released(ctx, h.pkg.Repository, h.version)
		if err != nil {
			return nil, err
		}
		if known && !before {
			i.found = append(i.found, Finding{h.place, fmt.Sprintf("is %s %s, which %s released after base", h.pkg.Name,
				h.version, h.pkg.Repository)})
		}
	}
	return Sorted(i.found), nil
}

type imageSearch struct {
	s      *Secrets
	found  []Finding
	copies []held
	seen   map[held]bool
	links  map[string]bool // folders of records of copies that are only links
}

func (i *imageSearch) visit(layer string, h *tar.Header, r io.Reader) error {
	name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
	place := layer + "/" + name
	if h.Typeflag != tar.TypeReg {
		return nil
	}
	if rest, inside := strings.CutPrefix(name, "workspace/"); inside && !strings.HasPrefix(path.Base(rest), ".wh.") {
		i.found = append(i.found, Finding{place, "is a file of a repository's tree"})
	}
	pkg, version, manager := i.s.cached(name)
	linked := i.s.record(path.Base(name))
	wanted := manager != nil && version == "" || linked != nil
	if !wanted && !i.s.size(h.Size) && !archive(name) || h.Size > maxSecret {
		i.hold(manager, held{pkg, version, place})
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxSecret))
	if err != nil {
		return err
	}
	if what := i.s.Content(data); what != "" {
		i.found = append(i.found, Finding{place, "is " + what})
	}
	if linked != nil && linked(data) {
		i.links[path.Dir(place)] = true
	}
	if manager != nil && version == "" && manager.VersionIn != nil {
		version = manager.VersionIn(data)
	}
	i.hold(manager, held{pkg, version, place})
	i.members(place, data)
	return nil
}

func (i *imageSearch) hold(manager *kit.Packages, h held) {
	if manager == nil || h.version == "" {
		return
	}
	one := held{pkg: h.pkg, version: h.version}
	if i.seen == nil {
		i.seen = map[held]bool{}
	}
	// A package's folder has thousands of files; its first speaks for it. Where records
	// tell links from copies a file is looked up by its folder, so all of those stay.
	if !i.seen[one] || manager.Record != "" {
		i.seen[one] = true
		i.copies = append(i.copies, h)
	}
}

// archive says that a file is a package as registries give it.
func archive(name string) bool {
	switch path.Ext(name) {
	case ".zip", ".whl", ".jar", ".crate", ".tgz", ".egg", ".nupkg", ".gem":
		return true
	}
	return strings.HasSuffix(name, ".tar.gz") || strings.Contains(name, "/_cacache/content-v2/")
}

// Bounds of one archive.
const (
	maxMembers = 100_000
	maxInside  = 256 << 20
)

// members looks into an archive. One that can't be read is no package.
func (i *imageSearch) members(place string, data []byte) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		i.zip(place, data)
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		i.tarball(place, data)
	}
}

func (i *imageSearch) zip(place string, data []byte) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	for _, f := range z.File[:min(len(z.File), maxMembers)] {
		if !i.s.size(int64(f.UncompressedSize64)) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			continue
		}
		body, err := io.ReadAll(io.LimitReader(r, maxSecret))
		if err := errors.Join(err, r.Close()); err == nil {
			i.member(place, f.Name, body)
		}
	}
}

func (i *imageSearch) tarball(place string, data []byte) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return
	}
	tr := tar.NewReader(io.LimitReader(z, maxInside))
	for range maxMembers {
		h, err := tr.Next()
		if err != nil {
			return
		}
		if h.Typeflag != tar.TypeReg || !i.s.size(h.Size) {
			continue
		}
		body, err := io.ReadAll(io.LimitReader(tr, maxSecret))
		if err != nil {
			return
		}
		i.member(place, h.Name, body)
	}
}

func (i *imageSearch) member(place, name string, body []byte) {
	if what := i.s.Content(body); what != "" {
		i.found = append(i.found, Finding{place, fmt.Sprintf("holds %.200q, which is %s", name, what)})
	}
}
