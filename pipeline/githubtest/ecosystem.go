package githubtest

import "time"

// Ecosystem describes everything the server knows.
type Ecosystem struct {
	// Name is the ecosystem's name, for configuration files.
	Name         string       `yaml:"name"`
	Owners       []Account    `yaml:"owners"`
	People       []Account    `yaml:"people"`
	Repositories []Repository `yaml:"repositories"`
	Issues       []Issue      `yaml:"issues"`
	// Pulls come from pulls/*.txtar, one archive a pull.
	Pulls []Pull `yaml:"-"`
}

// Account is an organization, a person or a bot.
type Account struct {
	Login string `yaml:"login"`
	ID    int64  `yaml:"id"`
	// Type is Organization, User or Bot; people are users where it is empty.
	Type string `yaml:"type"`
	Name string `yaml:"name"`
}

// Repository is one repository with its first tree.
type Repository struct {
	// Name is owner/name, the present one.
	Name string `yaml:"name"`
	ID   int64  `yaml:"id"`
	// OldNames are names it had before; they answer with a redirect.
	OldNames      []string  `yaml:"old_names"`
	Description   string    `yaml:"description"`
	Language      string    `yaml:"language"`
	License       string    `yaml:"license"` // SPDX id
	Stars         int       `yaml:"stars"`
	DefaultBranch string    `yaml:"default_branch"` // main where empty
	CreatedAt     time.Time `yaml:"created_at"`
	Archived      bool      `yaml:"archived"`
	Fork          bool      `yaml:"fork"`
	// PullsOff answers the pull lists with 404, as GitHub does where an owner switched pulls off.
	PullsOff bool     `yaml:"pulls_off"`
	Branches []Branch `yaml:"branches"`
	// Tree names the txtar archive of the first commit; empty is an empty repository.
	Tree  string `yaml:"tree"`
	Files []File `yaml:"-"`
}

// Branch is cut from the default branch at a time.
type Branch struct {
	Name string    `yaml:"name"`
	At   time.Time `yaml:"at"`
}

// File is one file of a tree or of a change.
type File struct {
	Path       string
	Data       []byte
	Executable bool
}

// Issue is an issue that is no pull.
type Issue struct {
	Repository string    `yaml:"repository"`
	Number     int       `yaml:"number"`
	Title      string    `yaml:"title"`
	Body       string    `yaml:"body"`
	Author     string    `yaml:"author"`
	Labels     []string  `yaml:"labels"`
	CreatedAt  time.Time `yaml:"created_at"`
	ClosedAt   time.Time `yaml:"closed_at"` // zero: open
	Comments   []Comment `yaml:"comments"`
}

// Comment is one comment below an issue or a pull.
type Comment struct {
	Author    string    `yaml:"author"`
	Body      string    `yaml:"body"`
	CreatedAt time.Time `yaml:"created_at"`
}

// Merge is the way a pull came into its base branch.
type Merge string

// The ways of merging that the host offers.
const (
	MergeCommit Merge = "merge"
	Squash      Merge = "squash"
	Rebase      Merge = "rebase"
)

// Pull is one pull request with its changes.
type Pull struct {
	Repository string    `yaml:"repository"`
	Number     int       `yaml:"number"`
	Title      string    `yaml:"title"`
	Body       string    `yaml:"body"`
	Author     string    `yaml:"author"` // empty: the account is gone
	Labels     []string  `yaml:"labels"`
	Draft      bool      `yaml:"draft"`
	CreatedAt  time.Time `yaml:"created_at"`
	// UpdatedAt is the latest of the other times where it is zero.
	UpdatedAt time.Time `yaml:"updated_at"`
	// MergedAt set: merged; only ClosedAt set: closed without merging; neither: open.
	MergedAt time.Time `yaml:"merged_at"`
	ClosedAt time.Time `yaml:"closed_at"`
	Merge    Merge     `yaml:"merge"` // how it was merged; squash where empty
	// LandedBy names the account that pushes the pull's change when it is closed, in a commit that
	// names it; the API shows such a pull as closed and not merged. LandingRevertedAt is when another
	// commit takes that one back.
	LandedBy          string    `yaml:"landed_by"`
	LandingRevertedAt time.Time `yaml:"landing_reverted_at"`
	Base              string    `yaml:"base"` // the default branch where empty
	Branch            string    `yaml:"branch"`
	// Fork names the account whose fork holds the branch; empty is the repository itself.
	Fork string `yaml:"fork"`
	// ForkGone makes the API say that the head's repository is gone.
	ForkGone bool `yaml:"fork_gone"`
	// HeadGone leaves out refs/pull/N/head and the pull's own commits; it must be merged.
	HeadGone bool `yaml:"head_gone"`
	// KeepBranch keeps the head branch in the repository after the end.
	KeepBranch bool      `yaml:"keep_branch"`
	Comments   []Comment `yaml:"comments"`
	// Commits divides the changes; one commit with all of them where it is empty.
	Commits []Commit `yaml:"commits"`
	// Delete and Executable name paths among the changes.
	Delete     []string `yaml:"delete"`
	Executable []string `yaml:"executable"`
	// Why says what this pull is in the ecosystem for; the server never shows it.
	Why   string `yaml:"why"`
	Files []File `yaml:"-"`
}

// Commit is one commit of a pull: the paths of the pull's changes it takes.
type Commit struct {
	Message string   `yaml:"message"`
	Paths   []string `yaml:"paths"`
}

// Merged says whether the pull was merged.
func (p Pull) Merged() bool { return !p.MergedAt.IsZero() }

// landed says whether a push of somebody closed it.
func (p Pull) landed() bool { return p.LandedBy != "" }

// ownTime is when the pull's ith commit was made: a minute each before it was opened.
func (p Pull) ownTime(i int) time.Time {
	return p.CreatedAt.Add(time.Duration(i-len(p.Commits)) * time.Minute)
}

// closed is the time the pull ended, zero for an open one.
func (p Pull) closed() time.Time {
	if p.Merged() {
		return p.MergedAt
	}
	return p.ClosedAt
}

// updated is the last time anything happened to the pull.
func (p Pull) updated() time.Time {
	if !p.UpdatedAt.IsZero() {
		return p.UpdatedAt
	}
	return latest(p.Comments, p.CreatedAt, p.closed())
}

func (i Issue) updated() time.Time { return latest(i.Comments, i.CreatedAt, i.ClosedAt) }

func latest(comments []Comment, times ...time.Time) time.Time {
	for _, c := range comments {
		times = append(times, c.CreatedAt)
	}
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
