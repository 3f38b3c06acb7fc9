package evaluate

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// earlierResults are the outcomes and verdicts that are stored, by the items' ids.
type earlierResults struct {
	version  string // of the stage
	outcomes map[string]schema.Outcome
	reports  map[string]schema.TaskReport
}

func readEarlier(ctx context.Context, ledger pipeline.Ledger, db pipeline.Queryer, stage, version string) (
	earlierResults, error) {
	outcomes, err := ledger.Latest(ctx, stage)
	if err != nil {
		return earlierResults{}, err
	}
	reports, err := results.TaskReports(ctx, db)
	if err != nil {
		return earlierResults{}, fmt.Errorf("reading verdicts: %w", err)
	}
	return earlierResults{version, outcomes, reports}, nil
}

// isCurrent tells whether an item's outcome still answers for it.
func (r earlierResults) isCurrent(it pipeline.Item[item]) bool {
	o, known := r.outcomes[it.ID]
	return known && pipeline.Stands(o, r.version, it.Hash)
}

// missingReason says why an item has no verdict.
func (r earlierResults) missingReason(it pipeline.Item[item]) string {
	o, known := r.outcomes[it.ID]
	if known && o.Status == schema.Failed && o.InputHash == it.Hash {
		return o.Reason
	}
	return "not run yet; run the same command again"
}
