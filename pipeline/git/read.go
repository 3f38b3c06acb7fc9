package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// Commit is what a commit says of itself.
type Commit struct {
	SHA           string
	Tree          string
	Parents       []string
	CommitterTime time.Time // UTC
	Subject       string
}

// Commit reads a commit by its id.
func (r *Repo) Commit(_ context.Context, sha string) (Commit, error) {
	if !objectID.MatchString(sha) {
		return Commit{}, fmt.Errorf("%s: %q is not a commit id", r.Repository, sha)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handle == nil {
		h, err := gogit.PlainOpen(r.dir)
		if err != nil {
			return Commit{}, fmt.Errorf("opening the mirror of %s: %w", r.Repository, err)
		}
		r.handle = h
	}
	c, err := r.handle.CommitObject(plumbing.NewHash(sha))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return Commit{}, &MissingError{r.Repository, []string{sha}}
	}
	if err != nil {
		return Commit{}, fmt.Errorf("reading commit %s of %s: %w", sha, r.Repository, err)
	}
	subject, _, _ := strings.Cut(c.Message, "\n")
	out := Commit{SHA: sha, Tree: c.TreeHash.String(), CommitterTime: c.Committer.When.UTC(), Subject: subject}
	for _, p := range c.ParentHashes {
		out.Parents = append(out.Parents, p.String())
	}
	return out, nil
}

// FirstParent is a commit's first parent, "" for a root.
func (r *Repo) FirstParent(ctx context.Context, sha string) (string, error) {
	c, err := r.Commit(ctx, sha)
	if err != nil || len(c.Parents) == 0 {
		return "", err
	}
	return c.Parents[0], nil
}

// PullHead is the commit of refs/pull/N/head, "" where the mirror has no such ref.
func (r *Repo) PullHead(ctx context.Context, number int) (string, error) {
	out, err := r.git(ctx, "for-each-ref", "--format=%(objectname)", pullRef(number))
	return strings.TrimSpace(string(out)), err
}

// MergeBase is the best common ancestor of two commits, "" where there is none.
// Of several equally good ones it is the first in the order of git, which is fixed.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.git(ctx, "merge-base", "--end-of-options", a, b)
	var exit *exitError
	if errors.As(err, &exit) && exit.code == 1 && exit.stderr == "" {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// Tree is the tree of a commit, or of a tree itself.
func (r *Repo) Tree(ctx context.Context, treeish string) (string, error) {
	out, err := r.git(ctx, "rev-parse", "--verify", "--end-of-options", treeish+"^{tree}")
	return strings.TrimSpace(string(out)), err
}

// DefaultBranch is the short name of the host's default branch.
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "symbolic-ref", "--short", "HEAD")
	return strings.TrimSpace(string(out)), err
}

// CommitBefore gives the newest commit, by committer date, on the first-parent
// line of ref that is not later than t. Of equal dates the one nearest the tip.
// It returns the zero Commit where every one is later.
func (r *Repo) CommitBefore(ctx context.Context, ref string, t time.Time) (Commit, error) {
	line, err := r.FirstParents(ctx, ref)
	if err != nil {
		return Commit{}, err
	}
	var best Commit
	for _, c := range line {
		if !c.CommitterTime.After(t) && (best.SHA == "" || c.CommitterTime.After(best.CommitterTime)) {
			best = c
		}
	}
	return best, nil
}

// FirstParents lists the first-parent line of ref, newest first.
func (r *Repo) FirstParents(ctx context.Context, ref string) ([]Commit, error) {
	out, err := r.git(ctx, "log", "--first-parent", "-z", "--format=%H %T %ct %P%n%s", "--end-of-options", ref, "--")
	if err != nil {
		return nil, err
	}
	var line []Commit
	for rec := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		head, subject, _ := strings.Cut(string(rec), "\n")
		f := strings.Fields(head)
		if len(f) < 3 {
			continue
		}
		secs, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("reading the log of %s: %w", r.Repository, err)
		}
		line = append(line, Commit{SHA: f[0], Tree: f[1], Parents: f[3:], CommitterTime: time.Unix(secs, 0).UTC(),
			Subject: subject})
	}
	return line, nil
}

// Entry is one file of a tree.
type Entry struct {
	Path string // raw bytes, as git has them
	Mode string // 100644 100755 120000 160000
	OID  string
}

// Modes of tree entries.
const (
	ModeFile      = "100644"
	ModeExec      = "100755"
	ModeSymlink   = "120000"
	ModeSubmodule = "160000"
)

// Files lists the files of a tree, in git's order. Blobs are not needed.
func (r *Repo) Files(ctx context.Context, treeish string) ([]Entry, error) {
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", treeish)
	if err != nil {
		return nil, err
	}
	var files []Entry
	for rec := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		meta, path, ok := strings.Cut(string(rec), "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			continue // the one empty record of an empty tree
		}
		files = append(files, Entry{Path: path, Mode: f[0], OID: f[2]})
	}
	return files, nil
}

// ErrNoFile says that a tree has no such file.
var ErrNoFile = errors.New("no such file")

// ErrTooLarge says that a file is over the bound the caller gave.
var ErrTooLarge = errors.New("file too large")

// ReadFile reads one file of a tree, at most limit bytes of it being allowed.
func (r *Repo) ReadFile(ctx context.Context, treeish, path string, limit int64) ([]byte, error) {
	out, err := r.gitLiteral(ctx, "ls-tree", "-z", "--full-tree", "--end-of-options", treeish, path)
	if err != nil {
		return nil, err
	}
	meta, found, _ := strings.Cut(strings.TrimSuffix(string(out), "\x00"), "\t")
	f := strings.Fields(meta)
	if len(f) != 3 || f[1] != "blob" || found != path {
		return nil, fmt.Errorf("%s: %s: %w", r.Repository, path, ErrNoFile)
	}
	if err := r.Blobs(ctx, []string{f[2]}); err != nil {
		return nil, err
	}
	return r.ReadBlob(ctx, f[2], limit)
}

// ReadBlob reads a blob that is in the mirror.
func (r *Repo) ReadBlob(ctx context.Context, oid string, limit int64) ([]byte, error) {
	out, err := r.git(ctx, "cat-file", "-s", oid)
	if err != nil {
		return nil, err
	}
	size, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("size of blob %s: %w", oid, err)
	}
	if size > limit {
		return nil, fmt.Errorf("%s: blob %s has %d bytes: %w", r.Repository, oid, size, ErrTooLarge)
	}
	return r.git(ctx, "cat-file", "blob", oid)
}

// gitLiteral runs a command whose paths are names, not patterns.
func (r *Repo) gitLiteral(ctx context.Context, args ...string) ([]byte, error) {
	return call{dir: r.dir, args: args, env: []string{"GIT_LITERAL_PATHSPECS=1"}}.run(ctx)
}

// Message is what a commit's writer said.
type Message struct{ SHA, Text string }

// Messages lists the messages of the commits that head has and base has not,
// oldest first, merges left out; at most that many, the newest dropped. A message
// over 64 KiB is cut.
func (r *Repo) Messages(ctx context.Context, base, head string, most int) ([]Message, error) {
	out, err := r.git(ctx, "log", "-z", "--no-merges", "--reverse", "--no-show-signature", "--format=%H%n%B",
		"--end-of-options", base+".."+head)
	if err != nil {
		return nil, err
	}
	var list []Message
	for record := range strings.SplitSeq(string(out), "\x00") {
		sha, text, ok := strings.Cut(record, "\n")
		if !ok || len(list) >= most {
			continue
		}
		list = append(list, Message{sha, text[:min(len(text), 64<<10)]})
	}
	return list, nil
}
