package link

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/reference"
)

// repository is one of the inventory, with a digest of its pulls' texts.
type repository struct {
	reference.Repository
	Active bool // by the paper's rule: neither archived, disabled nor a fork
	Pulls  int64
	Texts  string

	versions    int64     // rows of its pulls
	first, last time.Time // when the earliest and the latest of them were stored
}

// inventory is what names mean, by the strict rule and by the paper's.
type inventory struct {
	*reference.Inventory
	active map[string]repository // lower case
	all    []repository
	cuts   []time.Time // see [cuts]
	limits limits
}

// since is the crawl's cut-off. The view pulls has the same rule: merged since
// then, or named by a pull's text. It is not used here because it would read every
// repository's bodies to give those of one.
const since = `(SELECT coalesce(max(value)::TIMESTAMP, TIMESTAMP '1970-01-01') FROM meta WHERE key = 'crawl.since')`

// texts digests what a repository's merged pulls say. The texts are hashed before
// the newest version is chosen: sorting digests is cheap, sorting bodies is not.
const texts = `WITH versions AS MATERIALIZED (
		SELECT repository_id, number, fetched_at, rowid AS row, merged_at, source = 'linked' AS linked,
		       hash(number, title, body, author, author_type, head_ref) AS digest
		FROM pull_versions),
	latest AS (
		SELECT * EXCLUDE (linked), bool_or(linked) OVER (PARTITION BY repository_id, number) AS linked FROM versions
		QUALIFY row_number() OVER (PARTITION BY repository_id, number ORDER BY fetched_at DESC, row DESC) = 1),
	digests AS (
		SELECT repository_id, count(*) AS pulls, sum(digest)::VARCHAR AS digest
		FROM latest WHERE merged_at IS NOT NULL AND (linked OR merged_at >= ` + since + `) GROUP BY repository_id),
	stored AS (
		SELECT repository_id, count(*) AS versions, min(fetched_at) AS first,
		max(fetched_at) AS last FROM versions GROUP BY repository_id)
	SELECT r.repository_id, r.repository, r.ecosystem, NOT (r.archived OR r.disabled OR r.fork), coalesce(d.pulls, 0),
	coalesce(d.digest, ''),
		coalesce(s.versions, 0), coalesce(s.first, TIMESTAMP '1970-01-01'), coalesce(s.last, TIMESTAMP '1970-01-01')
	FROM repositories r
	LEFT JOIN digests d USING (repository_id)
	LEFT JOIN stored s USING (repository_id)
	WHERE r.state <> 'gone' AND r.ecosystem IN (SELECT ecosystem FROM ecosystems WHERE kept)
	ORDER BY lower(r.repository), r.repository_id`

const aliases = `SELECT written, coalesce(repository_id, 0)
	FROM repository_aliases
	QUALIFY row_number() OVER (PARTITION BY lower(written) ORDER BY fetched_at DESC, rowid DESC) = 1
	ORDER BY written`

// items lists the repositories that have merged pulls. An item's result hangs on
// its pulls' texts and on what every name means.
func (s Stage) items(ctx context.Context) ([]pipeline.Item[repository], *inventory, error) {
	all, named, err := s.inventory(ctx)
	if err != nil {
		return nil, nil, err
	}
	inv := &inventory{active: map[string]repository{}, all: all, limits: s.limits}
	if inv.limits == (limits{}) {
		inv.limits = usual
	}
	var list []reference.Repository
	names := []any{}
	for _, r := range all {
		list = append(list, r.Repository)
		names = append(names, r.Repository, r.Active)
		if r.Active {
			inv.active[strings.ToLower(r.Name)] = r
		}
	}
	inv.Inventory = reference.NewInventory(list, named)
	meaning := pipeline.Hash(names, named)
	var items []pipeline.Item[repository]
	for _, r := range all {
		if r.Pulls > 0 {
			items = append(items, pipeline.Item[repository]{ID: r.Name, Hash: pipeline.Hash(r, meaning), Value: r})
		}
	}
	return items, inv, nil
}

func (s Stage) inventory(ctx context.Context) ([]repository, []reference.Alias, error) {
	rows, err := s.DB.Query(ctx, texts)
	if err != nil {
		return nil, nil, fmt.Errorf("reading repositories: %w", err)
	}
	all, err := pipeline.Scan(rows, func(r *repository) []any {
		return []any{&r.ID, &r.Name, &r.Ecosystem, &r.Active, &r.Pulls, &r.Texts, &r.versions, &r.first, &r.last}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading repositories: %w", err)
	}
	rows, err = s.DB.Query(ctx, aliases)
	if err != nil {
		return nil, nil, fmt.Errorf("reading aliases: %w", err)
	}
	named, err := pipeline.Scan(rows, func(a *reference.Alias) []any { return []any{&a.Written, &a.RepositoryID} })
	return present(all), named, err
}

// present drops a second repository of the same name: one that was renamed away
// and whose name another has taken since it was last seen.
func present(all []repository) []repository {
	kept := all[:0]
	for _, r := range all {
		if n := len(kept); n > 0 && strings.EqualFold(kept[n-1].Name, r.Name) {
			kept[n-1] = r // the higher id is the younger repository
			continue
		}
		kept = append(kept, r)
	}
	return kept
}
