package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// ecosystem is one item of the first phase.
type ecosystem struct {
	Name          string
	Organizations pipeline.List
	Repositories  pipeline.List
	config        string    // hash of the three
	listed        time.Time // the list this item stands for
}

// inventoryItems lists the kept ecosystems. The hash holds the time of the list
// that stands: where that is too old, or was made for another configuration, a
// new time makes the item due.
func (s Stage) inventoryItems(ctx context.Context, anew bool) ([]pipeline.Item[ecosystem], error) {
	rows, err := s.DB.Query(ctx, `SELECT ecosystem, organizations, repositories FROM ecosystems WHERE kept ORDER BY `+
		`ecosystem`)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(e *ecosystem) []any { return []any{&e.Name, &e.Organizations, &e.Repositories} })
	if err != nil {
		return nil, fmt.Errorf("reading ecosystems: %w", err)
	}
	last, err := s.lists(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	items := make([]pipeline.Item[ecosystem], len(list))
	for i, e := range list {
		e.config = pipeline.Hash(e.Name, e.Organizations, e.Repositories, s.since())
		e.listed = now
		if l, ok := last[e.Name]; ok && !anew && l.config == e.config && now.Sub(l.at) < s.Refresh.Duration {
			e.listed = l.at
		}
		items[i] = pipeline.Item[ecosystem]{ID: inventoryPhase + e.Name, Hash: pipeline.Hash(e.config, e.listed), Value: e}
	}
	return items, nil
}

type listing struct {
	ecosystem, config string
	at                time.Time
}

// lists gives each ecosystem's latest list.
func (s Stage) lists(ctx context.Context) (map[string]listing, error) {
	rows, err := s.DB.Query(ctx, `SELECT ecosystem, config_hash, listed_at FROM crawl_inventories ORDER BY listed_at`)
	if err != nil {
		return nil, err
	}
	all, err := pipeline.Scan(rows, func(l *listing) []any { return []any{&l.ecosystem, &l.config, &l.at} })
	last := make(map[string]listing, len(all))
	for _, l := range all {
		last[l.ecosystem] = l
	}
	return last, err
}

// inventoryWork lists the repositories of an ecosystem.
func (s Stage) inventoryWork(log *slog.Logger, wrong *mistakes) pipeline.Work[ecosystem] {
	return func(ctx context.Context, e ecosystem) (pipeline.Write, error) {
		pages, err := s.listPages(ctx, e.Name)
		if err != nil {
			return nil, err
		}
		inv := &inventory{stage: s, ecosystem: e, log: log, byID: map[int64]github.Repository{}, before: pages,
			keys: map[string]string{}}
		for _, o := range e.Organizations {
			if err := inv.account(ctx, o); err != nil {
				return nil, wrong.keep(err)
			}
		}
		for _, r := range e.Repositories {
			if err := inv.single(ctx, r); err != nil {
				return nil, wrong.keep(err)
			}
		}
		write, err := inv.write(ctx)
		if err == nil && len(inv.byID) == 0 {
			err = pipeline.Skip("no public repository")
		}
		return write, err
	}
}

// inventory gathers what the host lists.
type inventory struct {
	stage     Stage
	ecosystem ecosystem
	log       *slog.Logger
	byID      map[int64]github.Repository
	aliases   [][]any
	before    map[string]listPage // by what was asked
	pages     [][]any             // that came anew
	keys      map[string]string   // of all pages
}

// account lists an organization's public repositories, or a user's: hand-made
// lists of organizations hold both.
func (v *inventory) account(ctx context.Context, name string) error {
	for _, kind := range []struct{ path, typ string }{{"orgs", "public"}, {"users", "owner"}} {
		path, err := github.AccountPath(kind.path, name, "repos")
		if err != nil {
			return err
		}
		err = v.list(ctx, name, path, kind.typ)
		if github.KindOf(err) == github.Missing {
			continue
		}
		if err != nil {
			return fmt.Errorf("listing the repositories of %s: %w", name, err)
		}
		return nil
	}
	return pipeline.Usage("organization %q of ecosystem %s does not exist on GitHub: correct it under ecosystems in "+
		"wideswe.yaml, or take it out", name, v.ecosystem.Name)
}

// list reads all pages by full name, the order that does not move while it is read.
func (v *inventory) list(ctx context.Context, pin, path, typ string) error {
	for page := 1; ; page++ {
		q := url.Values{"type": {typ}, "sort": {"full_name"}, "per_page": {"100"}, "page": {strconv.Itoa(page)}}
		pg, err := v.fetch(ctx, github.Request{Pin: pin, Path: path, Query: q})
		if err != nil {
			return err
		}
		var repos []github.Repository
		if err := json.Unmarshal(pg.Body, &repos); err != nil {
			return fmt.Errorf("page %d of %s: %w", page, path, err)
		}
		for _, r := range repos {
			v.add(r)
		}
		if pg.Next == "" {
			return nil
		}
	}
}

// add leaves out what is not public: an export must not carry it.
func (v *inventory) add(r github.Repository) {
	if r.ID != 0 && r.FullName != "" && !r.Private {
		v.byID[r.ID] = r
	}
}

