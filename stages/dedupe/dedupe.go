// Package dedupe finds what repeats something else.
//
// It marks candidates that are backports or cherry-picks of another (duplicates),
// proposes to consolidate candidates that share a pull or an issue
// (consolidation_proposals; a person decides, see stage review), proposes pairs of pulls
// that titles or branches suggest and no link ties (pull_proposals), and makes the
// paper's records of paper_links with the key of appendix A.1 (records). An item is
// an ecosystem. It looks at no file of a pull but by its patch id.
package dedupe

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
)

// Stage is the stage; its fields are what it needs.
type Stage struct {
	DB pipeline.DB
	// PatchID gives the stable patch id of a pull's change, '' where no mirror
	// knows it; nil where there are no mirrors at all.
	PatchID func(ctx context.Context, repositoryID int64, number int) (string, error)
}

// Name is the stage's name.
func (Stage) Name() string { return "dedupe" }

// Version changes with the rules.
func (Stage) Version() string { return "2" }

// Plan lists the kept ecosystems.
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run works on every ecosystem whose candidates or paper links changed.
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, err := s.items(ctx)
	if err != nil {
		return err
	}
	first, err := s.first(ctx)
	if err != nil {
		return err
	}
	return pipeline.Each(ctx, run, s, items, func(ctx context.Context, in input) (pipeline.Write, error) {
		repeats, err := s.duplicates(ctx, in.candidates())
		if err != nil {
			return nil, err
		}
		return store(in.Ecosystem, repeats, proposals(in, repeats), records(in), pairRows(in), first), nil
	}, func(ecosystem string) pipeline.Write { return store(ecosystem, nil, nil, nil, nil, false) })
}

func (s Stage) items(ctx context.Context) ([]pipeline.Item[input], error) {
	inputs, err := s.inputs(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading candidates: %w", err)
	}
	items := make([]pipeline.Item[input], len(inputs))
	for i, in := range inputs {
		items[i] = pipeline.Item[input]{ID: in.Ecosystem, Hash: pipeline.Hash(in, s.PatchID != nil), Value: in}
	}
	return items, nil
}

// first says whether the stage's tables hold nothing yet: then there is nothing to
// replace.
func (s Stage) first(ctx context.Context) (bool, error) {
	rows, err := s.DB.Query(ctx, "SELECT 1 FROM duplicates UNION SELECT 1 FROM consolidation_proposals UNION SELECT 1 "+
		"FROM records UNION SELECT 1 FROM pull_proposals")
	if err != nil {
		return false, err
	}
	some, err := pipeline.Scan[int](rows, nil)
	return len(some) == 0, err
}

// store replaces an ecosystem's rows. duplicates and proposals have no column for
// the ecosystem, so rows of candidates that are no more go with it.
func store(ecosystem string, repeats []repeat, proposed []proposal, records, pairs [][]any, first bool) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		const others = " IN (SELECT candidate_id FROM candidate_groups WHERE ecosystem <> ?)"
		for _, q := range []string{
			"DELETE FROM duplicates WHERE NOT (candidate_id" + others + ")",
			"DELETE FROM consolidation_proposals WHERE NOT (a_candidate" + others + ")",
			"DELETE FROM records WHERE ecosystem = ?",
			"DELETE FROM pull_proposals WHERE ecosystem = ?",
		} {
			if first {
				break
			}
			if err := tx.Exec(ctx, q, ecosystem); err != nil {
				return err
			}
		}
		var rows, proposals [][]any
		for _, r := range repeats {
			rows = append(rows, []any{r.candidate, r.kept, r.reason})
		}
		for _, p := range proposed {
			proposals = append(proposals, []any{p.a, p.b, p.shared, p.reason})
		}
		if err := tx.Append(ctx, "duplicates", rows); err != nil {
			return err
		}
		if err := tx.Append(ctx, "consolidation_proposals", proposals); err != nil {
			return err
		}
		if err := tx.Append(ctx, "pull_proposals", pairs); err != nil {
			return err
		}
		return tx.Append(ctx, "records", records)
	}
}
