package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

const (
	fullPage = 100
	// margin is for clocks that differ and for answers from a copy that lags.
	margin = 5 * time.Minute
	// impatience is how often a page that can still be made smaller is asked for.
	impatience = 3
)

// pageSizes are tried in turn where the host can't answer a page in its time.
var pageSizes = []int64{fullPage, 50, 25, 10}

// pass reads the closed pulls of a repository, the last updated first, down to a
// cut-off. While it reads, pulls that someone touches jump to the front and are
// missed: so the front is read again until a round needs one page only, and only
// then is everything updated before the start known to be here.
type pass struct {
	stage   Stage
	log     *slog.Logger
	repo    repository
	path    string
	started time.Time // before the first request
	since   time.Time // what the passes together reach down to
	cutoff  time.Time // what this one reads down to
	known   map[int]time.Time
	etag    string
	resume  *opened
	ahead   time.Duration // how much our clock may be ahead of the host's
	pages   int
	rows    int64
	stored  string // the key of the page stored last, of any pass
}

// openPass begins a pass, or takes up the one that broke.
func (s Stage) openPass(ctx context.Context, r repository, log *slog.Logger) (*pass, error) {
	path, err := github.RepositoryPath(r.Name, "pulls")
	if err != nil {
		return nil, err
	}
	done, err := s.earlier(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	p := &pass{stage: s, log: log, repo: r, path: path, started: s.now(), since: s.since(), cutoff: s.since(),
		etag: done.etag, stored: done.stored}
	if done.highWater.Valid {
		p.since = done.since.Time.UTC()
		if up := done.highWater.Time.UTC().Add(-margin); up.After(p.cutoff) {
			p.cutoff = up
		}
	}
	if p.known, err = s.known(ctx, r.ID, p.cutoff); err != nil {
		return nil, err
	}
	open, found, err := s.broken(ctx, r.ID, p.cutoff)
	if err != nil || !found {
		return p, err
	}
	p.started, p.pages, p.rows, p.resume, p.etag = open.started.UTC(), open.pages, open.rows, &open, ""
	return p, nil
}

// run reads until the front is quiet, and returns how to end the pass.
func (p *pass) run(ctx context.Context) (pipeline.Write, error) {
	round, offset := 1, int64(0)
	if p.resume != nil {
		// The last page stored is read again, as an overlap.
		round, offset = min(p.resume.round, 2), p.resume.offset
		if round > 1 {
			offset = 0
		}
	}
	down := p.cutoff
	if round > 1 {
		down = later(p.cutoff, p.started.Add(-margin))
	}
	for {
		begun := p.stage.now().Add(-p.ahead)
		pages, err := p.round(ctx, round, offset, down)
		if err != nil {
			return nil, err
		}
		// One page read in one go has no gap to look for.
		if pages <= 1 && offset == 0 {
			return p.end(), nil
		}
		if round == 1 {
			begun = p.started
		}
		round, offset, down = round+1, 0, later(p.cutoff, begun.Add(-margin))
	}
}

// round reads pages from an offset until one reaches below down.
func (p *pass) round(ctx context.Context, round int, offset int64, down time.Time) (pages int, err error) {
	for {
		pg, size, err := p.fetch(ctx, round, offset)
		if err != nil {
			return pages, err
		}
		pages++
		if pg.NotModified {
			return pages, nil
		}
		oldest, err := p.store(ctx, pg, round, offset, size)
		if err != nil {
			return pages, err
		}
		// A page may hold fewer rows than asked for and still have a next one.
		if pg.Next == "" || !oldest.IsZero() && oldest.Before(down) {
			return pages, nil
		}
		offset += size
	}
}

// fetch asks for the page at an offset, smaller where the host can't answer a
// full one. A page starts at a multiple of its size.
func (p *pass) fetch(ctx context.Context, round int, offset int64) (*github.Page, int64, error) {
	var last error
	for i, size := range pageSizes {
		if offset%size != 0 {
			continue
		}
		r := github.Request{Pin: p.repo.Name, Path: p.path, Attempts: impatience, Query: url.Values{
			"state": {"closed"}, "sort": {"updated"}, "direction": {"desc"},
			"per_page": {strconv.FormatInt(size, 10)}, "page": {strconv.FormatInt(offset/size+1, 10)}}}
		if offset == 0 && size == fullPage && p.pages == 0 {
			r.ETag = p.etag
		}
		if i == len(pageSizes)-1 {
			r.Attempts = 0
		}
		r.Note = p.note(round, offset, size)
		pg, err := p.stage.GitHub.Fetch(ctx, r)
		if err == nil || !github.IsTrouble(err) {
			return pg, size, err
		}
		p.log.Warn("the host can't answer this page; asking for a smaller one", "repository", p.repo.Name, "offset", offset,
			"size", size, "err", err)
		last = err
	}
	return nil, 0, last
}

// store keeps the rows of a page and the page's own row in one transaction.
func (p *pass) store(ctx context.Context, pg *github.Page, round int, offset, size int64) (oldest time.Time,
	err error) {
	var pulls []github.Pull
	if err := json.Unmarshal(pg.Body, &pulls); err != nil {
		return oldest, fmt.Errorf("the page at row %d: %w", offset, err)
	}
	if err := hasMergeCommits(pulls); err != nil {
		return oldest, err
	}
	p.adjust(pg)
	rows, oldest, newest := p.newRows(pulls, pg.FetchedAt)
	page := []any{p.repo.ID, p.started, int32(round), offset, int32(len(pulls)), nullTime(oldest), nullTime(newest),
		pg.Key,
		pg.FetchedAt.Truncate(time.Microsecond), int32(size), p.cutoff, pg.ETag}
	err = p.stage.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Append(ctx, "pull_versions", rows); err != nil {
			return err
		}
		return tx.Append(ctx, "crawl_pages", [][]any{page})
	})
	p.pages++
	p.rows += int64(len(pulls))
	if err == nil && pg.Key != "" {
		p.stored = pg.Key
	}
	return oldest, err
}

