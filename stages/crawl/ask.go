package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/reference"
)

// askName finds out what a written name means today.
func (w *wanted) askName(ctx context.Context, written string) error {
	n := note{Kind: noteAlias, Written: written, At: w.stage.now()}
	path, err := github.RepositoryPath(written)
	if err != nil { // no name that the host could have
		if err := w.stage.remark(n); err != nil {
			return err
		}
		return w.stage.storeAlias(ctx, written, nil, "", "missing", n.At)
	}
	pg, err := w.stage.GitHub.Fetch(ctx, github.Request{Pin: written, Path: path, Note: n})
	if err := w.stage.nameAnswer(ctx, written, w.repos, pg, err); err != nil {
		return fmt.Errorf("asking what %s means: %w", written, err)
	}
	return nil
}

// nameAnswer stores what the host says of a written name.
func (s Stage) nameAnswer(ctx context.Context, written string, repos map[int64]repository, pg *github.Page,
	err error) error {
	switch github.KindOf(err) {
	case github.Missing, github.Deleted:
		return s.storeAlias(ctx, written, nil, "", "missing", s.answered(err))
	case github.Blocked, github.Forbidden:
		return s.storeAlias(ctx, written, nil, "", "blocked", s.answered(err))
	}
	if err != nil {
		return err
	}
	var r github.Repository
	if err := json.Unmarshal(pg.Body, &r); err != nil || r.ID == 0 {
		return fmt.Errorf("the answer is no repository (%v)", err)
	}
	if have, ok := repos[r.ID]; ok {
		return s.storeAlias(ctx, written, r.ID, have.Name, "renamed", pg.FetchedAt)
	}
	return s.storeAlias(ctx, written, r.ID, clean(r.FullName), "outside", pg.FetchedAt)
}

func (s Stage) storeAlias(ctx context.Context, written string, id any, present, state string, at time.Time) error {
	row := []any{strings.ToLower(written), id, present, state, at}
	return s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, "repository_aliases", [][]any{row})
	})
}

// number is a pull or an issue that nobody has stored.
type number struct {
	repo repository
	n    int
	kind reference.Kind
}

// unknownNumbers are the named numbers of this ecosystem's repositories that are
// stored neither as a pull nor as an issue.
func (w *wanted) unknownNumbers(ctx context.Context) ([]number, error) {
	if err := w.readInventory(ctx); err != nil {
		return nil, err
	}
	stored, err := w.stored(ctx)
	if err != nil {
		return nil, err
	}
	var out []number
	for _, v := range w.resolved() {
		if _, ok := stored[[2]int64{v.repo.ID, int64(v.n)}]; !ok && w.fetchable(v.repo) {
			out = append(out, v)
		}
	}
	return out, nil
}

// fetchable leaves out what the host would refuse, and forks: their numbers are
// not those of the repository that people mean.
func (w *wanted) fetchable(r repository) bool {
	switch r.State {
	case ok, archived, quiet, pullsOff:
		return true
	}
	return false
}

// resolved gives each named number once, under the repository it means.
func (w *wanted) resolved() []number {
	byKey := map[[2]int64]number{}
	for m, kind := range w.refs {
		if m.number > math.MaxInt32 {
			continue
		}
		found, ok := w.inventory.Resolve(reference.Reference{Owner: m.owner, Name: m.name, RepositoryID: m.id})
		if !ok || found.Ecosystem != w.ecosystem {
			continue
		}
		key := [2]int64{found.ID, int64(m.number)}
		if have, ok := byKey[key]; !ok || have.kind != reference.Pull {
			byKey[key] = number{w.repos[found.ID], m.number, kind}
		}
	}
	out := make([]number, 0, len(byKey))
	for _, v := range byKey {
		out = append(out, v)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].repo.Name != out[j].repo.Name {
			return out[i].repo.Name < out[j].repo.Name
		}
		return out[i].n < out[j].n
	})
	return out
}

// stored gives the numbers that need no request. Of a repository whose first pass
// has not ended, every number may still come: none is asked for.
func (w *wanted) stored(ctx context.Context) (map[[2]int64]struct{}, error) {
	rows, err := w.stage.DB.Query(ctx, `
		SELECT repository_id, number FROM pull_versions SEMI JOIN (SELECT repository_id FROM repositories WHERE ecosystem = ?) USING (repository_id)
		UNION SELECT repository_id, number FROM issue_versions SEMI JOIN (SELECT repository_id FROM repositories WHERE ecosystem = ?) USING (repository_id)`,
		w.ecosystem, w.ecosystem)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(k *[2]int64) []any { return []any{&k[0], &k[1]} })
	if err != nil {
		return nil, err
	}
	out := make(map[[2]int64]struct{}, len(list))
	for _, k := range list {
		out[k] = struct{}{}
	}
	rows, err = w.stage.DB.Query(ctx, `SELECT DISTINCT repository_id FROM crawl_passes`)
	if err != nil {
		return nil, err
	}
	ids, err := pipeline.Scan[int64](rows, nil)
	read := map[int64]bool{}
	for _, id := range ids {
		read[id] = true
	}
	for _, v := range w.resolved() {
		if v.repo.State == ok && !read[v.repo.ID] {
			out[[2]int64{v.repo.ID, int64(v.n)}] = struct{}{}
		}
	}
	return out, err
}

