package export

import (
	"context"

	"github.com/wideswe/wideswe/pipeline"
)

// readAround takes what choosing context and writing the data card need.
func (c *content) readAround(ctx context.Context, db pipeline.Queryer) error {
	type pair struct {
		a, b string
		n    int
	}
	two := func(p *pair) []any { return []any{&p.a, &p.b} }
	three := func(p *pair) []any { return []any{&p.a, &p.b, &p.n} }
	rules, err := query(ctx, db, two, `SELECT stage, max_by(version, ended_at) FROM stage_runs GROUP BY stage ORDER BY `+
		`stage`)
	if err != nil {
		return err
	}
	c.Rules = map[string]string{}
	for _, r := range rules {
		// This stage's own version is written by itself: its run ends after the release.
		if r.a != "export" {
			c.Rules[r.a] = r.b
		}
	}
	licenses, err := query(ctx, db, two, `SELECT repository, license FROM repositories ORDER BY repository`)
	if err != nil {
		return err
	}
	c.Licenses = map[string]string{}
	for _, l := range licenses {
		c.Licenses[l.a] = l.b
	}
	linked, err := query(ctx, db, three, `SELECT split_part(source, '#', 1) AS a, split_part(split_part(target, '#', 1), '@', 1) AS b, count(*)
		FROM links GROUP BY a, b ORDER BY a, b`)
	if err != nil {
		return err
	}
	c.Linked = map[string]int{}
	for _, l := range linked {
		c.Linked[l.a+" "+l.b] = l.n
	}
	inventory, err := query(ctx, db, two, `SELECT ecosystem, repository FROM repositories WHERE NOT fork AND NOT `+
		`disabled ORDER BY ecosystem, repository`)
	if err != nil {
		return err
	}
	c.Inventory = map[string][]string{}
	for _, l := range inventory {
		c.Inventory[l.a] = append(c.Inventory[l.a], l.b)
	}
	return nil
}
