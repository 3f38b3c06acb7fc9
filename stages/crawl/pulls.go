package crawl

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// pullsItems lists the repositories of the inventory. What decides whether there
// is something new to read is when they were last pushed to: a merge is a push.
func (s Stage) pullsItems(ctx context.Context) ([]pipeline.Item[repository], error) {
	list, err := s.inventory(ctx)
	if err != nil {
		return nil, err
	}
	looks, err := s.looks(ctx)
	if err != nil {
		return nil, err
	}
	items, seen, now := make([]pipeline.Item[repository], 0, len(list)), map[string]bool{}, s.now()
	for _, r := range list {
		if seen[r.Name] {
			continue // a name given anew, between the lists of two ecosystems
		}
		seen[r.Name] = true
		r.due, r.look = looks[r.ID].due(r, s.FullPass.Duration, now)
		items = append(items, pipeline.Item[repository]{ID: pullsPhase + r.Name, Hash: s.pullsHash(r), Value: r})
	}
	return items, nil
}

func (s Stage) pullsHash(r repository) string {
	if r.look.IsZero() {
		return pipeline.Hash(r.ID, r.State, pushed(r), s.since())
	}
	return pipeline.Hash(r.ID, r.State, pushed(r), s.since(), r.look)
}

func pushed(r repository) string {
	if !r.PushedAt.Valid {
		return ""
	}
	return r.PushedAt.Time.UTC().Format(time.RFC3339)
}

// pullsWork reads the closed pulls of one repository.
func (s Stage) pullsWork(log *slog.Logger) pipeline.Work[repository] {
	return func(ctx context.Context, r repository) (pipeline.Write, error) {
		if r.State != ok && !r.due {
			return nil, pipeline.Skip("%s", why[r.State])
		}
		p, err := s.openPass(ctx, r, log)
		if err != nil {
			return nil, err
		}
		write, err := p.run(ctx)
		if kind := github.KindOf(err); kind != "" {
			return s.refused(ctx, r, kind, err)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the pulls of %s: %w", r.Name, err)
		}
		return write, nil
	}
}

// refused tells what a final refusal of the list means: a repository that can
// still be read has its pulls switched off.
func (s Stage) refused(ctx context.Context, r repository, kind github.Kind, err error) (pipeline.Write, error) {
	switch kind {
	case github.Blocked, github.Forbidden:
		r.State = blocked
	case github.Empty:
		r.State = empty
	case github.Deleted:
		r.State = gone
	case github.Missing:
		path, perr := github.RepositoryPath(r.Name)
		if perr != nil {
			return nil, perr
		}
		_, perr = s.GitHub.Fetch(ctx, github.Request{Pin: r.Name, Path: path})
		switch github.KindOf(perr) {
		case github.Missing, github.Deleted:
			r.State = gone
		case github.Blocked, github.Forbidden:
			r.State = blocked
		case "":
			if perr != nil {
				return nil, perr
			}
			r.State = pullsOff
		default:
			return nil, perr
		}
	default:
		return nil, err
	}
	at := s.now()
	looked := at
	if r.due {
		looked = r.look
	}
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := s.remark(note{Kind: noteState, Repository: r.ID, Ecosystem: r.Ecosystem, State: r.State, At: at,
			Looked: looked}); err != nil {
			return err
		}
		if err := tx.Append(ctx, "repository_versions", [][]any{r.row(at)}); err != nil {
			return err
		}
		return look(ctx, tx, r.ID, looked)
	}, pipeline.Skip("%s", why[r.State])
}

// earlier is what the passes of a repository that ended left.
type earlier struct {
	since     sql.NullTime // how far down the passes reach that the next one goes on from
	highWater sql.NullTime // and how far up
	etag      string       // of the newest page as the last pass saw it
	stored    string       // the key of the page stored last, of any pass
}

