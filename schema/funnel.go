package schema

// FunnelFile is funnel.json of a release: what each stage kept, and why it dropped
// the rest, at the time when the release was written.
type FunnelFile struct {
	Format int         `json:"format"`
	Rows   []FunnelRow `json:"rows"` // in the order of the stages
}

// FunnelRow counts the items of a stage that ended in one way. Each row names its
// unit, since pulls, candidates and tasks cannot be added up.
type FunnelRow struct {
	Stage string `json:"stage"`
	Unit  string `json:"unit"` // ecosystem repository pull candidate task
	// Status is done or skipped. Validate also has runnable (every target reports on
	// base and gold) and eligible (and every target has an F2P test).
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	Items  int64  `json:"items"`
}
