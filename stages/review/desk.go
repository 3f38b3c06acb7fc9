package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/schema"
)

// Desk is where a reviewer works: it shows candidates and takes verdicts. It reads
// the database and writes files of the folder alone, so a snapshot serves; the
// stage brings what was decided into the tables.
type Desk struct {
	DB     pipeline.Queryer
	Folder folder.Folder
	Now    func() time.Time // nil: the clock
	WebURL string           // where people read pulls; '' is GitHub
}

func (d Desk) now() time.Time {
	if d.Now == nil {
		return time.Now()
	}
	return d.Now()
}

// ListOptions filter [Desk.List]; the zero value lists all that inspect kept or
// somebody reviewed.
type ListOptions struct {
	Ecosystem  string
	Repository string // owner/name, any case
	Status     string // unreviewed accepted rejected disputed stale grouped dropped orphaned
	Reviewer   string // reviewed by
	Since      time.Time
	All        bool // what was dropped or waits for inspect, too
	Limit      int  // 0: no limit
}

// Row is one candidate in a list.
type Row struct {
	Candidate    string    `json:"candidate_id"`
	Status       string    `json:"status"`
	Kind         string    `json:"kind,omitempty"`
	Pattern      string    `json:"pattern,omitempty"`
	Ecosystem    string    `json:"ecosystem"`
	Repositories []string  `json:"repositories"`
	Pulls        []string  `json:"pulls"`
	Titles       []string  `json:"titles"` // in the order of the pulls
	Latest       time.Time `json:"latest_merged_at,omitzero"`
	Reviewers    []string  `json:"reviewers"`
	Reason       string    `json:"reason,omitempty"`
}

// The states of a [Row] beside the verdicts.
const (
	dropped  = "dropped"  // dedupe or inspect did not keep it, and nobody reviewed it
	grouped  = "grouped"  // inspect has not looked at it yet, and nobody reviewed it
	orphaned = "orphaned" // reviews without a candidate
)

func (j *judged) status() string {
	switch {
	case j.Orphan:
		return orphaned
	case j.Waiting && len(j.Reviews) == 0:
		return grouped
	case !j.Kept && len(j.Reviews) == 0:
		return dropped
	}
	return j.Verdict.State
}

func (j *judged) row(titles map[string]string) Row {
	r := Row{Candidate: j.ID, Status: j.status(), Kind: j.Verdict.Kind, Pattern: j.Verdict.Pattern, Ecosystem: j.Ecosystem,
		Repositories: append([]string{}, j.Repositories...), Pulls: append([]string{}, j.Pulls...),
		Titles: []string{}, Reviewers: []string{}, Latest: j.Latest, Reason: j.Verdict.Reason}
	for _, p := range j.Pulls {
		r.Titles = append(r.Titles, titles[p])
	}
	for _, rev := range j.Reviews {
		if !slices.Contains(r.Reviewers, rev.Reviewer) {
			r.Reviewers = append(r.Reviewers, rev.Reviewer)
		}
	}
	switch r.Status {
	case dropped:
		r.Reason = j.FactsReason
	case grouped:
		r.Reason = "not inspected yet; wideswe inspect does it"
	case orphaned:
		r.Reason = "no candidate holds a pull that was judged; the files stay as they are"
	}
	return r
}

// List gives the candidates that the options ask for, the latest merged first.
func (d Desk) List(ctx context.Context, o ListOptions) ([]Row, error) {
	if err := checkStatus(o.Status); err != nil {
		return nil, err
	}
	st, err := load(ctx, d.DB, d.Folder)
	if err != nil {
		return nil, err
	}
	var chosen []*judged
	for _, j := range append(st.candidates, st.orphans...) {
		if o.wants(st, j) {
			chosen = append(chosen, j)
		}
	}
	slices.SortFunc(chosen, func(a, b *judged) int { return cmp.Or(b.Latest.Compare(a.Latest), cmp.Compare(a.ID, b.ID)) })
	if o.Limit > 0 && len(chosen) > o.Limit {
		chosen = chosen[:o.Limit]
	}
	titles, err := d.titles(ctx, st)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(chosen))
	for i, j := range chosen {
		rows[i] = j.row(titles)
	}
	return rows, nil
}

func checkStatus(status string) error {
	all := []string{"", schema.Unreviewed, schema.Accepted, schema.Rejected, schema.Disputed, schema.Stale, grouped,
		dropped, orphaned}
	if !slices.Contains(all, status) {
		return pipeline.Usage("%q is no status of a candidate; write one of %s", status, strings.Join(all[1:], ", "))
	}
	return nil
}

