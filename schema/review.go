package schema

import "time"

// The verdicts of a reviewer.
const (
	Accept = "accept"
	Reject = "reject"
)

// The kinds of change.
const (
	Bugfix  = "bugfix"
	Feature = "feature"
)

// The patterns of change across repositories.
const (
	ProducerConsumer = "producer-consumer" // one target uses what another adds
	Parallel         = "parallel"          // each repository makes the same change on its own
)

// The states of a candidate by all its reviews, as in the table candidate_verdicts.
const (
	Accepted   = "accepted"   // everyone accepts, with one kind
	Rejected   = "rejected"   // everyone rejects
	Disputed   = "disputed"   // reviewers differ
	Stale      = "stale"      // the reviewed pulls are no longer those of the candidate
	Unreviewed = "unreviewed" // no review yet
)

// Review is one person's verdict on one candidate: a row of the table reviews, and
// the file reviews/CANDIDATE/REVIEWER.yaml.
type Review struct {
	CandidateID string `yaml:"-" json:"candidate_id"` // the candidate that it applies to now, "" for none
	ReviewedAs  string `yaml:"candidate" json:"reviewed_as"`
	Reviewer    string `yaml:"reviewer" json:"reviewer"`
	Verdict     string `yaml:"verdict" json:"verdict"`
	Kind        string `yaml:"kind,omitempty" json:"kind,omitempty"`
	Pattern     string `yaml:"pattern,omitempty" json:"pattern,omitempty"`
	Reason      string `yaml:"reason,omitempty" json:"reason,omitempty"`
	Note        string `yaml:"note,omitempty" json:"note,omitempty"`
	// Pulls lists the reviewed pulls as owner/name#N, sorted.
	Pulls      []string  `yaml:"pulls" json:"pulls"`
	Stale      bool      `yaml:"-" json:"stale,omitempty"`
	File       string    `yaml:"-" json:"file,omitempty"` // relative to the folder, with slashes
	ReviewedAt time.Time `yaml:"reviewed_at" json:"reviewed_at"`
}

// The actions of a decision.
const (
	KeepTogether = "keep_together"
	KeepApart    = "keep_apart"
)

// Decision is one person's decision on which pulls are one change, a file of
// reviews/decisions. It overrides the rules of the group stage.
type Decision struct {
	// Action is [KeepTogether] or [KeepApart].
	Action string `yaml:"action" json:"action"`
	// Pulls lists the pulls of one candidate as owner/name#N (keep_together).
	Pulls []string `yaml:"pulls,omitempty" json:"pulls,omitempty"`
	// Apart lists sets of pulls. Pulls of different sets are never in one candidate
	// (keep_apart); pulls of one set may be.
	Apart [][]string `yaml:"apart,omitempty" json:"apart,omitempty"`
	// Candidate is the candidate that the person looked at, for the record.
	Candidate string    `yaml:"candidate,omitempty" json:"candidate,omitempty"`
	Reviewer  string    `yaml:"reviewer" json:"reviewer"`
	Reason    string    `yaml:"reason" json:"reason"`
	At        time.Time `yaml:"decided_at" json:"decided_at"`
	File      string    `yaml:"-" json:"file,omitempty"` // relative to the folder, with slashes
}

// Exclusion is one line of exclude.yaml: a pull, candidate or repository that the
// benchmark must not use, and why. Exactly one of the three is set.
type Exclusion struct {
	Pull       string `yaml:"pull,omitempty" json:"pull,omitempty"`             // owner/name#N
	Candidate  string `yaml:"candidate,omitempty" json:"candidate,omitempty"`   // its id
	Repository string `yaml:"repository,omitempty" json:"repository,omitempty"` // owner/name
	Reason     string `yaml:"reason" json:"reason"`
}

// Selection is selection.yaml, the tasks of a release.
type Selection struct {
	// Pins are written by people; balance follows them.
	Pins Pins `yaml:"pins" json:"pins"`
	// Sets are named by people, for reports on a part of the release.
	Sets map[string][]string `yaml:"sets,omitempty" json:"sets,omitempty"`
	// Tasks are written by balance, anew in each run.
	Tasks []SelectedTask `yaml:"tasks" json:"tasks"`
}

// Pins lists tasks that are in the release, or not in it, whatever balance would choose.
type Pins struct {
	Include []string `yaml:"include" json:"include"`
	Exclude []string `yaml:"exclude" json:"exclude"`
}

// SelectedTask is balance's choice for one task.
type SelectedTask struct {
	Task     string `yaml:"task" json:"task"`
	Selected bool   `yaml:"selected" json:"selected"`
	Reason   string `yaml:"reason" json:"reason"`
}
