package assemble

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
)

// Audit says for how many pulls of a repository the split can be proved.
type Audit struct {
	Repository string      `json:"repository"`
	Checked    int         `json:"checked"`
	Equal      int         `json:"equal"`
	Noted      int         `json:"noted"` // equal, by the merge commit since the head can't be used
	Exceptions []Exception `json:"exceptions"`
}

// Exception is a pull whose split is not proved, with the cause.
type Exception struct {
	Pull  string `json:"pull"`
	Cause string `json:"cause"`
}

// AuditPulls proves the split of every pull, one by one. The blobs of all of them
// are brought first, in few requests.
func AuditPulls(ctx context.Context, repo *git.Repo, pulls []Pull, progress func(done int)) (Audit, error) {
	audit := Audit{Repository: repo.Repository, Exceptions: []Exception{}}
	if err := bring(ctx, repo, pulls); err != nil {
		return audit, err
	}
	for i, p := range pulls {
		split, err := Prove(ctx, repo, p)
		if ctx.Err() != nil {
			return audit, context.Cause(ctx)
		}
		audit.Checked++
		reason, skipped := pipeline.SkipReason(err)
		switch {
		case err == nil && split.Proved():
			audit.Equal++
			if split.Note != "" {
				audit.Noted++
			}
		case err == nil:
			reason = fmt.Sprintf("base with both patches is tree %s, gold is %s", split.Applied, split.GoldTree)
		case !skipped:
			reason = err.Error()
		}
		if reason != "" {
			audit.Exceptions = append(audit.Exceptions, Exception{fmt.Sprintf("%s#%d", repo.Repository, p.Number), reason})
		}
		if progress != nil {
			progress(i + 1)
		}
	}
	return audit, nil
}

// bring fetches commits and pull heads, then the blobs that the pulls touch.
func bring(ctx context.Context, repo *git.Repo, pulls []Pull) error {
	var numbers []int
	var commits []string
	for _, p := range pulls {
		numbers = append(numbers, p.Number)
		commits = append(commits, nonEmpty(p.MergeCommit, p.Head)...)
	}
	if err := tolerateMissing(repo.Ensure(ctx, commits, numbers)); err != nil {
		return err
	}
	var oids []string
	for _, p := range pulls {
		r, err := RangeOf(ctx, repo, p)
		if err != nil {
			continue // said again, and recorded, when it is proved
		}
		changes, err := repo.Changes(ctx, r.Base, r.Head)
		if err != nil {
			continue
		}
		oids = append(oids, git.BlobsOf(changes)...)
	}
	return tolerateMissing(repo.Blobs(ctx, oids))
}

func tolerateMissing(err error) error {
	var missing *git.MissingError
	if errors.As(err, &missing) {
		return nil
	}
	return err
}

var (
	squashed = regexp.MustCompile(`\(#(\d{1,9})\)\s*$`)
	merged   = regexp.MustCompile(`^Merge pull request #(\d{1,9}) from `)
)

// MergedIn reads merged pulls from the history itself, where there is no crawl: the
// first-parent commits of the default branch whose subject ends in (#N) or reads
// "Merge pull request #N from …", oldest first.
func MergedIn(ctx context.Context, repo *git.Repo, since time.Time) ([]Pull, error) {
	branch, err := repo.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	line, err := repo.FirstParents(ctx, "refs/heads/"+branch)
	if err != nil {
		return nil, err
	}
	var pulls []Pull
	seen := map[int]bool{}
	for _, c := range line {
		m := merged.FindStringSubmatch(c.Subject)
		if m == nil {
			m = squashed.FindStringSubmatch(c.Subject)
		}
		if m == nil || c.CommitterTime.Before(since) {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n == 0 || seen[n] {
			continue
		}
		seen[n] = true
		pulls = append(pulls, Pull{Number: n, MergedAt: c.CommitterTime, MergeCommit: c.SHA})
	}
	for i, j := 0, len(pulls)-1; i < j; i, j = i+1, j-1 {
		pulls[i], pulls[j] = pulls[j], pulls[i]
	}
	return pulls, nil
}
