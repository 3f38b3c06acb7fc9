package bench

import (
	"context"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/bench/synthetic"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
)

// perPage is how many pulls a page of the host holds; crawl stores a page a transaction.
const perPage = 100

// abreast is how many repositories a crawl reads at a time: their pages come mixed.
const abreast = 4

// page is a page of one repository's list, newest first.
type page struct {
	repository, offset int
	pulls              []synthetic.Pull
	last               bool
}

// load stores the corpus page by page. Making the pulls is no part of the time:
// it alternates with the storing.
func (m *mineFigures) load(ctx context.Context, db *store.DB) (took time.Duration, err error) {
	m.clock = crawled
	if err := m.storeInventory(ctx, db); err != nil {
		return 0, err
	}
	var pages []page
	flush := func() error {
		start := time.Now()
		defer func() { took += time.Since(start) }()
		for _, p := range pages {
			if err := m.storePage(ctx, db, p); err != nil {
				return err
			}
		}
		pages = pages[:0]
		return ctx.Err()
	}
	for first := 0; first < len(m.corpus.Repositories); first += abreast {
		for offset, more := 0, true; more; offset += perPage {
			more = false
			for i := first; i < min(first+abreast, len(m.corpus.Repositories)); i++ {
				if offset < m.corpus.Repositories[i].Pulls {
					pages, more = append(pages, m.page(i, offset)), true
				}
			}
			if len(pages) > 200 {
				if err := flush(); err != nil {
					return took, err
				}
			}
		}
	}
	return took, flush()
}

func (m *mineFigures) page(repository, offset int) page {
	n := m.corpus.Repositories[repository].Pulls
	p := page{repository: repository, offset: offset, last: offset+perPage >= n}
	for number := n - offset; number > max(0, n-offset-perPage); number-- {
		pull := m.corpus.Pull(repository, number)
		m.bytes += len(pull.Body)
		m.stored++
		p.pulls = append(p.pulls, pull)
	}
	return p
}

var crawled = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (m *mineFigures) storeInventory(ctx context.Context, db *store.DB) error {
	var ecosystems, repositories [][]any
	for _, e := range m.corpus.Ecosystems() {
		ecosystems = append(ecosystems, []any{e, []string{e}, []string{}, "config", int64(0), true, "configured"})
	}
	for _, r := range m.corpus.Repositories {
		repositories = append(repositories, []any{r.ID, r.Name, r.Ecosystem, false, false, false, int64(1), "Go", "MIT",
			"main", "", crawled, "ok", crawled})
	}
	return db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Append(ctx, "ecosystems", ecosystems); err != nil {
			return err
		}
		if err := tx.Append(ctx, "meta", [][]any{{"crawl.since", synthetic.Since.Format("2006-01-02")}}); err != nil {
			return err
		}
		return tx.Append(ctx, "repository_versions", repositories)
	})
}

// storePage writes what crawl writes: the page's pulls and the page, and at the
// end of a repository the pass.
func (m *mineFigures) storePage(ctx context.Context, db *store.DB, p page) error {
	r := m.corpus.Repositories[p.repository]
	m.clock = m.clock.Add(800 * time.Millisecond) // what a page takes of the host
	at := m.clock
	rows := make([][]any, len(p.pulls))
	for i, pull := range p.pulls {
		rows[i] = pullRow(r, pull, at)
	}
	newest, oldest := p.pulls[0].Updated, p.pulls[len(p.pulls)-1].Updated
	return db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Append(ctx, "pull_versions", rows); err != nil {
			return err
		}
		if p.last {
			if err := tx.Append(ctx, "crawl_passes", [][]any{{r.ID, crawled, synthetic.Since, crawled, crawled,
				int32(p.offset/perPage + 1), int64(r.Pulls), at}}); err != nil {
				return err
			}
		}
		return tx.Append(ctx, "crawl_pages", [][]any{{r.ID, crawled, int32(1), int64(p.offset), int32(len(rows)), oldest,
			newest,
			"pages/" + p.pulls[0].Head, at, int32(perPage), synthetic.Since, p.pulls[0].Base}})
	})
}

func pullRow(r synthetic.Repository, p synthetic.Pull, at time.Time) []any {
	var merged any
	if p.Merged {
		merged = p.Finished
	}
	return []any{r.ID, int32(p.Number), "closed", p.Title, p.Body, p.Author, p.AuthorType, p.Labels, false,
		p.Created, p.Updated, p.Finished, merged, p.MergeCommit, p.BaseRef, p.Base, p.HeadRef, p.Head, p.Author + "/fork",
		"list", at}
}
