package crawl

import (
	"context"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// listPage is a page of an ecosystem's lists as it came last.
type listPage struct{ ask, etag, key string }

func (s Stage) listPages(ctx context.Context, ecosystem string) (map[string]listPage, error) {
	rows, err := s.DB.Query(ctx, `SELECT ask, arg_max(etag, (fetched_at, rowid)), arg_max(archive, (fetched_at, rowid))
		FROM crawl_lists WHERE ecosystem = ? GROUP BY ask`, ecosystem)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(p *listPage) []any { return []any{&p.ask, &p.etag, &p.key} })
	out := make(map[string]listPage, len(list))
	for _, p := range list {
		out[p.ask] = p
	}
	return out, err
}

// fetch asks for a page of a list. One that has not changed costs nothing, and is
// read from the archive.
func (v *inventory) fetch(ctx context.Context, r github.Request) (*github.Page, error) {
	ask := asked(r)
	old, known := v.before[ask]
	r.Note = note{Kind: noteInventory, Ecosystem: v.ecosystem.Name, Listed: v.ecosystem.listed, Ask: ask}
	if known && v.stage.Pages != nil {
		r.ETag = old.etag
	}
	pg, err := v.stage.GitHub.Fetch(ctx, r)
	if err == nil && pg.NotModified {
		if pg, err = v.kept(old); err == nil {
			v.keys[ask] = old.key
			return pg, nil
		}
		v.log.Warn("a kept page can't be read; asking for it again", "page", old.key, "err", err)
		r.ETag = ""
		pg, err = v.stage.GitHub.Fetch(ctx, r)
	}
	if err != nil || pg.Key == "" || pg.ETag == "" {
		return pg, err
	}
	v.keys[ask] = pg.Key
	if pg.Key != old.key {
		v.pages = append(v.pages, []any{v.ecosystem.Name, ask, pg.ETag, pg.Key, pg.FetchedAt})
	}
	return pg, nil
}

func (v *inventory) kept(p listPage) (*github.Page, error) {
	h, body, err := v.stage.Pages.Get(p.key)
	if err != nil {
		return nil, err
	}
	return h.Answer(p.key, body)
}
