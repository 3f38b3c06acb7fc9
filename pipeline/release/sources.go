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

	"github.com/klauspost/compress/zstd"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// Snapshotter writes a commit's tree as tar; git mirrors do.
type Snapshotter interface {
	Snapshot(ctx context.Context, repository, commit string, w io.Writer) error
}

// Source gives the pin of one repository at one commit.
func (r *Release) Source(repository, commit string) (schema.Source, bool) {
	for _, s := range r.Sources {
		if s.Repository == repository && s.Commit == commit {
			return s, true
		}
	}
	return schema.Source{}, false
}

// MissingSources lists the pins whose trees are not in the release's folder.
func (r *Release) MissingSources() []schema.Source {
	var out []schema.Source
	for _, s := range r.Sources {
		if _, err := r.root.Lstat(s.File()); err != nil {
			out = append(out, s)
		}
	}
	return out
}

// Fetch brings the missing trees once, proving each against its pin. done, which
// may be nil, is told of each.
func (r *Release) Fetch(ctx context.Context, from Snapshotter, done func(schema.Source)) error {
	for _, s := range r.MissingSources() {
		to := filepath.Join(r.Dir, filepath.FromSlash(s.File()))
		sum, err := writeSource(ctx, to, s, func(w io.Writer) error { return from.Snapshot(ctx, s.Repository, s.Commit, w) })
		if err == nil {
			err = r.addSourceSums(map[string]string{path.Base(s.File()): sum})
		}
		if err != nil {
			return fmt.Errorf("fetching %s@%s: %w", s.Repository, s.Commit, err)
		}
		if done != nil {
			done(s)
		}
	}
	return nil
}

// Extract unpacks a pinned tree into dir, absent or empty, and proves its tree id.
func (r *Release) Extract(ctx context.Context, s schema.Source, dir string) error {
	f, err := r.regular(s.File())
	if errors.Is(err, fs.ErrNotExist) {
		return pipeline.Need("%s of the release is not there; wideswe release fetch --release %s brings it", s.File(), r.Dir)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	want, err := r.sourceSum(s)
	if err != nil {
		return err
	}
	if want != "" {
		if err := r.verifySource(ctx, s, want); err != nil {
			return err
		}
	}
	z, err := unzip(f)
	if err != nil {
		return err
	}
	defer z.Close()
	if err := workspace.Extract(ctx, z, dir); err != nil {
		return fmt.Errorf("unpacking %s: %w", s.File(), err)
	}
	for _, l := range s.Submodules {
		if !filepath.IsLocal(filepath.FromSlash(l.Path)) {
			return fmt.Errorf("%s: submodule path %q", s.File(), l.Path)
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(l.Path)), 0o755); err != nil {
			return err
		}
	}
	tree, err := workspace.TreeHash(ctx, dir, s.Submodules...)
	if err != nil {
		return err
	}
	return sameTree(s, tree)
}

func sameTree(s schema.Source, tree string) error {
	if tree != s.Tree {
		return pipeline.Usage("%s is not the tree that the release pins (git tree %s instead of %s); remove the file and "+
			"run wideswe release fetch",
			s.File(), tree, s.Tree)
	}
	return nil
}

func unzip(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
}

// proveSource reads a packed tree and compares its git tree id with the pin.
func proveSource(ctx context.Context, file string, s schema.Source) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := unzip(f)
	if err != nil {
		return err
	}
	defer z.Close()
	tree, err := workspace.TarTreeHash(ctx, z, s.Submodules...)
	if err != nil {
		return err
	}
	return sameTree(s, tree)
}

// writeSource packs a tree into a file that appears only when it is whole and proved,
// and gives the file's sha256.
func writeSource(ctx context.Context, to string, s schema.Source, snapshot func(io.Writer) error) (string, error) {
	f, err := pipeline.NewFile(to)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Cleanup() }()
	sum := sha256.New()
	z, err := zstd.NewWriter(io.MultiWriter(f, sum), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return "", err
	}
	err = snapshot(z)
	if err := errors.Join(err, z.Close()); err != nil {
		return "", err
	}
	if err := proveSource(ctx, f.Name(), s); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), f.CloseAtomicallyReplace()
}