func (o ListOptions) wants(st *state, j *judged) bool {
	status := j.status()
	switch {
	case o.Status != "" && o.Status != status,
		o.Status == "" && (status == dropped || status == grouped) && !o.All,
		o.Ecosystem != "" && o.Ecosystem != j.Ecosystem,
		o.Repository != "" && !st.holds(j, o.Repository),
		!o.Since.IsZero() && j.Latest.Before(o.Since):
		return false
	}
	return o.Reviewer == "" || slices.ContainsFunc(j.Reviews,
		func(r schema.Review) bool { return r.Reviewer == o.Reviewer })
}

func (d Desk) titles(ctx context.Context, st *state) (map[string]string, error) {
	rows, err := d.DB.Query(ctx, `SELECT p.repository_id, p.number, arg_max(p.title, p.fetched_at)
		FROM pull_versions p SEMI JOIN group_members m ON m.repository_id = p.repository_id AND m.number = p.number
		GROUP BY p.repository_id, p.number`)
	if err != nil {
		return nil, fmt.Errorf("reading titles: %w", err)
	}
	type titled struct {
		member
		title string
	}
	list, err := pipeline.Scan(rows, func(t *titled) []any { return []any{&t.RepositoryID, &t.Number, &t.title} })
	byKey := make(map[string]string, len(list))
	for _, t := range list {
		byKey[t.key()] = plain(t.title)
	}
	titles := map[string]string{}
	for _, j := range st.candidates {
		for _, m := range j.Members {
			titles[m.name()] = byKey[m.key()]
		}
	}
	return titles, err
}

