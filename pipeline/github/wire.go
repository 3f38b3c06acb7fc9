package github

import "time"

// What the host answers, as far as wideswe reads it. Pointers are null where an
// account or a fork is gone.

// Account is a user, an organization or a bot.
type Account struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

// Repository is an element of a repository list.
type Repository struct {
	ID              int64      `json:"id"`
	FullName        string     `json:"full_name"`
	Private         bool       `json:"private"`
	Archived        bool       `json:"archived"`
	Disabled        bool       `json:"disabled"`
	Fork            bool       `json:"fork"`
	Stars           int64      `json:"stargazers_count"`
	Language        string     `json:"language"`
	DefaultBranch   string     `json:"default_branch"`
	Description     string     `json:"description"`
	PushedAt        *time.Time `json:"pushed_at"`
	HasPullRequests *bool      `json:"has_pull_requests"`
	License         *struct {
		SPDX string `json:"spdx_id"`
	} `json:"license"`
}

// Label is a pull's or issue's label.
type Label struct {
	Name string `json:"name"`
}

// Branch is an end of a pull.
type Branch struct {
	Ref        string `json:"ref"`
	SHA        string `json:"sha"`
	Repository *struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

// Pull is an element of a pull list, or a single pull.
type Pull struct {
	Number         int        `json:"number"`
	State          string     `json:"state"`
	Title          string     `json:"title"`
	Body           string     `json:"body"`
	User           *Account   `json:"user"`
	Labels         []Label    `json:"labels"`
	Draft          bool       `json:"draft"`
	CreatedAt      *time.Time `json:"created_at"`
	UpdatedAt      *time.Time `json:"updated_at"`
	ClosedAt       *time.Time `json:"closed_at"`
	MergedAt       *time.Time `json:"merged_at"`
	MergeCommitSHA string     `json:"merge_commit_sha"`
	Base           Branch     `json:"base"`
	Head           Branch     `json:"head"`
}

// Commit is an element of a commit list. The accounts are null where the host
// knows none of that address.
type Commit struct {
	SHA    string `json:"sha"`
	Commit struct {
		Message   string `json:"message"`
		Committer struct {
			Date *time.Time `json:"date"`
		} `json:"committer"`
	} `json:"commit"`
	Author    *Account `json:"author"`
	Committer *Account `json:"committer"`
}

// Issue is a single issue; PullRequest is set where the number is a pull's.
type Issue struct {
	Number      int        `json:"number"`
	State       string     `json:"state"`
	Title       string     `json:"title"`
	Body        string     `json:"body"`
	User        *Account   `json:"user"`
	Labels      []Label    `json:"labels"`
	CreatedAt   *time.Time `json:"created_at"`
	UpdatedAt   *time.Time `json:"updated_at"`
	ClosedAt    *time.Time `json:"closed_at"`
	PullRequest *struct {
		URL string `json:"url"`
	} `json:"pull_request"`
	RepositoryURL string `json:"repository_url"`
}
