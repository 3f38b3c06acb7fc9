package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/schema"
)

// Replayed counts what a replay found in the archive.
type Replayed struct {
	Entries int // pages and remarks of the crawl's, of the last database they were kept for
	Foreign int // that are not the crawl's
	Dropped int // pages that were kept, but never stored: a run was killed in between
	Items   int // whose outcome stands as it was
}

// Replay rebuilds the stage's tables from the kept pages, without a request. They
// are read in the order in which they came, by the code that read them first.
func (s Stage) Replay(ctx context.Context, run *pipeline.Run) (Replayed, error) {
	empty, err := s.empty(ctx)
	if err != nil {
		return Replayed{}, err
	}
	if !empty && !run.Redo {
		return Replayed{}, pipeline.Usage("the database holds a crawl already; crawl --replay --redo drops it and reads " +
			"the kept pages again")
	}
	r := &replay{stage: s, log: run.Log}
	if err := r.clear(ctx); err != nil {
		return r.count, err
	}
	if err := r.whole(ctx); err != nil {
		return r.count, err
	}
	if err := s.recordSince(ctx); err != nil {
		return r.count, err
	}
	return r.count, r.outcomes(ctx, run)
}

// replay is what must be remembered between the entries.
type replay struct {
	stage  Stage
	log    *slog.Logger
	count  Replayed
	lists  map[string]*kept     // of each ecosystem, the answers since its last list
	passes map[int64]*repass    // of each repository, the pass that is open
	repos  map[int64]repository // the inventory; nil when it must be read again
	ended  map[int64]string     // of each repository, the hash of the item that ended last
	linked map[string]string    // of each ecosystem, the same
	landed map[int64]string     // of each repository, the same of its landed pulls
	// commits are, of each repository, the page of commits that waits like a pass's.
	commits map[int64]*entry
}

// entry is a page or a remark of the archive.
type entry struct {
	key  string
	note note
	page *github.Page
	err  error // a refusal
}

// repass is a pass that is read again. Its newest page waits: whether it was
// stored shows only in what comes next.
type repass struct {
	pass    *pass
	waiting *entry
}

// crawlTables are the stage's own.
var crawlTables = []string{"repository_versions", "pull_versions", "issue_versions", "crawl_pages", "crawl_passes",
	"crawl_looks", "crawl_inventories", "crawl_lists",
	"repository_aliases", "landing_commits", "landing_pages", "pull_landings"}

// clear drops what is stored, and forgets what was read.
func (r *replay) clear(ctx context.Context) error {
	r.lists, r.passes, r.repos = map[string]*kept{}, map[int64]*repass{}, nil
	r.ended, r.linked = map[int64]string{}, map[string]string{}
	r.landed, r.commits = map[int64]string{}, map[int64]*entry{}
	r.count.Entries, r.count.Dropped = 0, 0
	return r.stage.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		for _, t := range crawlTables {
			if err := tx.Exec(ctx, "DELETE FROM "+t); err != nil {
				return fmt.Errorf("clearing %s: %w", t, err)
			}
		}
		return nil
	})
}

// whole reads the archive to its end.
func (r *replay) whole(ctx context.Context) error {
	err := r.stage.Pages.Each(ctx, func(key string, h github.Header, body []byte) error {
		e := &entry{key: key}
		if json.Unmarshal(h.Note, &e.note) != nil || e.note.Kind == "" {
			r.count.Foreign++
			return nil
		}
		if h.URL != "" {
			e.page, e.err = h.Answer(key, body)
		}
		r.count.Entries++
		if err := r.read(ctx, e); err != nil {
			return fmt.Errorf("replaying %s (%s): %w", key, e.note.Kind, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.rest(ctx)
}

// rest stores the pages that nothing came after.
func (r *replay) rest(ctx context.Context) error {
	for _, id := range sortedIDs(r.commits) {
		if err := r.settleCommits(ctx, id, math.MaxInt); err != nil {
			return err
		}
	}
	ids := sortedIDs(r.passes)
	sort.SliceStable(ids, func(i, j int) bool { return r.passes[ids[i]].key() < r.passes[ids[j]].key() })
	for _, id := range ids {
		if err := r.settle(ctx, id, "~"); err != nil {
			return err
		}
	}
	return nil
}

func (p *repass) key() string {
	if p.waiting == nil {
		return ""
	}
	return p.waiting.key
}

// read stores what an entry says.
func (r *replay) read(ctx context.Context, e *entry) error {
	n := e.note
	switch n.Kind {
	case noteBegin:
		return r.clear(ctx)
	case noteInventory:
		r.listAnswer(e)
		return nil
	case noteListed:
		return r.listed(ctx, n)
	case noteLeft:
		r.repos = nil
		return r.at(n).DB.InTx(ctx, r.at(n).inventoryGone(inventoryPhase+n.Ecosystem))
	case notePage:
		return r.pageOf(ctx, e)
	case noteEnded:
		return r.end(ctx, n)
	case noteState:
		return r.state(ctx, n)
	case noteAlias:
		return r.alias(ctx, e)
	case noteNumber:
		return r.number(ctx, e)
	case noteMissing:
		return r.stage.storeIssue(ctx, n.Repository, n.Number, github.Issue{}, "missing", n.At)
	case noteCommits:
		return r.commitsOf(ctx, e)
	case noteLanded:
		return r.landings(ctx, n)
	case noteUnlanded:
		delete(r.landed, n.Repository)
		return r.stage.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error { return unland(ctx, tx, n.Repository) })
	case noteLinked:
		r.linked[n.Ecosystem] = n.Hash
		return r.stage.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error { return mark(ctx, tx, n.Marked) })
	}
	return fmt.Errorf("a note of an unknown kind: a newer wideswe kept this page")
}

// pageOf takes a page of a pass. The one before it is stored where this one knows
// of it; where it does not, a run was killed before it could store it.
func (r *replay) pageOf(ctx context.Context, e *entry) error {
	if e.err != nil {
		return nil // what it means is a remark of its own
	}
	n := e.note
	if err := r.settle(ctx, n.Repository, n.After); err != nil {
		return err
	}
	p := r.passes[n.Repository]
	if p == nil || !p.pass.cutoff.Equal(n.Cutoff) {
		known, err := r.stage.known(ctx, n.Repository, n.Cutoff)
		if err != nil {
			return err
		}
		p = &repass{pass: &pass{stage: r.stage, log: r.log, repo: repository{ID: n.Repository, Name: n.Name},
			cutoff: n.Cutoff, known: known}}
		r.passes[n.Repository] = p
	}
	p.waiting = e
	return nil
}

// settle stores the page that waits, unless the repository's last stored page, as
// a later entry names it, is an older one.
func (r *replay) settle(ctx context.Context, id int64, last string) error {
	p := r.passes[id]
	if p == nil || p.waiting == nil {
		return nil
	}
	e, n := p.waiting, p.waiting.note
	p.waiting = nil
	if last < e.key {
		r.count.Dropped++
		return nil
	}
	p.pass.started, p.pass.since, p.pass.pages, p.pass.rows = n.Started, n.Since, n.Pages, n.Rows
	_, err := p.pass.store(ctx, e.page, n.Round, n.Offset, n.Size)
	return err
}

func (r *replay) end(ctx context.Context, n note) error {
	if err := r.settle(ctx, n.Repository, n.After); err != nil {
		return err
	}
	delete(r.passes, n.Repository)
	r.ended[n.Repository] = n.Hash
	row := []any{n.Repository, n.Started, n.Since, n.Started, nullTime(n.PushedAt), int32(n.Pages), n.Rows, n.At}
	return r.stage.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return errors.Join(tx.Append(ctx, "crawl_passes", [][]any{row}), look(ctx, tx, n.Repository, n.Looked))
	})
}

