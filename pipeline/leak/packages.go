package leak

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Package is a package that a repository of the task publishes.
type Package struct {
	Manager    string // as a language's facts name it
	Name       string
	Repository string
}

// maxManifest bounds what is read of a manifest.
const maxManifest = 1 << 20

// AddPackages takes the names under which a repository publishes what its tree holds.
func (s *Secrets) AddPackages(repository, tree string) error {
	return filepath.WalkDir(tree, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "vendor" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		manager, name := s.manifest(d.Name())
		if name == nil {
			return nil
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxManifest))
		if called := name(string(text)); called != "" {
			pkg := Package{manager, called, repository}
			if !slices.Contains(s.Packages, pkg) {
				s.Packages = append(s.Packages, pkg)
			}
		}
		return err
	})
}

// manifest gives the reader of the published name for a file of that name.
func (s *Secrets) manifest(file string) (manager string, name func(text string) string) {
	for _, m := range s.Managers {
		if name := m.Manifests[file]; name != nil {
			return m.Manager, name
		}
	}
	return "", nil
}

// held is a package's copy in a cache.
type held struct {
	pkg     Package
	version string
	place   string
}

// cached reads from a path which package's copy it belongs to, and by which manager's
// rules; the version is "" where only the file itself names it.
func (s *Secrets) cached(name string) (pkg Package, version string, by *kit.Packages) {
	for i, m := range s.Managers {
		for _, c := range m.Cached(name) {
			if pkg, ok := s.published(m.Manager, c.Name); ok {
				return pkg, c.Version, &s.Managers[i]
			}
		}
	}
	return Package{}, "", nil
}

func (s *Secrets) published(manager, name string) (Package, bool) {
	for _, p := range s.Packages {
		if p.Manager == manager && p.Name == name {
			return p, true
		}
	}
	return Package{}, false
}

// record gives what tells a link from a copy, for a record's file name.
func (s *Secrets) record(base string) func(record []byte) bool {
	for _, m := range s.Managers {
		if m.Record != "" && m.Record == base {
			return m.Linked
		}
	}
	return nil
}
