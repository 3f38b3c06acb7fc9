package git

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Change is one path that differs between two trees. Renames are a removal and an addition.
type Change struct {
	Path             string
	Status           string // A M D T
	OldMode, NewMode string // 000000 where there is none
	OldOID, NewOID   string // all zeros where there is none
}

// Changes lists the paths that differ between two trees, in git's order, from
// trees alone.
func (r *Repo) Changes(ctx context.Context, a, b string) ([]Change, error) {
	out, err := r.git(ctx, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", "--no-abbrev",
		"--end-of-options", a, b)
	if err != nil {
		return nil, err
	}
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	var changes []Change
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(string(fields[i]), ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("unexpected line of git diff-tree: %q", fields[i])
		}
		changes = append(changes, Change{Path: string(fields[i+1]), Status: f[4][:1],
			OldMode: f[0], NewMode: f[1], OldOID: f[2], NewOID: f[3]})
	}
	return changes, nil
}

// diffOptions fix everything that decides the text of a diff.
var diffOptions = []string{"--no-color", "--no-ext-diff", "--no-textconv", "--full-index", "--binary", "--unified=3",
	"--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/",
	"--no-relative", "--submodule=short", "--ignore-submodules=none", "--end-of-options"}

// Diff writes the difference between two trees as a patch that git apply takes,
// limited to these paths (none: everything): binary, with full ids, renames found.
// A rename is found only if both its paths are among them.
func (r *Repo) Diff(ctx context.Context, a, b string, paths []string) ([]byte, error) {
	changes, err := r.Changes(ctx, a, b)
	if err != nil {
		return nil, err
	}
	return r.DiffOf(ctx, a, b, only(changes, paths))
}

func only(changes []Change, paths []string) []Change {
	if paths == nil {
		return changes
	}
	wanted := make(map[string]bool, len(paths))
	for _, p := range paths {
		wanted[p] = true
	}
	var kept []Change
	for _, c := range changes {
		if wanted[c.Path] {
			kept = append(kept, c)
		}
	}
	return kept
}

// DiffOf is [Repo.Diff] limited to changes already known; none give an empty patch.
func (r *Repo) DiffOf(ctx context.Context, a, b string, changes []Change) ([]byte, error) {
	return r.diffChanges(ctx, a, b, changes, append([]string{"--patch", "--find-renames=50%", "-l1000"}, diffOptions...))
}

// maxArgs bounds the bytes of paths given on a command line.
const maxArgs = 100 << 10

func (r *Repo) diffChanges(ctx context.Context, a, b string, changes []Change, options []string) ([]byte, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	if err := r.Blobs(ctx, BlobsOf(changes)); err != nil {
		return nil, err
	}
	from, to, paths, err := r.limited(ctx, a, b, changes)
	if err != nil {
		return nil, err
	}
	args := append([]string{"diff-tree", "-r"}, options...)
	args = append(append(append(args, from, to), "--"), paths...)
	return r.gitLiteral(ctx, args...)
}

// limited gives what to hand to diff-tree so that it sees these changes alone:
// their paths where a command line holds them, else two trees that have nothing else.
func (r *Repo) limited(ctx context.Context, a, b string, changes []Change) (from, to string, paths []string,
	err error) {
	size := 0
	for _, c := range changes {
		paths = append(paths, c.Path)
		size += len(c.Path) + 9
	}
	if size <= maxArgs {
		return a, b, paths, nil
	}
	if from, err = r.treeOf(ctx, changes, false); err == nil {
		to, err = r.treeOf(ctx, changes, true)
	}
	return from, to, nil, err
}