// find gives the candidate that a person means: by its id, by the beginning of it,
// or by a pull it holds.
func (st *state) find(what string) (*judged, error) {
	if j := st.byID[what]; j != nil {
		return j, nil
	}
	var found []*judged
	if strings.Contains(what, "#") {
		found = st.byPull[st.key(what)]
	} else if len(what) >= 4 {
		for _, j := range st.candidates {
			if strings.HasPrefix(j.ID, strings.ToLower(what)) {
				found = append(found, j)
			}
		}
	} else {
		return nil, pipeline.Usage("%q is too short for a candidate; write at least four characters of its id", what)
	}
	switch len(found) {
	case 0:
		return nil, pipeline.Usage("no candidate %q; wideswe review list shows them", what)
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, j := range found[:min(5, len(found))] {
		ids = append(ids, j.ID)
	}
	return nil, pipeline.Usage("%q can be %d candidates: %s; write more of the id", what, len(found), strings.Join(ids,
		", "))
}

// AcceptOptions are the words of review accept.
type AcceptOptions struct{ Kind, Pattern, Reviewer, Note string }

// Accept writes that a reviewer takes the candidate for one change.
func (d Desk) Accept(ctx context.Context, candidate string, o AcceptOptions) (schema.Review, error) {
	if o.Kind != schema.Bugfix && o.Kind != schema.Feature {
		return schema.Review{}, pipeline.Usage("say what the change is: --kind bugfix or --kind feature")
	}
	return d.give(ctx, candidate, schema.Review{Verdict: schema.Accept, Kind: o.Kind, Pattern: o.Pattern,
		Reviewer: o.Reviewer, Note: o.Note})
}

// RejectOptions are the words of review reject.
type RejectOptions struct{ Reason, Reviewer, Note string }

// Reject writes that a reviewer does not take the candidate.
func (d Desk) Reject(ctx context.Context, candidate string, o RejectOptions) (schema.Review, error) {
	if strings.TrimSpace(o.Reason) == "" {
		return schema.Review{}, pipeline.Usage("say why: --reason \"an incidental mention\"")
	}
	return d.give(ctx, candidate, schema.Review{Verdict: schema.Reject, Reason: o.Reason, Reviewer: o.Reviewer,
		Note: o.Note})
}

func (d Desk) give(ctx context.Context, candidate string, r schema.Review) (schema.Review, error) {
	if err := folder.CheckReviewer(r.Reviewer); err != nil {
		return r, err
	}
	st, err := load(ctx, d.DB, d.Folder)
	if err != nil {
		return r, err
	}
	j, err := st.find(candidate)
	if err != nil {
		return r, err
	}
	r.CandidateID, r.ReviewedAs, r.Pulls, r.ReviewedAt = j.ID, j.ID, j.Pulls, d.now()
	return d.Folder.WriteReview(r)
}

// SplitOptions are the words of review split.
type SplitOptions struct {
	Pulls            []string // those that leave together; none: every member stands alone
	Reviewer, Reason string
}

// Split writes the decision that a candidate's pulls are not one change.
func (d Desk) Split(ctx context.Context, candidate string, o SplitOptions) (schema.Decision, error) {
	st, err := d.open(ctx, o.Reviewer, o.Reason)
	if err != nil {
		return schema.Decision{}, err
	}
	j, err := st.find(candidate)
	if err != nil {
		return schema.Decision{}, err
	}
	apart, err := st.parts(j, o.Pulls)
	if err != nil {
		return schema.Decision{}, err
	}
	return d.Folder.WriteDecision(schema.Decision{Action: schema.KeepApart, Apart: apart, Candidate: j.ID,
		Reviewer: o.Reviewer, Reason: o.Reason, At: d.now()})
}

func (d Desk) open(ctx context.Context, reviewer, reason string) (*state, error) {
	if err := folder.CheckReviewer(reviewer); err != nil {
		return nil, err
	}
	if strings.TrimSpace(reason) == "" {
		return nil, pipeline.Usage("say why: --reason \"two separate fixes\"")
	}
	return load(ctx, d.DB, d.Folder)
}

// parts divides a candidate's pulls into those that leave and those that stay.
func (st *state) parts(j *judged, leave []string) ([][]string, error) {
	if len(leave) == 0 {
		alone := make([][]string, len(j.Pulls))
		for i, p := range j.Pulls {
			alone[i] = []string{p}
		}
		return alone, nil
	}
	wanted, members := st.keys(leave), j.keys()
	for _, p := range leave {
		if !members[st.key(p)] {
			return nil, pipeline.Usage("%s is not in candidate %s, which holds %s", p, j.ID, strings.Join(j.Pulls, ", "))
		}
	}
	var gone, rest []string
	for _, m := range j.Members {
		if wanted[m.key()] {
			gone = append(gone, m.name())
		} else {
			rest = append(rest, m.name())
		}
	}
	if len(rest) == 0 {
		return nil, pipeline.Usage("every pull of %s would leave; name fewer, or none to set each on its own", j.ID)
	}
	return [][]string{gone, rest}, nil
}

// MergeOptions are the words of review merge.
type MergeOptions struct{ Reviewer, Reason string }

// Merge writes the decision that the pulls of several candidates, and any single
// pulls named beside them, are one change.
func (d Desk) Merge(ctx context.Context, what []string, o MergeOptions) (schema.Decision, error) {
	st, err := d.open(ctx, o.Reviewer, o.Reason)
	if err != nil {
		return schema.Decision{}, err
	}
	var pulls []string
	for _, w := range what {
		j, err := st.find(w)
		switch {
		case err == nil:
			pulls = append(pulls, j.Pulls...)
		case folder.CheckPull(w) == nil && len(st.byPull[st.key(w)]) == 0:
			if err := d.merged(ctx, w); err != nil {
				return schema.Decision{}, err
			}
			pulls = append(pulls, w) // a pull that is in no candidate yet
		default:
			return schema.Decision{}, err
		}
	}
	slices.Sort(pulls)
	pulls = slices.Compact(pulls)
	if len(what) < 2 || len(pulls) < 2 {
		return schema.Decision{}, pipeline.Usage("name two or more candidates, or a candidate and pulls owner/name#number")
	}
	if one := repositoryOf(pulls[0]); !slices.ContainsFunc(pulls,
		func(p string) bool { return !strings.EqualFold(repositoryOf(p), one) }) {
		return schema.Decision{}, pipeline.Usage("all these pulls are of %s; a candidate holds pulls of two repositories "+
			"or more", one)
	}
	return d.Folder.WriteDecision(schema.Decision{Action: schema.KeepTogether, Pulls: pulls,
		Reviewer: o.Reviewer, Reason: o.Reason, At: d.now()})
}

// merged refuses a pull that group would never see: a slip of the pen in a decision
// changes nothing, and nobody would be told.
func (d Desk) merged(ctx context.Context, pull string) error {
	repository, number, err := schema.ParsePullName(pull)
	if err != nil {
		return err
	}
	rows, err := d.DB.Query(ctx, "SELECT merged_at IS NOT NULL FROM all_pulls WHERE lower(repository) = lower(?) AND "+
		"number = ?", repository, number)
	if err != nil {
		return err
	}
	merged, err := pipeline.Scan[bool](rows, nil)
	switch {
	case err != nil:
		return err
	case len(merged) == 0:
		return pipeline.Usage("pull %s is not in the database; wideswe sql -c \"SELECT * FROM crawl_health\" shows what "+
			"was crawled", pull)
	case !merged[0]:
		return pipeline.Usage("pull %s is not merged, so it can't be part of a task", pull)
	}
	return nil
}

func repositoryOf(pull string) string {
	repository, _, _ := strings.Cut(pull, "#")
	return repository
}
