package schema

// FunnelFile is funnel.json of a release: what each stage kept and why the rest
// dropped out, as the database stood when the release was written.
type FunnelFile struct {
	Format int         `json:"format"`
	Rows   []FunnelRow `json:"rows"` // in the road's order
}

// FunnelRow counts the items of a stage that ended one way. Each names its unit:
// pulls, candidates and tasks are no parts of one another.
type FunnelRow struct {
	Stage string `json:"stage"`
	Unit  string `json:"unit"` // ecosystem repository pull candidate task
	// Status is done or skipped; of validate also runnable (every target reports on
	// base and gold) and eligible (and has an F2P), which count among its tasks.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	Items  int64  `json:"items"`
}
