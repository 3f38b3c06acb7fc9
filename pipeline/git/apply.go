package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// ApplyError says that a patch does not go onto a tree.
type ApplyError struct {
	Patch  int    // which of the patches, from 0
	Reason string // git's first line
}

func (e *ApplyError) Error() string {
	return fmt.Sprintf("patch %d does not apply: %s", e.Patch+1, e.Reason)
}

// ApplyToTree lays patches onto a tree, one after another and exactly, and returns
// the resulting tree. Only blobs that the patches touch must be in the mirror.
func (r *Repo) ApplyToTree(ctx context.Context, treeish string, patches ...[]byte) (string, error) {
	return r.withIndex(ctx, treeish, func(index string) error {
		for i, p := range patches {
			if len(p) == 0 {
				continue
			}
			_, err := call{dir: r.dir, env: []string{index}, stdin: bytes.NewReader(p),
				args: []string{"apply", "--cached", "--whitespace=nowarn", "-"}}.run(ctx)
			var exit *exitError
			if errors.As(err, &exit) {
				return &ApplyError{Patch: i, Reason: firstLine(exit.stderr)}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ApplyApart lays patches over the old side of these changes alone, in a store that
// has no other object, and returns what comes out. In a mirror git apply takes a
// binary file's new content from the store where it is there already and never
// reads the patch's own; here it must.
func (r *Repo) ApplyApart(ctx context.Context, changes []Change, patches ...[]byte) ([]Entry, error) {
	dir, remove, err := pipeline.Scratch("", "apart")
	if err != nil {
		return nil, full(os.TempDir(), err)
	}
	defer remove()
	if _, err := (call{args: []string{"init", "--bare", "--quiet", "--template=", dir}}).run(ctx); err != nil {
		return nil, err
	}
	apart := &Repo{Repository: r.Repository, dir: dir, mirrors: r.mirrors}
	old := oldSide(changes)
	if err := r.copyBlobs(ctx, old, apart); err != nil {
		return nil, err
	}
	base, err := apart.treeOf(ctx, changes, false)
	if err != nil {
		return nil, err
	}
	tree, err := apart.ApplyToTree(ctx, base, patches...)
	if err != nil {
		return nil, err
	}
	return apart.Files(ctx, tree)
}

func oldSide(changes []Change) []string {
	var oids []string
	for _, c := range changes {
		if c.OldMode != absentMode && c.OldMode != ModeSubmodule {
			oids = append(oids, c.OldOID)
		}
	}
	sort.Strings(oids)
	return compact(oids)
}

func (r *Repo) copyBlobs(ctx context.Context, oids []string, to *Repo) error {
	if len(oids) == 0 {
		return nil
	}
	pack, err := call{dir: r.dir, args: []string{"pack-objects", "--stdout", "--quiet"},
		stdin: strings.NewReader(strings.Join(oids, "\n") + "\n")}.run(ctx)
	if err != nil {
		return err
	}
	_, err = call{dir: to.dir, args: []string{"unpack-objects", "-q"}, stdin: bytes.NewReader(pack)}.run(ctx)
	return err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimPrefix(line, "error: ")
}

// withIndex runs do with an index of its own, filled from a tree where one is
// given, and returns the tree that the index then holds.
func (r *Repo) withIndex(ctx context.Context, treeish string, do func(index string) error) (string, error) {
	dir, remove, err := pipeline.Scratch("", "index")
	if err != nil {
		return "", full(os.TempDir(), err)
	}
	defer remove()
	index := "GIT_INDEX_FILE=" + filepath.Join(dir, "index")
	read := []string{"read-tree", "--empty"}
	if treeish != "" {
		read = []string{"read-tree", "--end-of-options", treeish}
	}
	if _, err := (call{dir: r.dir, env: []string{index}, args: read}).run(ctx); err != nil {
		return "", err
	}
	if err := do(index); err != nil {
		return "", err
	}
	out, err := call{dir: r.dir, env: []string{index}, args: []string{"write-tree", "--missing-ok"}}.run(ctx)
	return strings.TrimSpace(string(out)), err
}

// Step is one pull of a composition: its own base and head.
type Step struct{ Base, Head string }

// ConflictError says that pulls of one repository can't be composed.
type ConflictError struct {
	Step  int // which step met it, from 0
	Paths []string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("pull %d of the composition conflicts in %s", e.Step+1, strings.Join(e.Paths, ", "))
}

// Compose lays the changes of several pulls over one another in the order given:
// it starts from the first pull's head and merges each next one, three-way, with
// that pull's own base as the common ancestor. It returns the resulting tree.
func (r *Repo) Compose(ctx context.Context, steps []Step) (string, error) {
	if len(steps) == 0 {
		return "", errors.New("composing no pulls")
	}
	tree, err := r.Tree(ctx, steps[0].Head)
	for i := 1; i < len(steps) && err == nil; i++ {
		tree, err = r.merge(ctx, i, steps[i], tree)
	}
	return tree, err
}

// merge is one three-way merge. merge-tree finds the ancestor in the history, so
// it is given one made for it: two commits on one root.
func (r *Repo) merge(ctx context.Context, i int, step Step, ours string) (string, error) {
	base, err := r.Tree(ctx, step.Base)
	if err != nil {
		return "", err
	}
	theirs, err := r.Tree(ctx, step.Head)
	if err != nil {
		return "", err
	}
	blobsErr := r.mergeBlobs(ctx, base, ours, theirs)
	var missing *MissingError
	if blobsErr != nil && !errors.As(blobsErr, &missing) {
		return "", blobsErr
	}
	root, err := r.commitTree(ctx, base)
	if err != nil {
		return "", err
	}
	a, err := r.commitTree(ctx, ours, root)
	if err != nil {
		return "", err
	}
	b, err := r.commitTree(ctx, theirs, root)
	if err != nil {
		return "", err
	}
	tree, err := r.mergeTree(ctx, i, a, b, true)
	if err != nil && missing != nil {
		// Looking for renames reads files that the merge itself does not need.
		tree, err = r.mergeTree(ctx, i, a, b, false)
	}
	var exit *exitError
	if errors.As(err, &exit) && missing != nil {
		return "", missing
	}
	return tree, err
}

func (r *Repo) mergeBlobs(ctx context.Context, base, ours, theirs string) error {
	var oids []string
	for _, side := range []string{ours, theirs} {
		changes, err := r.Changes(ctx, base, side)
		if err != nil {
			return err
		}
		oids = append(oids, BlobsOf(changes)...)
	}
	sort.Strings(oids)
	return r.Blobs(ctx, compact(oids))
}

func (r *Repo) commitTree(ctx context.Context, tree string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-m", "composition"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	const date = "2000-01-01T00:00:00Z"
	out, err := call{dir: r.dir, args: args, env: []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" +
		date}}.run(ctx)
	return strings.TrimSpace(string(out)), err
}

func (r *Repo) mergeTree(ctx context.Context, i int, a, b string, renames bool) (string, error) {
	var out bytes.Buffer
	_, err := call{dir: r.dir, stdout: &out, args: []string{"-c", fmt.Sprintf("merge.renames=%t", renames),
		"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", a, b}}.run(ctx)
	parts := strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00")
	var exit *exitError
	if errors.As(err, &exit) && exit.code == 1 && len(parts) > 1 {
		return "", &ConflictError{Step: i, Paths: parts[1:]}
	}
	return parts[0], err
}
