// Package review turns people's verdicts into rows: it reads the files
// reviews/CANDIDATE/REVIEWER.yaml of the curator's folder, finds the candidate
// each applies to now, and says of every candidate whether it is accepted.
//
// The files are the truth and the tables follow them. A verdict on pulls that
// regrouping has since moved is carried over and marked stale; it counts again
// when someone gives it anew. [Desk] holds what the command line offers a
// reviewer. What a grouping decision does is the group stage's matter.
package review

import (
	"context"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/schema"
)

// Stage writes the tables reviews and candidate_verdicts.
type Stage struct {
	DB     pipeline.DB
	Folder folder.Folder
}

// Name implements [pipeline.Stage].
func (Stage) Name() string { return "review" }

// Version implements [pipeline.Stage].
func (Stage) Version() string { return "1" }

// Plan implements [pipeline.Planner].
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run implements [pipeline.Stage].
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, err := s.items(ctx)
	if err != nil {
		return err
	}
	return pipeline.Each(ctx, run, s, items, judge, remove)
}

// items are the candidates that inspect kept or that somebody reviewed, and the
// reviews that no candidate answers to, by the id they were written for.
func (s Stage) items(ctx context.Context) ([]pipeline.Item[*judged], error) {
	st, err := load(ctx, s.DB, s.Folder)
	if err != nil {
		return nil, err
	}
	var items []pipeline.Item[*judged]
	for _, j := range append(st.candidates, st.orphans...) {
		if !j.Kept && len(j.Reviews) == 0 {
			continue
		}
		items = append(items, pipeline.Item[*judged]{ID: j.ID, Hash: pipeline.Hash(j.Orphan, j.Pulls, j.Excluded, j.Reviews),
			Value: j})
	}
	return items, nil
}

func judge(_ context.Context, j *judged) (pipeline.Write, error) {
	write := func(ctx context.Context, tx pipeline.Tx) error {
		if err := remove(j.ID)(ctx, tx); err != nil {
			return err
		}
		if err := tx.Append(ctx, "reviews", reviewRows(j)); err != nil || j.Orphan {
			return err
		}
		return storeVerdict(ctx, tx, j.ID, j.Verdict)
	}
	return write, ending(j)
}

// StoreAccepted writes that a candidate is accepted without a review: a person who tries it out takes it as it is.
func StoreAccepted(ctx context.Context, tx pipeline.Tx, candidate, reason string) error {
	return storeVerdict(ctx, tx, candidate, verdict{State: schema.Accepted, Reason: reason})
}

func storeVerdict(ctx context.Context, tx pipeline.Tx, candidate string, v verdict) error {
	return tx.Append(ctx, "candidate_verdicts", [][]any{{candidate, v.State, v.Kind, v.Pattern, v.Reason}})
}

// ending tells why a candidate goes no further. The words before the colon are
// the same for all of a sort, so that counts by reason read well.
func ending(j *judged) error {
	switch v := j.Verdict; {
	case j.Orphan:
		return pipeline.Skip("no candidate: none holds a pull that was judged")
	case j.Excluded != "":
		return pipeline.Skip("excluded: %s", shorten(j.Excluded, 200))
	case v.State == schema.Accepted:
		return nil
	case v.State == schema.Unreviewed:
		return pipeline.Skip("not reviewed yet")
	default:
		return pipeline.Skip("%s: %s", v.State, shorten(v.Reason, 200))
	}
}

func reviewRows(j *judged) [][]any {
	id := j.ID
	if j.Orphan {
		id = ""
	}
	rows := make([][]any, len(j.Reviews))
	for i, r := range j.Reviews {
		rows[i] = []any{id, r.ReviewedAs, r.Reviewer, r.Verdict, r.Kind, r.Pattern, r.Reason, r.Note,
			r.Pulls, r.Stale, r.File, r.ReviewedAt}
	}
	return rows
}

func remove(id string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM reviews WHERE candidate_id = ? OR (candidate_id = '' AND reviewed_as = ?)", id,
			id); err != nil {
			return err
		}
		return tx.Exec(ctx, "DELETE FROM candidate_verdicts WHERE candidate_id = ?", id)
	}
}
