package explain

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// item is what a person asks about.
type item struct {
	kind   string // pull, candidate, task, ecosystem
	values []any  // the arguments of the queries
}

// String returns the item as the person would write it.
func (i item) String() string {
	if len(i.values) == 2 {
		return fmt.Sprintf("%v#%v", i.values...)
	}
	return fmt.Sprint(i.values...)
}

// pullAddress is a pull as a browser shows it.
var pullAddress = regexp.MustCompile(`^https?://[^/]+/([^/]+/[^/]+)/pull/([0-9]+)(?:[/?#].*)?$`)

// findItem finds the item that a person names.
func findItem(ctx context.Context, db pipeline.Queryer, name string) (item, error) {
	if m := pullAddress.FindStringSubmatch(name); m != nil {
		name = m[1] + "#" + m[2]
	}
	if repository, number, err := schema.ParsePullName(name); err == nil {
		return findPull(ctx, db, name, repository, number)
	}
	for _, find := range []func(context.Context, pipeline.Queryer, string) (item, error){findEcosystem, findByPrefix} {
		i, err := find(ctx, db, name)
		if err != nil || i.kind != "" {
			return i, err
		}
	}
	return item{}, notFound(ctx, db, name)
}

func findPull(ctx context.Context, db pipeline.Queryer, name, repository string, number int) (item, error) {
	known, err := pipeline.Column(ctx, db, "SELECT repository FROM all_pulls WHERE lower(repository) = lower(?) AND "+
		"number = ?",
		repository, number)
	if err != nil {
		return item{}, err
	}
	if len(known) == 0 {
		return item{}, pipeline.Usage("pull %s is not in the database; wideswe sql -c \"SELECT * FROM crawl_health\" "+
			"shows what was crawled", name)
	}
	return item{"pull", []any{known[0], number}}, nil
}

// findEcosystem finds an ecosystem by its name, or by an organization that is of it alone.
func findEcosystem(ctx context.Context, db pipeline.Queryer, name string) (item, error) {
	ecosystems, err := pipeline.Column(ctx, db, `SELECT ecosystem FROM ecosystems WHERE lower(ecosystem) = lower(?)
		UNION ALL SELECT * FROM (SELECT min(ecosystem) FROM ecosystems
			WHERE list_contains(list_transform(organizations, o -> lower(o)),
			lower(?)) HAVING count(*) = 1) LIMIT 1`, name, name)
	if err != nil || len(ecosystems) == 0 {
		return item{}, err
	}
	return item{"ecosystem", []any{ecosystems[0]}}, nil
}

// findByPrefix finds a task or a candidate by its id, or by a prefix that names one alone.
func findByPrefix(ctx context.Context, db pipeline.Queryer, name string) (item, error) {
	for _, k := range []struct{ kind, query string }{
		{"task", "SELECT task_id FROM task_list WHERE starts_with(task_id, ?) ORDER BY task_id = ? DESC, 1"},
		{"candidate", "SELECT candidate_id FROM candidate_groups WHERE starts_with(candidate_id, ?) ORDER BY candidate_id " +
			"= ? DESC, 1"},
	} {
		ids, err := pipeline.Column(ctx, db, k.query, name, name)
		if err != nil {
			return item{}, err
		}
		if len(ids) == 1 || len(ids) > 1 && ids[0] == name {
			return item{k.kind, []any{ids[0]}}, nil
		}
		if len(ids) > 1 {
			return item{}, pipeline.Usage("%q names several: %s", name, strings.Join(ids[:min(len(ids), 8)], ", "))
		}
	}
	return item{}, nil
}

// notFound explains what became of a candidate that is no more, or that there is no such item.
func notFound(ctx context.Context, db pipeline.Queryer, name string) error {
	became, err := pipeline.Column(ctx, db, `SELECT DISTINCT old_candidate || ' is a candidate no more: ' || if(new_candidate = '',
		'its pulls ' || array_to_string(removed, ', ') || ' are in no candidate', 'its pulls are in ' || new_candidate)
		FROM lineage WHERE starts_with(old_candidate, ?) ORDER BY 1`, name)
	if err != nil {
		return err
	}
	if name != "" && len(became) > 0 {
		return pipeline.Usage("%s", strings.Join(became[:min(len(became), 8)], "; "))
	}
	return pipeline.Usage("%q is no pull (owner/name#N), candidate, task or ecosystem of this folder; "+
		"wideswe candidates lists the candidates, sql -c 'SELECT * FROM ecosystem_list' the ecosystems", name)
}
