package crawl

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/reference"
	"github.com/wideswe/wideswe/schema"
)

// linking is one item of the third phase.
type linking struct{ ecosystem, hash string }

// linkedItems lists the ecosystems. What decides an item is the texts stored, and
// the inventory they are read against.
func (s Stage) linkedItems(ctx context.Context) ([]pipeline.Item[linking], error) {
	inv, err := s.inventory(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(inv))
	for _, r := range inv {
		names = append(names, fmt.Sprint(r.ID, r.Name, r.Ecosystem, r.State))
	}
	rows, err := s.DB.Query(ctx, `SELECT e.ecosystem, count(v.number), coalesce(max(v.fetched_at)::VARCHAR, ''),
			(SELECT count(DISTINCT p.repository_id) FROM crawl_passes p)
		FROM ecosystems e
		LEFT JOIN repositories r ON r.ecosystem = e.ecosystem
		LEFT JOIN pull_versions v ON v.repository_id = r.repository_id AND v.source IN ('list', 'landed')
		WHERE e.kept GROUP BY e.ecosystem ORDER BY e.ecosystem`)
	if err != nil {
		return nil, err
	}
	type stored struct {
		ecosystem      string
		rows, finished int64
		latest         string
	}
	list, err := pipeline.Scan(rows, func(v *stored) []any { return []any{&v.ecosystem, &v.rows, &v.latest, &v.finished} })
	if err != nil {
		return nil, fmt.Errorf("reading what is stored: %w", err)
	}
	items := make([]pipeline.Item[linking], len(list))
	for i, v := range list {
		hash := pipeline.Hash(v.rows, v.latest, v.finished, names, s.since(), reference.Version)
		items[i] = pipeline.Item[linking]{ID: linkedPhase + v.ecosystem, Hash: hash, Value: linking{v.ecosystem, hash}}
	}
	return items, nil
}

// linkedWork fetches what the merged pulls of an ecosystem name and nobody has
// stored. Each answer is stored when it comes, so a broken run is not in vain.
func (s Stage) linkedWork(log *slog.Logger) pipeline.Work[linking] {
	return func(ctx context.Context, item linking) (pipeline.Write, error) {
		w, err := s.readWanted(ctx, item.ecosystem, log)
		if err != nil {
			return nil, err
		}
		if err := each(ctx, s.GitHub.Size(), w.unknownNames(), w.askName); err != nil {
			return nil, err
		}
		// The names that were just learnt make numbers known.
		numbers, err := w.unknownNumbers(ctx)
		if err != nil {
			return nil, err
		}
		if err := each(ctx, s.GitHub.Size(), numbers, w.askNumber); err != nil {
			return nil, err
		}
		return w.markLinked(item.hash), nil
	}
}

// each runs ask over a list, as many at a time as the host takes.
func each[T any](ctx context.Context, limit int, list []T, ask func(context.Context, T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(limit, 1))
	for _, v := range list {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return ask(ctx, v)
		})
	}
	return g.Wait()
}

// wanted is what the texts of an ecosystem name.
type wanted struct {
	stage     Stage
	log       *slog.Logger
	ecosystem string
	owners    map[string]bool            // lower case: the ecosystem's organizations and owners
	names     map[string]bool            // lower case: its repositories' names without their owners
	repos     map[int64]repository       // of all ecosystems
	inventory *reference.Inventory       // of all ecosystems
	refs      map[mention]reference.Kind // explicit mentions of numbers
	written   map[string]string          // lower case owner/name of every mention -> as written
}

// mention is a number of a repository as a text names it.
type mention struct {
	owner, name string // lower case
	id          int64
	number      int
}

// readWanted reads every merged pull's texts once.
func (s Stage) readWanted(ctx context.Context, ecosystem string, log *slog.Logger) (*wanted, error) {
	w := &wanted{stage: s, log: log, ecosystem: ecosystem, owners: map[string]bool{}, names: map[string]bool{},
		repos: map[int64]repository{}, refs: map[mention]reference.Kind{}, written: map[string]string{}}
	if err := w.readInventory(ctx); err != nil {
		return nil, err
	}
	// Repository by repository: the database finds the rows of one without reading
	// the bodies of all.
	for _, id := range sortedIDs(w.repos) {
		if w.repos[id].Ecosystem == ecosystem {
			if err := w.readTexts(ctx, w.repos[id]); err != nil {
				return nil, fmt.Errorf("reading the pulls of %s: %w", w.repos[id].Name, err)
			}
		}
	}
	return w, nil
}

