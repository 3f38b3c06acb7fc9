package crawl

import (
	"context"
	"fmt"
	"time"

	"github.com/wideswe/wideswe/pipeline/github"
)

// kept answers from kept pages instead of asking: the lists of an ecosystem are
// read again by the code that read them first.
type kept struct {
	listed  time.Time
	answers map[string]*entry
	pages   Pages
	keys    map[string]string // of the list's pages, older ones that had not changed too
}

// Fetch implements [API].
func (k *kept) Fetch(_ context.Context, r github.Request) (*github.Page, error) {
	ask := asked(r)
	if e := k.answers[ask]; e != nil {
		return e.page, e.err
	}
	key := k.keys[ask]
	if key == "" {
		return nil, fmt.Errorf("the archive holds no answer to %s", ask)
	}
	h, body, err := k.pages.Get(key)
	if err != nil {
		return nil, err
	}
	return h.Answer(key, body)
}

// Stats implements [API].
func (*kept) Stats() github.Stats { return github.Stats{} }

// Size implements [API].
func (*kept) Size() int { return 1 }

// listAnswer keeps an answer for the remark that says the list is whole. Those of
// a list that broke are forgotten when the next one begins.
func (r *replay) listAnswer(e *entry) {
	n := e.note
	k := r.lists[n.Ecosystem]
	if k == nil || !k.listed.Equal(n.Listed) {
		k = &kept{listed: n.Listed, answers: map[string]*entry{}}
		r.lists[n.Ecosystem] = k
	}
	k.answers[n.Ask] = e
}

// listed stores an ecosystem's list.
func (r *replay) listed(ctx context.Context, n note) error {
	s := r.at(n)
	k := &kept{pages: r.stage.Pages, keys: n.Keys}
	if now := r.lists[n.Ecosystem]; now != nil && now.listed.Equal(n.Listed) {
		k.answers = now.answers
	}
	s.GitHub = k
	delete(r.lists, n.Ecosystem)
	r.repos = nil
	e := ecosystem{Name: n.Ecosystem, Organizations: n.Organizations, Repositories: n.Repositories, config: n.Config,
		listed: n.Listed}
	write, err := s.inventoryWork(r.log, &mistakes{})(ctx, e)
	if write == nil {
		return err
	}
	return s.DB.InTx(ctx, write)
}

// at is the stage as it was: its clock, its window, and nobody to ask or tell.
func (r *replay) at(n note) Stage {
	s := r.stage
	s.Pages, s.GitHub = nil, &kept{}
	if !n.Since.IsZero() {
		s.Since.Time = n.Since
	}
	if !n.At.IsZero() {
		s.Now = func() time.Time { return n.At }
	}
	return s
}