// state stores that a repository could not be read.
func (r *replay) state(ctx context.Context, n note) error {
	repos, err := r.stage.repositories(ctx, n.Ecosystem)
	repo, ok := repos[n.Repository]
	if err != nil || !ok {
		return err
	}
	repo.State, r.repos = n.State, nil
	return r.stage.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return errors.Join(tx.Append(ctx, "repository_versions", [][]any{repo.row(n.At)}), look(ctx, tx, n.Repository,
			n.Looked))
	})
}

func (r *replay) alias(ctx context.Context, e *entry) error {
	if e.page == nil && e.err == nil {
		return r.stage.storeAlias(ctx, e.note.Written, nil, "", "missing", e.note.At)
	}
	if github.KindOf(e.err) != "" && !refusal(e.err) {
		return nil // it ended the item then, and says nothing
	}
	if r.repos == nil {
		list, err := r.stage.inventory(ctx)
		if err != nil {
			return err
		}
		r.repos = make(map[int64]repository, len(list))
		for _, v := range list {
			r.repos[v.ID] = v
		}
	}
	return r.stage.nameAnswer(ctx, e.note.Written, r.repos, e.page, e.err)
}

func (r *replay) number(ctx context.Context, e *entry) (err error) {
	if e.err != nil && !refusal(e.err) {
		return nil
	}
	if n := e.note; n.What == "pulls" {
		_, err = r.stage.pullAnswer(ctx, n.Repository, n.Number, e.page, e.err)
	} else {
		_, err = r.stage.issueAnswer(ctx, n.Repository, n.Number, e.page, e.err)
	}
	return err
}

// outcomes records the items that the kept pages answer for as they are now.
func (r *replay) outcomes(ctx context.Context, run *pipeline.Run) error {
	s := r.stage
	inventories, err := s.inventoryItems(ctx, false)
	if err != nil {
		return err
	}
	last, err := s.lists(ctx)
	if err != nil {
		return err
	}
	var list []schema.Outcome
	add := func(id, hash string, status schema.Status, reason string) {
		list = append(list, schema.Outcome{Stage: s.Name(), Item: id, Version: s.Version(), InputHash: hash, Status: status,
			Reason: reason, RecordedAt: run.Now().UTC()})
	}
	for _, it := range inventories {
		if l, ok := last[it.Value.Name]; ok && l.at.Equal(it.Value.listed) {
			add(it.ID, it.Hash, schema.Done, "")
		}
	}
	pulls, err := s.pullsItems(ctx)
	if err != nil {
		return err
	}
	for _, it := range pulls {
		switch {
		case it.Value.State != ok:
			add(it.ID, it.Hash, schema.Skipped, why[it.Value.State])
		case r.ended[it.Value.ID] == it.Hash:
			add(it.ID, it.Hash, schema.Done, "")
		}
	}
	landed, err := s.landedItems(ctx)
	if err != nil {
		return err
	}
	for _, it := range landed {
		if r.landed[it.Value.repo.ID] == it.Hash {
			add(it.ID, it.Hash, schema.Done, "")
		}
	}
	linked, err := s.linkedItems(ctx)
	if err != nil {
		return err
	}
	for _, it := range linked {
		if r.linked[strings.TrimPrefix(it.ID, linkedPhase)] == it.Hash {
			add(it.ID, it.Hash, schema.Done, "")
		}
	}
	r.count.Items = len(list)
	return run.Ledger.Record(ctx, nil, list...)
}