func (s Stage) earlier(ctx context.Context, id int64) (earlier, error) {
	rows, err := s.DB.Query(ctx, `SELECT arg_max(since, high_water), max(high_water),
			coalesce((SELECT arg_max(archive, (stored_at, rowid)) FROM crawl_pages WHERE repository_id = ?), '')
		FROM crawl_passes WHERE repository_id = ? AND since <= ?`, id, id, s.since())
	if err != nil {
		return earlier{}, err
	}
	got, err := pipeline.Scan(rows, func(e *earlier) []any { return []any{&e.since, &e.highWater, &e.stored} })
	if err != nil || len(got) == 0 {
		return earlier{}, err
	}
	e := got[0]
	if !e.highWater.Valid {
		return e, nil
	}
	// Pages of a pass that broke don't count: an unchanged first page says nothing
	// of what it had still to read.
	rows, err = s.DB.Query(ctx, `SELECT arg_max(etag, stored_at) FROM crawl_pages SEMI JOIN crawl_passes USING (repository_id, pass_started)
		WHERE repository_id = ? AND row_offset = 0 AND per_page = ?`, id, fullPage)
	if err != nil {
		return earlier{}, err
	}
	tags, err := pipeline.Scan[sql.NullString](rows, nil)
	if err == nil && len(tags) == 1 {
		e.etag = tags[0].String
	}
	return e, err
}

// opened is a pass that began and did not end.
type opened struct {
	started time.Time
	cutoff  time.Time
	round   int
	offset  int64 // of the last page stored in the first round
	pages   int
	rows    int64
}

// broken gives the open pass of a repository, where there is one with this cut-off.
func (s Stage) broken(ctx context.Context, id int64, cutoff time.Time) (opened, bool, error) {
	rows, err := s.DB.Query(ctx, `SELECT pass_started, cutoff, max(round), coalesce(max(row_offset) FILTER (round = 1), 0), count(*)::INTEGER, sum(rows)::BIGINT
		FROM crawl_pages p
		WHERE repository_id = ? AND cutoff = ?
		AND NOT EXISTS (SELECT 1 FROM crawl_passes d WHERE d.repository_id = p.repository_id AND d.pass_started >= p.pass_started)
		GROUP BY pass_started, cutoff ORDER BY pass_started DESC LIMIT 1`, id, cutoff)
	if err != nil {
		return opened{}, false, err
	}
	got, err := pipeline.Scan(rows, func(o *opened) []any {
		return []any{&o.started, &o.cutoff, &o.round, &o.offset, &o.pages, &o.rows}
	})
	if err != nil || len(got) == 0 {
		return opened{}, false, err
	}
	return got[0], true, nil
}

// known gives the newest stored version of each pull at or above the cut-off.
func (s Stage) known(ctx context.Context, id int64, cutoff time.Time) (map[int]time.Time, error) {
	rows, err := s.DB.Query(ctx, `SELECT number, max(updated_at) FROM pull_versions
		WHERE repository_id = ? AND source = 'list' AND updated_at >= ? GROUP BY number`, id, cutoff)
	if err != nil {
		return nil, err
	}
	type version struct {
		number  int
		updated time.Time
	}
	list, err := pipeline.Scan(rows, func(v *version) []any { return []any{&v.number, &v.updated} })
	out := make(map[int]time.Time, len(list))
	for _, v := range list {
		out[v.number] = v.updated.UTC()
	}
	return out, err
}

// pullRow is a pull as pull_versions holds it.
func pullRow(id int64, p github.Pull, source string, at time.Time) []any {
	author, typ := account(p.User)
	head := ""
	if p.Head.Repository != nil {
		head = clean(p.Head.Repository.FullName)
	}
	return []any{id, int32(p.Number), clean(p.State), clean(p.Title), clean(p.Body), author, typ, labels(p.Labels),
		p.Draft,
		stamp(p.CreatedAt), stamp(p.UpdatedAt), stamp(p.ClosedAt), stamp(p.MergedAt), clean(p.MergeCommitSHA),
		clean(p.Base.Ref), clean(p.Base.SHA), clean(p.Head.Ref), clean(p.Head.SHA), head, source, at}
}

func account(a *github.Account) (login, typ string) {
	if a == nil {
		return "", ""
	}
	return clean(a.Login), clean(a.Type)
}

func labels(in []github.Label) []string {
	out := make([]string, 0, len(in))
	for _, l := range in {
		out = append(out, clean(l.Name))
	}
	return out
}

func stamp(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC()
}