// askNumber fetches a pull or an issue. Where the text does not say which it is,
// the issue tells: it is both.
func (w *wanted) askNumber(ctx context.Context, v number) error {
	var err error
	done := false
	if v.kind == reference.Pull {
		if done, err = w.askPull(ctx, v); err == nil && !done {
			_, err = w.askIssue(ctx, v)
		}
	} else if done, err = w.askIssue(ctx, v); err == nil && !done {
		if done, err = w.askPull(ctx, v); err == nil && !done {
			// The list says pull and the pull is not to be had.
			n := note{Kind: noteMissing, Repository: v.repo.ID, Number: v.n, At: w.stage.now()}
			if err = w.stage.remark(n); err == nil {
				err = w.stage.storeIssue(ctx, v.repo.ID, v.n, github.Issue{}, "missing", n.At)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("fetching %s#%d: %w", v.repo.Name, v.n, err)
	}
	return nil
}

func (w *wanted) fetch(ctx context.Context, v number, what string) (*github.Page, error) {
	path, err := github.RepositoryPath(v.repo.Name, what, strconv.Itoa(v.n))
	if err != nil {
		return nil, err
	}
	return w.stage.GitHub.Fetch(ctx, github.Request{Pin: v.repo.Name, Path: path,
		Note: note{Kind: noteNumber, Repository: v.repo.ID, Number: v.n, What: what}})
}

// askPull stores the pull and says whether there is one.
func (w *wanted) askPull(ctx context.Context, v number) (bool, error) {
	pg, err := w.fetch(ctx, v, "pulls")
	return w.stage.pullAnswer(ctx, v.repo.ID, v.n, pg, err)
}

func (s Stage) pullAnswer(ctx context.Context, id int64, number int, pg *github.Page, err error) (bool, error) {
	if refusal(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var p github.Pull
	if err := json.Unmarshal(pg.Body, &p); err != nil {
		return false, err
	}
	if p.Number != number {
		return false, fmt.Errorf("the answer is pull %d", p.Number)
	}
	row := pullRow(id, p, "linked", pg.FetchedAt)
	return true, s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, "pull_versions", [][]any{row})
	})
}

// askIssue stores the issue, or that there is none. False says that the number is
// a pull's.
func (w *wanted) askIssue(ctx context.Context, v number) (bool, error) {
	pg, err := w.fetch(ctx, v, "issues")
	return w.stage.issueAnswer(ctx, v.repo.ID, v.n, pg, err)
}

func (s Stage) issueAnswer(ctx context.Context, id int64, number int, pg *github.Page, err error) (bool, error) {
	if refusal(err) {
		return true, s.storeIssue(ctx, id, number, github.Issue{}, "missing", s.answered(err))
	}
	if err != nil {
		return false, err
	}
	var i github.Issue
	if err := json.Unmarshal(pg.Body, &i); err != nil {
		return false, err
	}
	if i.PullRequest != nil {
		return false, nil
	}
	// A transferred issue answers from where it is now; its text is what counts.
	return true, s.storeIssue(ctx, id, number, i, "issue", pg.FetchedAt)
}

// storeIssue keeps what a number turned out to be, under the number that was named.
func (s Stage) storeIssue(ctx context.Context, id int64, number int, i github.Issue, kind string, at time.Time) error {
	author, typ := account(i.User)
	row := []any{id, int32(number), kind, clean(i.State), clean(i.Title), clean(i.Body), author, typ, labels(i.Labels),
		stamp(i.CreatedAt), stamp(i.UpdatedAt), stamp(i.ClosedAt), at}
	return s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, "issue_versions", [][]any{row})
	})
}

// refusal says whether the host's answer is that there is nothing to be had.
func refusal(err error) bool {
	switch github.KindOf(err) {
	case github.Missing, github.Deleted, github.Blocked, github.Forbidden:
		return true
	}
	return false
}

// markLinked marks the named pulls that a pass stored although they were merged
// before the window: without the mark they would not count as named.
func (w *wanted) markLinked(hash string) pipeline.Write {
	named := w.resolved()
	return func(ctx context.Context, tx pipeline.Tx) error {
		rows, err := tx.Query(ctx, `SELECT repository_id, number FROM all_pulls
			WHERE ecosystem = ? AND merged_at IS NOT NULL AND NOT in_window AND NOT linked`, w.ecosystem)
		if err != nil {
			return err
		}
		list, err := pipeline.Scan(rows, func(k *[2]int64) []any { return []any{&k[0], &k[1]} })
		if err != nil {
			return err
		}
		old := map[[2]int64]bool{}
		for _, k := range list {
			old[k] = true
		}
		n := note{Kind: noteLinked, Ecosystem: w.ecosystem, Hash: hash, At: w.stage.now()}
		for _, v := range named {
			if key := [2]int64{v.repo.ID, int64(v.n)}; old[key] {
				n.Marked = append(n.Marked, key)
			}
		}
		if err := w.stage.remark(n); err != nil {
			return err
		}
		return mark(ctx, tx, n.Marked)
	}
}

func mark(ctx context.Context, tx pipeline.Tx, keys [][2]int64) error {
	for _, k := range keys {
		if err := tx.Exec(ctx, markSQL, k[0], k[1]); err != nil {
			return err
		}
	}
	return nil
}

// markSQL repeats a pull's latest version with the source linked.
const markSQL = `INSERT INTO pull_versions
	SELECT repository_id, number, state, title, body, author, author_type, labels, draft, created_at, updated_at,
	closed_at,
	       merged_at, merge_commit_sha, base_ref, base_sha, head_ref, head_sha, head_repository, 'linked', fetched_at
	FROM pull_versions WHERE repository_id = ? AND number = ?
	QUALIFY row_number() OVER (ORDER BY fetched_at DESC, rowid DESC) = 1`