// single asks for a repository that is listed by name.
func (v *inventory) single(ctx context.Context, name string) error {
	path, err := github.RepositoryPath(name)
	if err != nil {
		return err
	}
	pg, err := v.fetch(ctx, github.Request{Pin: name, Path: path})
	switch github.KindOf(err) {
	case github.Missing, github.Deleted:
		return pipeline.Usage("repository %q of ecosystem %s does not exist on GitHub: correct it under ecosystems in "+
			"wideswe.yaml, or take it out", name, v.ecosystem.Name)
	case github.Blocked:
		v.log.Warn("the host blocks a listed repository; left out", "repository", name, "answer", err)
		v.alias(name, nil, "", "blocked", v.stage.answered(err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking for %s: %w", name, err)
	}
	var r github.Repository
	if err := json.Unmarshal(pg.Body, &r); err != nil {
		return fmt.Errorf("repository %s: %w", name, err)
	}
	if !strings.EqualFold(r.FullName, name) {
		v.alias(name, r.ID, clean(r.FullName), "renamed", pg.FetchedAt)
	}
	v.add(r)
	return nil
}

func (v *inventory) alias(written string, id any, present, state string, at time.Time) {
	v.aliases = append(v.aliases, []any{strings.ToLower(written), id, present, state, at})
}

// write stores a version of every repository listed, and one that says gone for
// those that were listed before and are no more.
func (v *inventory) write(ctx context.Context) (pipeline.Write, error) {
	before, err := v.stage.repositories(ctx, v.ecosystem.Name)
	if err != nil {
		return nil, err
	}
	if err := v.confirm(ctx, before); err != nil {
		return nil, err
	}
	at := v.ecosystem.listed
	var rows [][]any
	for _, id := range sortedIDs(v.byID) {
		r := fromHost(v.byID[id], v.ecosystem.Name, v.stage.since())
		if old, ok := before[id]; ok {
			r.State = carry(old, r, v.byID[id].HasPullRequests)
			if !strings.EqualFold(old.Name, r.Name) {
				v.alias(old.Name, id, r.Name, "renamed", at)
			}
		}
		rows = append(rows, r.row(at))
	}
	for _, id := range sortedIDs(before) {
		if r := before[id]; v.byID[id].ID == 0 && r.State != gone {
			r.State = gone
			rows = append(rows, r.row(at))
		}
	}
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := v.stage.remark(note{Kind: noteListed, Ecosystem: v.ecosystem.Name, Organizations: v.ecosystem.Organizations,
			Repositories: v.ecosystem.Repositories, Config: v.ecosystem.config, Listed: at, Since: v.stage.since(),
			Keys: v.keys}); err != nil {
			return err
		}
		if err := tx.Append(ctx, "repository_versions", rows); err != nil {
			return err
		}
		if err := tx.Append(ctx, "repository_aliases", v.aliases); err != nil {
			return err
		}
		if err := tx.Append(ctx, "crawl_lists", v.pages); err != nil {
			return err
		}
		return tx.Append(ctx, "crawl_inventories", [][]any{{v.ecosystem.Name, v.ecosystem.config, at, int32(len(v.byID))}})
	}, nil
}

// confirm asks for each repository that is missing in the list though its owner is
// still listed: one that went while the list was read makes another be passed over.
func (v *inventory) confirm(ctx context.Context, before map[int64]repository) error {
	for _, id := range sortedIDs(before) {
		old := before[id]
		if _, listed := v.byID[id]; listed || old.State == gone || !v.owns(old.Name) {
			continue
		}
		path, err := github.RepositoryPath(old.Name)
		if err != nil {
			return err
		}
		pg, err := v.fetch(ctx, github.Request{Pin: old.Name, Path: path})
		if refusal(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("asking for %s, which is listed no more: %w", old.Name, err)
		}
		var r github.Repository
		if err := json.Unmarshal(pg.Body, &r); err != nil {
			return fmt.Errorf("repository %s: %w", old.Name, err)
		}
		if r.ID == id && v.owns(r.FullName) {
			v.add(r)
		}
	}
	return nil
}

// owns says whether a name belongs to the ecosystem by its owner.
func (v *inventory) owns(name string) bool {
	owner, _, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(v.ecosystem.Organizations, func(o string) bool { return strings.EqualFold(o, owner) })
}

// inventoryGone is for an ecosystem that is configured no more: its repositories
// leave the inventory, what was read of them is kept.
func (s Stage) inventoryGone(id string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		name, at := strings.TrimPrefix(id, inventoryPhase), s.now()
		if err := s.remark(note{Kind: noteLeft, Ecosystem: name, At: at}); err != nil {
			return err
		}
		before, err := scanRepositories(tx.Query(ctx, repositoriesSQL+" WHERE ecosystem = ?", name))
		if err != nil {
			return err
		}
		var rows [][]any
		for _, r := range before {
			if r.State != gone {
				r.State = gone
				rows = append(rows, r.row(at))
			}
		}
		if err := tx.Append(ctx, "repository_versions", rows); err != nil {
			return err
		}
		return tx.Exec(ctx, "DELETE FROM crawl_inventories WHERE ecosystem = ?", name)
	}
}

// mistakes gathers what the person must correct. The other ecosystems are crawled
// all the same; the stage ends with the sentences.
type mistakes struct {
	mu   sync.Mutex
	said []string
}

func (m *mistakes) keep(err error) error {
	var usage *pipeline.UsageError
	if errors.As(err, &usage) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.said = append(m.said, usage.Message)
	}
	return err
}

func (m *mistakes) err() error {
	if len(m.said) == 0 {
		return nil
	}
	sort.Strings(m.said)
	return pipeline.Usage("%s", strings.Join(m.said, "; "))
}

func sortedIDs[T any](m map[int64]T) []int64 {
	ids := make([]int64, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return ids
}
