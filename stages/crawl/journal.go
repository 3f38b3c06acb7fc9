package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// Pages is the archive of raw pages; [github.Archive] is one.
type Pages interface {
	// Remark keeps a note between the pages.
	Remark(at time.Time, note any) error
	Get(key string) (github.Header, []byte, error)
	// Each gives pages and remarks in the order in which they came.
	Each(ctx context.Context, visit func(key string, h github.Header, body []byte) error) error
}

// The kinds of notes. Those of pages say what was asked; the others are remarks,
// kept just before the rows they speak of are committed.
const (
	noteInventory = "inventory" // a page of an ecosystem's list
	notePage      = "page"      // a page of a pass
	noteAlias     = "alias"     // what a written name means; as a remark: it can't be a name
	noteNumber    = "number"    // a single pull or issue

	noteBegin   = "begin"   // the database is empty
	noteListed  = "listed"  // an ecosystem's list is whole
	noteLeft    = "left"    // an ecosystem is configured no more
	noteEnded   = "ended"   // a pass is over
	noteState   = "state"   // a repository can't be read
	noteMissing = "missing" // a number is neither an issue nor a pull
	noteLinked  = "linked"  // what an ecosystem's texts name is here

	noteCommits  = "commits"  // a page of a default branch's commits
	noteLanded   = "landed"   // what they say of pulls is decided
	noteUnlanded = "unlanded" // no rule is for the repository any more
)

// note is what a replay must know of a page, or a remark.
type note struct {
	Kind string    `json:"crawl"`
	At   time.Time `json:"at,omitzero"`
	Hash string    `json:"hash,omitempty"` // of the item that ended

	Ecosystem     string    `json:"ecosystem,omitempty"`
	Organizations []string  `json:"organizations,omitempty"`
	Repositories  []string  `json:"repositories,omitempty"`
	Config        string    `json:"config,omitempty"`
	Listed        time.Time `json:"listed,omitzero"`
	Ask           string    `json:"ask,omitempty"` // path and query
	// Keys names the pages of a list that is whole, by what was asked.
	Keys map[string]string `json:"keys,omitempty"`

	Repository int64     `json:"repository,omitempty"`
	Name       string    `json:"name,omitempty"`
	State      string    `json:"state,omitempty"`
	Started    time.Time `json:"started,omitzero"`
	Since      time.Time `json:"since,omitzero"`
	Cutoff     time.Time `json:"cutoff,omitzero"`
	PushedAt   time.Time `json:"pushed_at,omitzero"`
	Round      int       `json:"round,omitempty"`
	Offset     int64     `json:"offset,omitempty"`
	Size       int64     `json:"size,omitempty"`
	Pages      int       `json:"pages,omitempty"`
	Rows       int64     `json:"rows,omitempty"`
	After      string    `json:"after,omitempty"` // the page of the repository that was stored last

	Written string     `json:"written,omitempty"`
	Number  int        `json:"number,omitempty"`
	What    string     `json:"what,omitempty"` // pulls or issues
	Marked  [][2]int64 `json:"marked,omitempty"`

	Looked time.Time `json:"looked,omitzero"` // when nothing was pushed and it was looked at all the same
	Until  time.Time `json:"until,omitzero"`
	Page   int       `json:"page,omitempty"`
	Rule   *Landing  `json:"rule,omitempty"`
}

// note is what is kept with a page of the pass.
func (p *pass) note(round int, offset, size int64) note {
	return note{Kind: notePage, Repository: p.repo.ID, Name: p.repo.Name, Started: p.started, Since: p.since,
		Cutoff: p.cutoff,
		Round:  round, Offset: offset, Size: size, Pages: p.pages, Rows: p.rows, After: p.stored}
}

func (s Stage) remark(n note) error {
	if s.Pages == nil {
		return nil
	}
	return s.Pages.Remark(s.now(), n)
}

// begin remarks where the life of a database begins: what an archive holds from
// before is another one's.
func (s Stage) begin(ctx context.Context) error {
	empty, err := s.empty(ctx)
	if err != nil || !empty {
		return err
	}
	return s.remark(note{Kind: noteBegin, At: s.now()})
}

// empty says whether nothing was ever crawled into the database.
func (s Stage) empty(ctx context.Context) (bool, error) {
	rows, err := s.DB.Query(ctx, `SELECT NOT EXISTS (FROM crawl_inventories) AND NOT EXISTS (FROM repository_versions) `+
		`AND NOT EXISTS (FROM pull_versions)`)
	if err != nil {
		return false, err
	}
	got, err := pipeline.Scan[bool](rows, nil)
	return len(got) == 1 && got[0], err
}

// asked is a request as the notes name it.
func asked(r github.Request) string {
	if len(r.Query) == 0 {
		return r.Path
	}
	return r.Path + "?" + r.Query.Encode()
}

// answered is when a refusal came.
func (s Stage) answered(err error) time.Time {
	var refusal *github.StatusError
	if errors.As(err, &refusal) && !refusal.FetchedAt.IsZero() {
		return refusal.FetchedAt.UTC().Truncate(time.Microsecond)
	}
	return s.now()
}
