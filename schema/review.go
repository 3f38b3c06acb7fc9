package schema

import "time"

// The verdicts a reviewer gives.
const (
	Accept = "accept"
	Reject = "reject"
)

// The kinds of change a task is.
const (
	Bugfix  = "bugfix"
	Feature = "feature"
)

// The patterns of change over several repositories.
const (
	ProducerConsumer = "producer-consumer" // one target needs what another gains
	Parallel         = "parallel"          // the same change in each, none needs another
)

// The states of a candidate over all its reviews; table candidate_verdicts.
const (
	Accepted   = "accepted"   // everyone accepts, with one kind
	Rejected   = "rejected"   // everyone rejects
	Disputed   = "disputed"   // reviewers differ
	Stale      = "stale"      // the pulls judged are not the candidate's any more
	Unreviewed = "unreviewed" // nobody has looked
)

// Review is one person's verdict on one candidate: a row of the table reviews,
// and the file reviews/CANDIDATE/REVIEWER.yaml.
type Review struct {
	CandidateID string `yaml:"-" json:"candidate_id"` // the candidate it applies to now, '' for none
	ReviewedAs  string `yaml:"candidate" json:"reviewed_as"`
	Reviewer    string `yaml:"reviewer" json:"reviewer"`
	Verdict     string `yaml:"verdict" json:"verdict"`
	Kind        string `yaml:"kind,omitempty" json:"kind,omitempty"`
	Pattern     string `yaml:"pattern,omitempty" json:"pattern,omitempty"`
	Reason      string `yaml:"reason,omitempty" json:"reason,omitempty"`
	Note        string `yaml:"note,omitempty" json:"note,omitempty"`
	// Pulls are the pulls judged, owner/name#N, sorted.
	Pulls      []string  `yaml:"pulls" json:"pulls"`
	Stale      bool      `yaml:"-" json:"stale,omitempty"`
	File       string    `yaml:"-" json:"file,omitempty"` // under the folder, with slashes
	ReviewedAt time.Time `yaml:"reviewed_at" json:"reviewed_at"`
}

// What a decision does to the grouping of pulls.
const (
	KeepTogether = "keep_together"
	KeepApart    = "keep_apart"
)

// Decision is one person's decision on which pulls are one change: a file of
// reviews/decisions. It overrides what the group stage would do by itself.
type Decision struct {
	// Action is [KeepTogether] or [KeepApart].
	Action string `yaml:"action" json:"action"`
	// Pulls, owner/name#N, are in one candidate (keep_together).
	Pulls []string `yaml:"pulls,omitempty" json:"pulls,omitempty"`
	// Apart are sets of pulls: no pull of one set is in a candidate with a pull of
	// another (keep_apart). Pulls of one set may stay together.
	Apart [][]string `yaml:"apart,omitempty" json:"apart,omitempty"`
	// Candidate is the candidate the person looked at, for the record.
	Candidate string    `yaml:"candidate,omitempty" json:"candidate,omitempty"`
	Reviewer  string    `yaml:"reviewer" json:"reviewer"`
	Reason    string    `yaml:"reason" json:"reason"`
	At        time.Time `yaml:"decided_at" json:"decided_at"`
	File      string    `yaml:"-" json:"file,omitempty"` // under the folder, with slashes
}

// Exclusion is one line of exclude.yaml: what the benchmark must not use, and why.
// Exactly one of Pull, Candidate and Repository is set.
type Exclusion struct {
	Pull       string `yaml:"pull,omitempty" json:"pull,omitempty"`             // owner/name#N
	Candidate  string `yaml:"candidate,omitempty" json:"candidate,omitempty"`   // its id
	Repository string `yaml:"repository,omitempty" json:"repository,omitempty"` // owner/name
	Reason     string `yaml:"reason" json:"reason"`
}

// Selection is selection.yaml: which tasks a release holds.
type Selection struct {
	// Pins are a person's; balance obeys them.
	Pins Pins `yaml:"pins" json:"pins"`
	// Sets are task sets that a person names, for reports on a part of the release.
	Sets map[string][]string `yaml:"sets,omitempty" json:"sets,omitempty"`
	// Tasks are balance's, rewritten by each run.
	Tasks []SelectedTask `yaml:"tasks" json:"tasks"`
}

// Pins names tasks that are in, or not in, the release whatever balance thinks.
type Pins struct {
	Include []string `yaml:"include" json:"include"`
	Exclude []string `yaml:"exclude" json:"exclude"`
}

// SelectedTask is balance's word on one eligible task.
type SelectedTask struct {
	Task     string `yaml:"task" json:"task"`
	Selected bool   `yaml:"selected" json:"selected"`
	Reason   string `yaml:"reason" json:"reason"`
}
