package assemble

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/schema"
)

// maxPushed bounds the commits that one push is taken to have landed for a pull.
const maxPushed = 100

// pushed finds the range of a pull whose own head does not tell it: the merge commit, and
// the commits before it on the branch that were pushed with it. How far back they go is
// told by the commits that name the pull, else by the host's list of files, else, where
// the head itself was pushed, by the base that the host recorded; else nothing tells, and
// it is the merge commit alone.
func pushed(ctx context.Context, repo *git.Repo, p Pull, merge git.Commit, why string) (Range, error) {
	r := Range{Base: merge.Parents[0], Head: merge.SHA, Merge: merge.SHA}
	r.Note = why + ": the merge commit and its first parent"
	if len(merge.Parents) > 1 {
		return r, nil
	}
	line, err := before(ctx, repo, merge)
	if err != nil {
		return r, err
	}
	type teller func(context.Context, *git.Repo, Pull, []git.Commit) (int, error)
	for _, tell := range []teller{byCommits, byFiles, byHostBase} {
		n, err := tell(ctx, repo, p, line)
		if err != nil {
			return r, err
		}
		if n > 0 {
			r.Base = line[n-1].Parents[0]
			if n > 1 {
				r.Note = fmt.Sprintf("%s: the %d commits that were pushed", why, n)
			}
			return r, nil
		}
	}
	return r, nil
}

// before lists a commit and those before it on its branch, as far as each has one parent.
func before(ctx context.Context, repo *git.Repo, c git.Commit) (line []git.Commit, err error) {
	for len(c.Parents) == 1 && len(line) < maxPushed {
		line = append(line, c)
		if c, err = repo.Commit(ctx, c.Parents[0]); err != nil {
			return line, tolerateMissing(err)
		}
	}
	return line, nil
}

// byCommits counts the commits that say that they land the pull, from the merge on.
func byCommits(_ context.Context, _ *git.Repo, p Pull, line []git.Commit) (n int, err error) {
	for n < len(line) && slices.Contains(p.Landed, line[n].SHA) {
		n++
	}
	return n, nil
}

// byFiles finds the fewest commits whose change is the host's list, lines and all.
func byFiles(ctx context.Context, repo *git.Repo, p Pull, line []git.Commit) (int, error) {
	if p.Files == nil {
		return 0, nil
	}
	for i, c := range line {
		d, err := compare(ctx, repo, p, Range{Base: c.Parents[0], Head: line[0].SHA}, true)
		if err != nil {
			return 0, err
		}
		if len(d) == 0 {
			return i + 1, nil
		}
	}
	return 0, nil
}

// byHostBase counts the commits since the base that the host recorded, up to one of
// another pull.
func byHostBase(_ context.Context, _ *git.Repo, p Pull, line []git.Commit) (int, error) {
	if len(line) == 0 || line[0].SHA != p.Head {
		return 0, nil
	}
	for i, c := range line {
		if m := squashed.FindStringSubmatch(c.Subject); m != nil && m[1] != fmt.Sprint(p.Number) {
			return i, nil
		}
		if c.Parents[0] == p.HostBase {
			return i + 1, nil
		}
	}
	return 0, nil
}

// HostFile is one file of the host's list.
type HostFile struct {
	Path, Previous, Status string
	Added, Deleted         int
}

// Difference is a path of which the split and the host's list do not say the same.
type Difference struct {
	Number             int
	Path, Host, Change string
}

// hold compares a pull's range with the host's list.
func (s *Split) hold(ctx context.Context, repo *git.Repo, p Pull, r Range) error {
	if p.Files == nil {
		return nil
	}
	d, err := compare(ctx, repo, p, r, r.Note != "")
	s.Differences = append(s.Differences, d...)
	return err
}

// compare lists the paths that differ. The lines of a file count where the range is a
// guess that they can show to be wrong: a pull's own head is none.
func compare(ctx context.Context, repo *git.Repo, p Pull, r Range, lines bool) ([]Difference, error) {
	changes, err := repo.Changes(ctx, r.Base, r.Head)
	if err != nil {
		return nil, err
	}
	listed := map[string]string{}
	for _, f := range p.Files {
		listed[f.Path] = f.Status
		if f.Previous != "" && f.Status == "renamed" {
			listed[f.Previous] = "renamed to " + f.Path
		}
	}
	var all []Difference
	for _, c := range changes {
		if listed[c.Path] == "" {
			all = append(all, Difference{p.Number, c.Path, "", changeWords[c.Status]})
		}
		delete(listed, c.Path)
	}
	for path, status := range listed {
		all = append(all, Difference{p.Number, path, status, ""})
	}
	if len(all) == 0 && lines {
		all, err = compareLines(ctx, repo, p, r)
	}
	slices.SortFunc(all, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}

var changeWords = map[string]string{"A": "added", "M": "modified", "D": "removed", "T": "changed"}

// compareLines compares the line counts of the files that both sides have as modified or
// added. The host counts none in what it takes for binary.
func compareLines(ctx context.Context, repo *git.Repo, p Pull, r Range) ([]Difference, error) {
	stats, err := repo.Stat(ctx, r.Base, r.Head)
	if err != nil {
		return nil, tolerateMissing(err)
	}
	byPath := map[string]git.FileStat{}
	for _, st := range stats {
		byPath[st.Path] = st
	}
	var all []Difference
	for _, f := range p.Files {
		st := byPath[f.Path]
		if st.Status != f.Status || f.Added+f.Deleted == 0 || st.Added < 0 {
			continue
		}
		if st.Added != f.Added || st.Deleted != f.Deleted {
			all = append(all, Difference{p.Number, f.Path, fmt.Sprintf("%s +%d -%d", f.Status, f.Added, f.Deleted),
				fmt.Sprintf("%s +%d -%d", st.Status, st.Added, st.Deleted)})
		}
	}
	return all, nil
}

// differing says in words where the split parts from the host's lists.
func differing(repository string, all []Difference) string {
	d, more := all[0], ""
	if n := len(all) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s changes other files than the host lists: %s%s (split_differences)",
		schema.PullName(repository, d.Number), d.Path, more)
}
