package schema

import "time"

// Status is how one item ended in one stage.
type Status string

// The ways in which an item ends. A failing test is data, never a failed item.
const (
	Done    Status = "done"
	Skipped Status = "skipped" // a fact about the item, kept with its reason
	Failed  Status = "failed"  // our machinery broke; the next run retries
	Gone    Status = "gone"    // the item left the stage's input; its rows were removed
)

// Outcome records the end of one item in one stage at one version and input.
type Outcome struct {
	Stage      string
	Item       string
	Version    string
	InputHash  string
	Status     Status
	Reason     string
	RecordedAt time.Time
}

// Skip reasons shared by several stages are short lower-case phrases that read
// well in SQL: "no test change", "not merged", "base tree needs blob …".