// adjust sets the times back where our clock is ahead of the host's: the high
// water is compared with the host's times and must not be lifted by ours.
func (p *pass) adjust(pg *github.Page) {
	if pg.HostTime.IsZero() {
		return
	}
	// The header has whole seconds.
	host := pg.HostTime.UTC().Add(time.Second)
	p.ahead = max(p.ahead, pg.FetchedAt.Sub(host))
	if p.pages == 0 && host.Before(p.started) {
		p.started = pg.HostTime.UTC()
	}
}

// newRows leaves out what is below the cut-off, so that the page's edge decides
// nothing, and what is stored in this version. A pull that changed moments ago may
// change again within the second: it is stored again.
func (p *pass) newRows(pulls []github.Pull, at time.Time) (rows [][]any, oldest, newest time.Time) {
	for _, pr := range pulls {
		if pr.UpdatedAt == nil || pr.Number <= 0 || pr.Number > math.MaxInt32 {
			p.log.Warn("a pull without a number or time is left out", "repository", p.repo.Name, "number", pr.Number)
			continue
		}
		updated := pr.UpdatedAt.UTC()
		if oldest.IsZero() || updated.Before(oldest) {
			oldest = updated
		}
		if updated.After(newest) {
			newest = updated
		}
		if updated.Before(p.cutoff) {
			continue
		}
		if have, found := p.known[pr.Number]; found && have.Equal(updated) && updated.Before(at.Add(-margin)) {
			continue
		}
		p.known[pr.Number] = updated
		rows = append(rows, pullRow(p.repo.ID, pr, "list", at))
	}
	return rows, oldest, newest
}

// hasMergeCommits refuses answers of an API version that left merge commits out:
// nothing could be assembled from them.
func hasMergeCommits(pulls []github.Pull) error {
	merged, with := 0, 0
	for _, p := range pulls {
		if p.MergedAt != nil {
			merged++
			if p.MergeCommitSHA != "" {
				with++
			}
		}
	}
	if merged > 1 && with == 0 {
		return errors.New("the host's answers hold no merge_commit_sha; it does not speak API version " + github.APIVersion)
	}
	return nil
}

// end stores that the pass is over, beside the item's outcome.
func (p *pass) end() pipeline.Write {
	var pushedAt any
	if p.repo.PushedAt.Valid {
		pushedAt = p.repo.PushedAt.Time
	}
	at, n := p.stage.now(), p.note(0, 0, 0)
	n.Kind, n.At, n.PushedAt, n.Hash = noteEnded, at, p.repo.PushedAt.Time, p.stage.pullsHash(p.repo)
	if p.repo.due {
		n.Looked = p.repo.look
	}
	row := []any{p.repo.ID, p.started, p.since, p.started, pushedAt, int32(p.pages), p.rows, at}
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := p.recovered(ctx, tx, at); err != nil {
			return err
		}
		if err := p.stage.remark(n); err != nil {
			return err
		}
		if err := tx.Append(ctx, "crawl_passes", [][]any{row}); err != nil {
			return err
		}
		return look(ctx, tx, p.repo.ID, n.Looked)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func nullTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}
