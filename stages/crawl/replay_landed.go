package crawl

import (
	"context"
)

// commitsOf takes a page of commits. The one before it is stored where this one
// counts it among the pages that were.
func (r *replay) commitsOf(ctx context.Context, e *entry) error {
	if e.err != nil {
		return nil
	}
	if err := r.settleCommits(ctx, e.note.Repository, e.note.Pages); err != nil {
		return err
	}
	r.commits[e.note.Repository] = e
	return nil
}

// settleCommits stores the page of commits that waits, unless a run was killed
// before it could: then a later entry counts no more pages than there were.
func (r *replay) settleCommits(ctx context.Context, id int64, stored int) error {
	e := r.commits[id]
	if e == nil {
		return nil
	}
	delete(r.commits, id)
	if stored <= e.note.Pages {
		r.count.Dropped++
		return nil
	}
	return r.stage.storeCommits(ctx, e.note, e.page)
}

// landings decides anew what the rule of then says.
func (r *replay) landings(ctx context.Context, n note) error {
	if err := r.settleCommits(ctx, n.Repository, n.Pages); err != nil {
		return err
	}
	s, l := r.at(n), landing{repo: repository{ID: n.Repository, Name: n.Name}, hash: n.Hash}
	if n.Rule != nil {
		l.rule = *n.Rule
	}
	write, err := s.landedWrite(ctx, l)
	if err != nil {
		return err
	}
	r.landed[n.Repository] = n.Hash
	return s.DB.InTx(ctx, write)
}
