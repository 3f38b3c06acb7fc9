package inspect

import (
	"context"
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/reference"
)

// manifestsPrefix begins the items that are a repository's history: what the manifests of
// its merged pulls begin to use. People name a sibling's change by a line of go.mod alone.
const manifestsPrefix = "manifests:"

// history is such a repository.
type history struct {
	ID         int64
	Repository string
	Pulls      string // a digest of those that are read
}

// historyPulls chooses the merged pulls that people wrote.
const historyPulls = `FROM pulls p WHERE p.in_window AND p.merge_commit_sha <> '' AND p.author_type <> 'Bot'`

func (s Stage) histories(ctx context.Context) ([]pipeline.Item[candidate], error) {
	if !s.Manifests || s.Mirrors == nil {
		return nil, nil
	}
	rows, err := s.DB.Query(ctx, `SELECT p.repository_id, p.repository,
		md5(string_agg(p.number || ' ' || p.merge_commit_sha, ',' ORDER BY p.number)) `+historyPulls+`
		GROUP BY ALL ORDER BY p.repository_id`)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(h *history) []any { return []any{&h.ID, &h.Repository, &h.Pulls} })
	var items []pipeline.Item[candidate]
	for _, h := range list {
		id := fmt.Sprintf("%s%d", manifestsPrefix, h.ID)
		items = append(items, pipeline.Item[candidate]{ID: id, Value: candidate{ID: id, History: &h}})
	}
	return items, err
}

// readHistory is the work on a repository: its mirror is fetched, and the manifests of all
// its pulls in few requests.
func (s Stage) readHistory(ctx context.Context, h history) (pipeline.Write, error) {
	changed, repo, err := s.changedManifests(ctx, h)
	if gone, is := factual(err).(unavailable); is {
		return removeHistory(fmt.Sprint(h.ID)), pipeline.Skip("%s", gone.reason)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the manifests of %s: %w", h.Repository, err)
	}
	var rows [][]any
	for _, c := range changed {
		found, err := c.read(ctx, repo)
		if err != nil {
			return nil, fmt.Errorf("reading the manifests of %s#%d: %w", h.Repository, c.number, err)
		}
		l := look{member: member{RepositoryID: h.ID, Number: c.number}, depends: found}
		rows = append(rows, l.dependencyRows()...)
	}
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := removeHistory(fmt.Sprint(h.ID))(ctx, tx); err != nil {
			return err
		}
		return tx.Append(ctx, "manifest_evidence", rows)
	}, nil
}

func removeHistory(id string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "DELETE FROM manifest_evidence WHERE repository_id::VARCHAR = ?",
			strings.TrimPrefix(id, manifestsPrefix))
	}
}

// manifestChange is what a pull's merge changes of manifests.
type manifestChange struct {
	number        int
	before, after string // commits
	changes       []git.Change
}

// changedManifests compares every pull's merge commit with its first parent, by trees, and
// then brings the manifests of all.
func (s Stage) changedManifests(ctx context.Context, h history) ([]manifestChange, *git.Repo, error) {
	type row struct {
		number int
		merge  string
	}
	rows, err := s.DB.Query(ctx, "SELECT p.number, p.merge_commit_sha "+historyPulls+
		" AND p.repository_id = ? ORDER BY p.number", h.ID)
	if err != nil {
		return nil, nil, err
	}
	pulls, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.number, &r.merge} })
	if err != nil {
		return nil, nil, err
	}
	repo, err := s.Mirrors.Mirror(ctx, h.Repository)
	if err != nil {
		return nil, nil, err
	}
	var commits, blobs []string
	for _, p := range pulls {
		commits = append(commits, p.merge)
	}
	if err := tolerated(repo.Ensure(ctx, commits, nil)); err != nil {
		return nil, nil, err
	}
	var all []manifestChange
	for _, p := range pulls {
		c := manifestChange{number: p.number, after: p.merge}
		if err := c.find(ctx, repo); err != nil {
			return nil, nil, err
		}
		if len(c.changes) > 0 {
			all = append(all, c)
			blobs = append(blobs, git.BlobsOf(c.changes)...)
		}
	}
	return all, repo, tolerated(repo.Blobs(ctx, blobs))
}

// find lists the manifests and submodules that differ; a commit that is gone has none.
func (c *manifestChange) find(ctx context.Context, repo *git.Repo) (err error) {
	if c.before, err = repo.FirstParent(ctx, c.after); err != nil || c.before == "" {
		return tolerated(err)
	}
	changes, err := repo.Changes(ctx, c.before, c.after)
	for _, ch := range changes {
		if ch.NewMode == git.ModeSubmodule || ch.Status != "D" && reference.DependencyFile(ch.Path) {
			c.changes = append(c.changes, ch)
		}
	}
	return err
}

func (c *manifestChange) read(ctx context.Context, repo *git.Repo) ([]dependency, error) {
	diff, err := repo.DiffOf(ctx, c.before, c.after, c.changes)
	if err != nil {
		return nil, tolerated(err)
	}
	files, err := patch.Parse(diff)
	if err != nil {
		return nil, err
	}
	var l look
	for _, f := range files {
		l.depend(f.Path(), string(f.Raw), nil)
	}
	return l.depends, nil
}

// tolerated leaves out what nobody has any more.
func tolerated(err error) error {
	if gone, is := factual(err).(unavailable); is && gone.reason == commitsGone {
		return nil
	}
	return err
}