// treeOf makes the tree that holds the old or new side of the changes.
func (r *Repo) treeOf(ctx context.Context, changes []Change, after bool) (string, error) {
	var lines strings.Builder
	for _, c := range changes {
		mode, oid := c.OldMode, c.OldOID
		if after {
			mode, oid = c.NewMode, c.NewOID
		}
		if mode != absentMode {
			fmt.Fprintf(&lines, "%s %s\t%s\x00", mode, oid, c.Path)
		}
	}
	return r.withIndex(ctx, "", func(index string) error {
		_, err := call{dir: r.dir, env: []string{index}, stdin: strings.NewReader(lines.String()),
			args: []string{"update-index", "-z", "--add", "--index-info"}}.run(ctx)
		return err
	})
}

const absentMode = "000000"

// BlobsOf lists the blobs on both sides; submodules have none here.
func BlobsOf(changes []Change) []string {
	var oids []string
	for _, c := range changes {
		if c.OldMode != absentMode && c.OldMode != ModeSubmodule {
			oids = append(oids, c.OldOID)
		}
		if c.NewMode != absentMode && c.NewMode != ModeSubmodule {
			oids = append(oids, c.NewOID)
		}
	}
	sort.Strings(oids)
	return compact(oids)
}

// FileStat is one file of a diff with its line counts.
type FileStat struct {
	Path           string
	PreviousPath   string // '' unless renamed
	Status         string // added modified removed renamed changed, as GitHub has them
	Added, Deleted int    // -1 for binary files
}

// Stat counts the lines that changed, by file, renames found.
func (r *Repo) Stat(ctx context.Context, a, b string) ([]FileStat, error) {
	changes, err := r.Changes(ctx, a, b)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	options := append([]string{"-z", "--numstat", "--raw", "--no-abbrev", "--find-renames=50%", "-l1000"}, statOptions...)
	out, err := r.diffChanges(ctx, a, b, changes, options)
	if err != nil {
		return nil, err
	}
	return parseStat(string(out))
}

var statOptions = []string{"--no-color", "--no-ext-diff", "--no-textconv", "--diff-algorithm=myers", "--no-relative",
	"--ignore-submodules=none", "--end-of-options"}

var statuses = map[byte]string{'A': "added", 'M': "modified", 'D': "removed", 'R': "renamed", 'C': "copied",
	'T': "changed"}

// parseStat reads raw records, then numstat records, NUL between fields.
func parseStat(out string) ([]FileStat, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	var stats []FileStat
	place := map[string]int{}
	i := 0
	next := func() string {
		if i >= len(fields) {
			return ""
		}
		i++
		return fields[i-1]
	}
	for i < len(fields) && strings.HasPrefix(fields[i], ":") {
		f := strings.Fields(next())
		if len(f) != 5 {
			return nil, fmt.Errorf("unexpected record of git diff-tree: %q", fields[i-1])
		}
		s := FileStat{Path: next(), Status: statuses[f[4][0]]}
		if f[4][0] == 'R' || f[4][0] == 'C' {
			s.PreviousPath, s.Path = s.Path, next()
		}
		place[s.Path] = len(stats)
		stats = append(stats, s)
	}
	for i < len(fields) {
		f := strings.SplitN(next(), "\t", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("unexpected record of git diff-tree --numstat: %q", fields[i-1])
		}
		path := f[2]
		if path == "" { // renamed: the old and the new path follow
			next()
			path = next()
		}
		at, ok := place[path]
		if !ok {
			return nil, fmt.Errorf("git diff-tree counts %q, which it does not list", path)
		}
		stats[at].Added, stats[at].Deleted = count(f[0]), count(f[1])
	}
	return stats, nil
}

func count(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1 // "-": binary
	}
	return n
}

// PatchID is the id of the change between two trees that stays the same where the
// same change is made elsewhere; "" for no change.
func (r *Repo) PatchID(ctx context.Context, a, b string) (string, error) {
	diff, err := r.Diff(ctx, a, b, nil)
	if err != nil || len(diff) == 0 {
		return "", err
	}
	out, err := call{dir: r.dir, args: []string{"patch-id", "--stable"}, stdin: bytes.NewReader(diff)}.run(ctx)
	id, _, _ := strings.Cut(string(out), " ")
	return id, err
}
