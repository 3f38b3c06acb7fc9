package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/schema"
)

// Mirrors is [Git] on the curator's mirrors.
type Mirrors struct {
	*git.Mirrors

	mu      sync.Mutex
	fetched map[string]bool
}

// Tree implements [Git].
func (m *Mirrors) Tree(ctx context.Context, repository, commit string) (Tree, error) {
	r, err := m.Mirror(ctx, repository)
	if err != nil {
		return Tree{}, unavailable(err)
	}
	if err := r.Ensure(ctx, []string{commit}, nil); err != nil {
		return Tree{}, unavailable(err)
	}
	id, err := r.Tree(ctx, commit)
	if err != nil {
		return Tree{}, err
	}
	files, err := r.Files(ctx, id)
	if err != nil {
		return Tree{}, err
	}
	t := Tree{ID: id, LicenseFiles: []string{}}
	for _, f := range files {
		switch {
		case f.Mode == git.ModeSubmodule:
			t.Submodules = append(t.Submodules, schema.Gitlink{Path: f.Path, Commit: f.OID})
		case isLicense(f.Path):
			t.LicenseFiles = append(t.LicenseFiles, f.Path)
		}
	}
	return t, nil
}

// isLicense knows the files at the root that state terms and authors.
func isLicense(p string) bool {
	if strings.Contains(p, "/") {
		return false
	}
	p = strings.ToUpper(p)
	for _, word := range []string{"LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "AUTHORS", "UNLICENSE"} {
		if rest, ok := strings.CutPrefix(p, word); ok && (rest == "" || strings.ContainsAny(rest[:1], ".-_")) {
			return true
		}
	}
	return false
}

// CommitBefore implements [Git].
func (m *Mirrors) CommitBefore(ctx context.Context, repository string, t time.Time) (string, time.Time, error) {
	r, err := m.Mirror(ctx, repository)
	if err != nil {
		return "", time.Time{}, unavailable(err)
	}
	newest, err := r.CommitBefore(ctx, "HEAD", time.Unix(1<<40, 0))
	if err != nil {
		return "", time.Time{}, err
	}
	// A mirror made before t may lack the commit that is asked for.
	if !newest.CommitterTime.After(t) && m.first(repository) {
		if err := r.Fetch(ctx); err != nil {
			return "", time.Time{}, unavailable(err)
		}
	}
	c, err := r.CommitBefore(ctx, "HEAD", t)
	return c.SHA, c.CommitterTime, err
}

// first says whether a repository's mirror is asked to be brought up to date for
// the first time.
func (m *Mirrors) first(repository string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fetched == nil {
		m.fetched = map[string]bool{}
	}
	defer func() { m.fetched[repository] = true }()
	return !m.fetched[repository]
}

// Snapshot implements [Git], and what a release fetches its sources with.
func (m *Mirrors) Snapshot(ctx context.Context, repository, commit string, w io.Writer) error {
	r, err := m.Mirror(ctx, repository)
	if err != nil {
		return unavailable(err)
	}
	if err := r.Ensure(ctx, []string{commit}, nil); err != nil {
		return unavailable(err)
	}
	_, err = r.Snapshot(ctx, commit, w)
	return unavailable(err)
}

// unavailable tells what no repetition brings from trouble on the way.
func unavailable(err error) error {
	var missing *git.MissingError
	var gone *git.GoneError
	if errors.As(err, &missing) || errors.As(err, &gone) {
		return fmt.Errorf("%w (%w)", &UnavailableError{err.Error()}, err)
	}
	return err
}