// readTexts notes what the merged pulls of a repository name.
func (w *wanted) readTexts(ctx context.Context, r repository) error {
	owner, name, _ := schema.SplitRepository(r.Name)
	rows, err := w.stage.DB.Query(ctx, `SELECT author, author_type, head_ref, title, body FROM pulls WHERE `+
		`repository_id = ? AND in_window`, r.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		src, body := reference.Source{Owner: owner, Name: name, Location: reference.Title}, ""
		if err := rows.Scan(&src.Author, &src.AuthorType, &src.HeadRef, &src.Title, &body); err != nil {
			return err
		}
		w.note(reference.Extract(src.Title, src))
		src.Location = reference.Body
		w.note(reference.Extract(body, src))
	}
	return rows.Err()
}

func (w *wanted) readInventory(ctx context.Context) error {
	list, err := w.stage.inventory(ctx)
	if err != nil {
		return err
	}
	known := make([]reference.Repository, 0, len(list))
	for _, r := range list {
		w.repos[r.ID] = r
		known = append(known, reference.Repository{ID: r.ID, Name: r.Name, Ecosystem: r.Ecosystem})
		if owner, name, ok := schema.SplitRepository(strings.ToLower(r.Name)); ok && r.Ecosystem == w.ecosystem {
			w.owners[owner], w.names[name] = true, true
		}
	}
	rows, err := w.stage.DB.Query(ctx, `SELECT unnest(organizations) FROM ecosystems WHERE ecosystem = ?`, w.ecosystem)
	if err != nil {
		return err
	}
	owners, err := pipeline.Scan[string](rows, nil)
	for _, o := range owners {
		w.owners[strings.ToLower(o)] = true
	}
	if err != nil {
		return err
	}
	aliases, err := w.stage.aliases(ctx)
	w.inventory = reference.NewInventory(known, aliases)
	return err
}

func (s Stage) aliases(ctx context.Context) ([]reference.Alias, error) {
	rows, err := s.DB.Query(ctx, `SELECT written, coalesce(repository_id, 0) FROM repository_aliases
		QUALIFY row_number() OVER (PARTITION BY written ORDER BY fetched_at DESC, rowid DESC) = 1`)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, func(a *reference.Alias) []any { return []any{&a.Written, &a.RepositoryID} })
}

// passing are the flags of mentions that a program or someone else's words made:
// there are many of them, and none joins pulls.
var passing = []reference.Flag{reference.Bot, reference.Changelog, reference.Redirect, reference.Quote,
	reference.Struck, reference.Release, reference.Rollup}

func (w *wanted) note(refs []reference.Reference) {
	for _, r := range refs {
		if slices.ContainsFunc(passing, r.Has) || r.Form == reference.NameOnly && !w.inventory.Known(r.Owner, r.Name) {
			continue
		}
		m := mention{strings.ToLower(r.Owner), strings.ToLower(r.Name), r.RepositoryID, r.Number}
		if r.RepositoryID == 0 {
			w.written[m.owner+"/"+m.name] = r.Owner + "/" + r.Name
		}
		if r.Number <= 0 || r.Kind == reference.Discussion {
			continue
		}
		if _, ok := w.refs[m]; !ok || r.Kind == reference.Pull {
			w.refs[m] = r.Kind
		}
	}
}

// unknownNames are the written names that may be a repository of the ecosystem
// under an older name: those of its owners, and those that differ from one of its
// repositories in the owner only.
func (w *wanted) unknownNames() []string {
	var out []string
	for key, written := range w.written {
		owner, name, _ := strings.Cut(key, "/")
		if (w.owners[owner] || w.names[name]) && !w.inventory.Known(owner, name) {
			out = append(out, written)
		}
	}
	sort.Strings(out)
	return out
}
