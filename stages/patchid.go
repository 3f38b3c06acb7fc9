package stages

import (
	"context"
	"errors"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/stages/assemble"
)

// patchID gives dedupe the patch ids of pulls, by the git mirrors: "" for a pull
// whose commits nobody has.
func patchID(d Deps) func(ctx context.Context, repositoryID int64, number int) (string, error) {
	return func(ctx context.Context, repositoryID int64, number int) (string, error) {
		repository, pull, err := mergedPull(ctx, d.DB, repositoryID, number)
		if err != nil || repository == "" {
			return "", err
		}
		id, err := patchIDOf(ctx, d.Mirrors, repository, pull)
		var gone *git.GoneError
		var missing *git.MissingError
		if _, skip := pipeline.SkipReason(err); skip || errors.As(err, &gone) || errors.As(err, &missing) {
			return "", nil
		}
		return id, err
	}
}

func mergedPull(ctx context.Context, db pipeline.Queryer, repositoryID int64, number int) (string, assemble.Pull,
	error) {
	type row struct {
		repository string
		pull       assemble.Pull
	}
	rows, err := db.Query(ctx, `SELECT repository, number, merged_at, merge_commit_sha, head_sha, base_sha
		FROM pulls WHERE repository_id = ? AND number = ?`, repositoryID, number)
	if err != nil {
		return "", assemble.Pull{}, err
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.repository, &r.pull.Number, &r.pull.MergedAt, &r.pull.MergeCommit, &r.pull.Head, &r.pull.HostBase}
	})
	if err != nil || len(list) == 0 {
		return "", assemble.Pull{}, err
	}
	return list[0].repository, list[0].pull, nil
}

func patchIDOf(ctx context.Context, mirrors *git.Mirrors, repository string, p assemble.Pull) (string, error) {
	repo, err := mirrors.Mirror(ctx, repository)
	if err != nil {
		return "", err
	}
	// A head that is gone is no obstacle: the merge commit serves.
	var missing *git.MissingError
	if err := repo.Ensure(ctx, []string{p.MergeCommit, p.Head}, []int{p.Number}); err != nil && !errors.As(err, &missing) {
		return "", err
	}
	r, err := assemble.RangeOf(ctx, repo, p)
	if err != nil {
		return "", err
	}
	return repo.PatchID(ctx, r.Base, r.Head)
}
