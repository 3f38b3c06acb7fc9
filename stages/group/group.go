// Package group joins linked pulls of two or more repositories into candidates.
//
// It reads links, what is known of the linked pulls and issues, and people's
// decisions; it writes edges, candidate_groups, group_members, campaigns and
// lineage. An item is an ecosystem. Every pair that a link or a shared issue
// proposes becomes an edge with a score and the reasons for it, admitted or not;
// the candidates are what the admitted edges hold together. Whether a candidate is
// one change is for people to say; which candidates repeat another is for dedupe.
//
// In order: propose.go makes edges of links and shared issues, score.go weighs
// them, hubs.go takes hubs and trackers out, join.go forms the groups under limits
// and decisions, explain.go writes down why, rows.go stores it all.
package group

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Stage is the stage; its fields are what it needs.
type Stage struct {
	DB      pipeline.DB
	Options // those that are not set have their defaults
	// Decisions gives people's decisions; nil: there are none.
	Decisions func(ctx context.Context) ([]schema.Decision, error)
}

// Name is the stage's name.
func (Stage) Name() string { return "group" }

// Version changes with the rules.
func (Stage) Version() string { return "4" }

// Plan lists the kept ecosystems.
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run groups every ecosystem whose links, pulls or decisions changed.
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, err := s.items(ctx)
	if err != nil {
		return err
	}
	stored, err := s.stored(ctx)
	if err != nil {
		return err
	}
	return pipeline.Each(ctx, run, s, items, func(ctx context.Context, in input) (pipeline.Write, error) {
		result := group(in)
		result.first = !stored[in.Ecosystem]
		return func(ctx context.Context, tx pipeline.Tx) error {
			return result.store(ctx, tx, run.Now().UTC())
		}, nil
	}, func(ecosystem string) pipeline.Write {
		return func(ctx context.Context, tx pipeline.Tx) error {
			return result{ecosystem: ecosystem}.store(ctx, tx, run.Now().UTC())
		}
	})
}

// stored gives the ecosystems that have rows of an earlier run.
func (s Stage) stored(ctx context.Context) (map[string]bool, error) {
	names, err := read[string](ctx, s.DB, "SELECT ecosystem FROM edges UNION SELECT ecosystem FROM candidate_groups "+
		"UNION SELECT ecosystem FROM campaigns", nil)
	has := map[string]bool{}
	for _, n := range names {
		has[n] = true
	}
	return has, err
}

func (s Stage) items(ctx context.Context) ([]pipeline.Item[input], error) {
	inputs, err := s.inputs(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading links: %w", err)
	}
	items := make([]pipeline.Item[input], len(inputs))
	for i, in := range inputs {
		items[i] = pipeline.Item[input]{ID: in.Ecosystem, Hash: pipeline.Hash(in), Value: in}
	}
	return items, nil
}

// group works one ecosystem out; the same input gives the same result in
// whatever order it came.
func group(in input) result {
	g := newGraph(in)
	g.propose()
	g.score()
	g.takeOutHubs()
	groups := g.join()
	return g.result(groups)
}
