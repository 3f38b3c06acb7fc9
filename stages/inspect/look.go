package inspect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/git"
)

// maxFiles is where the host stops listing a pull's files.
const maxFiles = 3000

// look is what was found about one pull.
type look struct {
	member   member
	files    []file
	complete bool
	issues   []issue
	comments []comment
	found    []found
	depends  []dependency
	repo     *git.Repo // nil: the files came from the host
	base     string    // the merge base, where repo is there
	listOnly bool      // the paths are all that is asked for
	from     string    // whose list of files it is: host, mirror
	unread   bool      // the host gave no diff of a manifest, or a submodule's commit without its repository
	// The checks.
	available, test, source, linux bool
	families                       []string
	reason                         string // why one fails, '' where all hold
}

type file struct {
	path, previous, status string
	added, deleted         int
	role                   filerole.Role
}

type comment struct {
	id                 int64
	kind               string
	origin             string // the host's anchor of it
	author, authorType string
	body               string
	at                 time.Time
}

// unavailable is a fact about a pull: what can't be read of it, and why.
type unavailable struct{ reason string }

func (e unavailable) Error() string { return e.reason }

func (s Stage) look(ctx context.Context, m member) (look, error) {
	l := look{member: m}
	if !m.Merged {
		l.reason = "not merged"
		return l, nil
	}
	err := s.files(ctx, m, &l)
	var gone unavailable
	switch {
	case errors.As(err, &gone):
		l.reason = gone.reason
		return l, nil
	case err != nil:
		return l, err
	}
	l.available = true
	l.check()
	return l, nil
}

// files reads the pull's files from the mirror or from the host.
func (s Stage) files(ctx context.Context, m member, l *look) error {
	if m.FromGit {
		err := s.filesOfGit(ctx, m, l)
		var gone unavailable
		if s.API == nil || !errors.As(err, &gone) {
			return err
		}
		l.files, l.depends, l.repo = nil, nil, nil // the host may still know what the mirror lacks
	}
	if s.API == nil {
		return pipeline.Need("inspect has neither an API nor mirrors to read files from; check github.api_url and " +
			"git.url_template")
	}
	return s.filesOfAPI(ctx, m, l)
}

// open finds the pull in the mirror of its repository: l.repo and l.base.
func (s Stage) open(ctx context.Context, m member, l *look) error {
	if s.API != nil && m.HeadSHA == m.MergeCommit {
		return unavailable{"pushed to the branch: its history does not tell where the pull begins"}
	}
	repo, err := s.Mirrors.Mirror(ctx, m.Repository)
	if err != nil {
		return factual(err)
	}
	if err := repo.Ensure(ctx, nonEmpty(m.MergeCommit, m.HeadSHA), []int{m.Number}); err != nil {
		return factual(err)
	}
	before, err := repo.FirstParent(ctx, m.MergeCommit)
	if err != nil {
		return factual(err)
	}
	base, err := repo.MergeBase(ctx, m.HeadSHA, before)
	if err != nil {
		return err
	}
	if base == "" {
		return unavailable{"head and branch share no history"}
	}
	l.repo, l.base = repo, base
	return nil
}

// filesOfGit compares the merge base with the head, as the host does.
func (s Stage) filesOfGit(ctx context.Context, m member, l *look) error {
	if err := s.open(ctx, m, l); err != nil {
		return err
	}
	stats, err := l.repo.Stat(ctx, l.base, m.HeadSHA)
	if err != nil {
		return factual(err)
	}
	for _, st := range stats {
		l.files = append(l.files, file{path: st.Path, previous: st.PreviousPath, status: st.Status,
			added: max(st.Added, 0), deleted: max(st.Deleted, 0)})
	}
	l.complete, l.from = true, "mirror"
	if l.listOnly {
		return nil
	}
	return factual(l.dependenciesOfGit(ctx))
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

const commitsGone = "commits gone"

// factual tells what is so about the repository from trouble of ours.
func factual(err error) error {
	if err == nil {
		return nil
	}
	var gone *git.GoneError
	var missing *git.MissingError
	switch {
	case errors.As(err, &gone):
		return unavailable{"repository gone or private"}
	case errors.As(err, &missing):
		return unavailable{commitsGone}
	}
	return err
}

// iosName is a repository that by its name is for iOS alone.
var iosName = regexp.MustCompile(`(?i)(?:^|[-_.])(?:ios|iphone|ipados|cocoapods)(?:[-_.]|$)`)

// crossPlatform are the languages of code that runs on phones and is tested anywhere.
var crossPlatform = map[string]bool{"JavaScript": true, "TypeScript": true, "TSX": true, "JSX": true, "Dart": true}

// check applies the rules to the files.
func (l *look) check() {
	foreign, native, shared := map[string]bool{}, 0, false
	written := map[string]bool{}
	for i := range l.files {
		f := &l.files[i]
		f.role = filerole.Of(f.path)
		if family := filerole.Family(f.path); family != "" {
			written[family] = true
		}
		l.test = l.test || f.role == filerole.Test && f.status != "removed"
		l.source = l.source || f.role == filerole.Source
		if f.role != filerole.Source && f.role != filerole.Test {
			continue
		}
		if p := filerole.Platform(f.path); p != "" {
			foreign[p] = true
		} else {
			native++
			shared = shared || crossPlatform[filerole.Language(f.path)]
		}
	}
	l.families = slices.Sorted(maps.Keys(written))
	// A folder for iOS beside other changes is no obstacle, nor is a name where the
	// change is in a language of React Native or Flutter.
	l.linux = (native > 0 || len(foreign) == 0) && (shared || !iosName.MatchString(l.member.repositoryName()))
	switch {
	case len(l.files) == 0:
		l.reason = "no files"
	case !l.test:
		l.reason = "no test change"
	case !l.source:
		l.reason = "no source change"
	case !l.linux:
		l.reason = "not for Linux"
	}
}

func (m member) repositoryName() string {
	for i := len(m.Repository) - 1; i >= 0; i-- {
		if m.Repository[i] == '/' {
			return m.Repository[i+1:]
		}
	}
	return m.Repository
}

// append stores the rows of the pull.
func (l look) append(ctx context.Context, tx pipeline.Tx) error {
	id, n := l.member.RepositoryID, l.member.Number
	var files, issues, comments [][]any
	for _, f := range l.files {
		files = append(files, []any{id, n, f.path, f.previous, f.status, f.added, f.deleted, string(f.role)})
	}
	for _, i := range l.issues {
		issues = append(issues, []any{id, n, i.RepositoryID, i.Number, i.Relation, i.Title, i.Body})
	}
	for _, c := range l.comments {
		var at any
		if !c.at.IsZero() {
			at = c.at.UTC()
		}
		comments = append(comments, []any{id, n, c.id, c.kind, c.author, c.authorType, c.body, at})
	}
	for _, t := range []struct {
		table string
		rows  [][]any
	}{{"pull_files", files}, {"linked_issues", issues}, {"pull_comments", comments},
		{"pull_facts", [][]any{{id, n, l.available, len(l.files), l.complete, l.test, l.source, l.linux, l.reason,
			values(l.member.Flags), values(l.families), l.from}}},
		{"inspected_references", l.referenceRows()}, {"dependency_evidence", l.dependencyRows()}} {
		if err := tx.Append(ctx, t.table, t.rows); err != nil {
			return fmt.Errorf("storing %s of %s: %w", t.table, l.member.name(), err)
		}
	}
	return nil
}
