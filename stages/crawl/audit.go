package crawl

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// Audited is what an audit found of one repository.
type Audited struct {
	Repository string    `json:"repository"`
	Ecosystem  string    `json:"ecosystem"`
	Since      time.Time `json:"since"`
	Until      time.Time `json:"until,omitzero"`
	Expected   int64     `json:"expected"` // merged in the window, as the host's search counts
	Stored     int64     `json:"stored"`
	Missing    []int     `json:"missing"`  // that the search lists and that are not here
	Unlisted   []int     `json:"unlisted"` // that are here and that the search does not list
	Unread     bool      `json:"unread"`   // no pass over it has ended: nothing to count
	Questions  int       `json:"questions"`

	id int64
}

// Complete says whether nothing is missing.
func (a Audited) Complete() bool {
	return !a.Unread && len(a.Missing) == 0 && a.Expected <= a.Stored+int64(len(a.Unlisted))
}

// Audit counts the merged pulls of every repository that is read against the
// host's search, and lists those that are missing. What was counted for the same
// window and the same rows stands: an audit that was stopped goes on.
func (s Stage) Audit(ctx context.Context, run *pipeline.Run) ([]Audited, error) {
	list, err := s.audited(ctx)
	if err != nil {
		return nil, err
	}
	var todo []*Audited
	for i := range list {
		a := &list[i]
		stands := a.Unread
		if !stands && !run.Redo {
			if stands, err = s.auditStands(ctx, a); err != nil {
				return nil, err
			}
		}
		if !stands {
			todo = append(todo, a)
		}
	}
	bar := s.auditProgress(run, len(todo))
	defer bar.Close()
	err = each(ctx, 2*s.GitHub.Size(), todo, func(ctx context.Context, a *Audited) error {
		if err := s.audit(ctx, a); err != nil {
			return fmt.Errorf("auditing %s: %w", a.Repository, err)
		}
		bar.Add(1)
		return nil
	})
	return list, err
}

func (s Stage) auditProgress(run *pipeline.Run, total int) pipeline.Progress {
	if run.Progress == nil || total == 0 {
		return still{}
	}
	return watch(run.Progress("audit", total), total, s.GitHub.Stats)
}

type still struct{}

func (still) Add(int)         {}
func (still) Describe(string) {}
func (still) Close()          {}

// audited lists the repositories that the crawl reads, each with its window and
// what is stored of it.
func (s Stage) audited(ctx context.Context) ([]Audited, error) {
	rows, err := s.DB.Query(ctx, `
		WITH passes AS (SELECT repository_id, max(high_water) AS high_water FROM crawl_passes WHERE since <= ? GROUP BY repository_id),
		windows AS (
			SELECT r.repository_id, r.repository, r.ecosystem, date_trunc('second', p.high_water) - INTERVAL 1 SECOND AS until
			FROM repositories r LEFT JOIN passes p USING (repository_id) WHERE r.state = 'ok')
		SELECT w.repository_id, w.repository, w.ecosystem, w.until,
			count(a.number) FILTER (a.merged_at BETWEEN ? AND w.until AND NOT a.landed)
		FROM windows w LEFT JOIN all_pulls a ON a.repository_id = w.repository_id
		GROUP BY ALL ORDER BY w.repository`, s.since(), s.since())
	if err != nil {
		return nil, err
	}
	type row struct {
		Audited
		until sql.NullTime
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.id, &r.Repository, &r.Ecosystem, &r.until,
			&r.Stored}
	})
	if err != nil {
		return nil, fmt.Errorf("reading what is stored: %w", err)
	}
	out := make([]Audited, len(list))
	for i, r := range list {
		out[i] = r.Audited
		out[i].Since, out[i].Until, out[i].Unread = s.since(), r.until.Time.UTC(), !r.until.Valid
		out[i].Missing, out[i].Unlisted = []int{}, []int{}
	}
	return out, nil
}

// auditStands takes over the last audit where it was of the same window and the
// same number of rows.
func (s Stage) auditStands(ctx context.Context, a *Audited) (bool, error) {
	rows, err := s.DB.Query(ctx, `SELECT expected, missing::VARCHAR, unlisted::VARCHAR, questions FROM crawl_audits
		WHERE repository_id = ? AND since = ? AND until = ? AND stored = ? ORDER BY audited_at DESC LIMIT 1`, a.id, a.Since,
		a.Until, a.Stored)
	if err != nil {
		return false, err
	}
	type last struct {
		expected          int64
		missing, unlisted string
		questions         int
	}
	got, err := pipeline.Scan(rows, func(l *last) []any {
		return []any{&l.expected, &l.missing, &l.unlisted,
			&l.questions}
	})
	if err != nil || len(got) == 0 {
		return false, err
	}
	l := got[0]
	a.Expected, a.Questions = l.expected, l.questions
	if err := json.Unmarshal([]byte(l.missing), &a.Missing); err != nil {
		return false, err
	}
	return true, json.Unmarshal([]byte(l.unlisted), &a.Unlisted)
}

// audit asks, and keeps what was found.
func (s Stage) audit(ctx context.Context, a *Audited) error {
	stored, err := s.mergedOf(ctx, a)
	if err != nil {
		return err
	}
	n := &count{stage: s, a: a, stored: stored}
	if a.Expected, err = n.window(ctx, a.Since, a.Until, false); err != nil {
		return err
	}
	sort.Ints(a.Missing)
	sort.Ints(a.Unlisted)
	row := []any{a.id, a.Since, a.Until, a.Expected, a.Stored, int32s(a.Missing), int32s(a.Unlisted), int32(a.Questions),
		s.now()}
	return s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, "crawl_audits", [][]any{row})
	})
}

func int32s(in []int) []int32 {
	out := make([]int32, len(in))
	for i, n := range in {
		out[i] = int32(n)
	}
	return out
}

// merged is a pull that is stored.
type merged struct {
	number int
	at     time.Time
}

func (s Stage) mergedOf(ctx context.Context, a *Audited) ([]merged, error) {
	rows, err := s.DB.Query(ctx, `SELECT number, merged_at FROM all_pulls WHERE repository_id = ? AND NOT landed AND `+
		`merged_at BETWEEN ? AND ? ORDER BY merged_at, number`,
		a.id, a.Since, a.Until)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, func(m *merged) []any { return []any{&m.number, &m.at} })
}

// count counts windows of one repository.
type count struct {
	stage  Stage
	a      *Audited
	stored []merged // by time
}

const (
	// searchable is how many results the host gives of one search.
	searchable = 1000
	// hesitant is how often a count that the host calls incomplete is asked for.
	hesitant = 4
)

// window gives the host's count of a window. Where it is not ours, all numbers
// are compared, of halves where there are more than a search gives: in a part, one
// that is missing and one that the search lacks would make the counts equal.
func (c *count) window(ctx context.Context, from, to time.Time, compare bool) (int64, error) {
	found, err := c.search(ctx, from, to, 1)
	if err != nil {
		return 0, err
	}
	here := c.between(from, to)
	if !compare && found.Total == int64(len(here)) {
		return found.Total, nil
	}
	if found.Total > searchable && to.Sub(from) >= 2*time.Second {
		middle := from.Add(to.Sub(from) / 2).Truncate(time.Second)
		first, err := c.window(ctx, from, middle, true)
		if err != nil {
			return 0, err
		}
		second, err := c.window(ctx, middle.Add(time.Second), to, true)
		return first + second, err
	}
	return found.Total, c.compare(ctx, found, from, to, here)
}

// compare lists a window and notes what one side lacks.
func (c *count) compare(ctx context.Context, found found, from, to time.Time, here []merged) (err error) {
	listed := map[int]bool{}
	for page := 1; ; page++ {
		for _, i := range found.Items {
			listed[i.Number] = true
		}
		if len(found.Items) == 0 || int64(page*100) >= min(found.Total, searchable) {
			break
		}
		if found, err = c.search(ctx, from, to, page+1); err != nil {
			return err
		}
	}
	for _, m := range here {
		if !listed[m.number] {
			c.a.Unlisted = append(c.a.Unlisted, m.number)
		}
		delete(listed, m.number)
	}
	for n := range listed {
		c.a.Missing = append(c.a.Missing, n)
	}
	return nil
}

func (c *count) between(from, to time.Time) []merged {
	i := sort.Search(len(c.stored), func(i int) bool { return !c.stored[i].at.Before(from) })
	j := sort.Search(len(c.stored), func(i int) bool { return c.stored[i].at.After(to) })
	return c.stored[i:max(i, j)]
}

// found is an answer of the search.
type found struct {
	Total      int64 `json:"total_count"`
	Incomplete bool  `json:"incomplete_results"`
	Items      []struct {
		Number int `json:"number"`
	} `json:"items"`
}

func (c *count) search(ctx context.Context, from, to time.Time, page int) (found, error) {
	const second = "2006-01-02T15:04:05Z"
	q := fmt.Sprintf("repo:%s is:pr is:merged merged:%s..%s", c.a.Repository, from.UTC().Format(second),
		to.UTC().Format(second))
	r := github.Request{Pin: c.a.Repository, Path: "search/issues", Query: url.Values{"q": {q}, "sort": {"created"},
		"order":    {"asc"},
		"per_page": {"100"}, "page": {strconv.Itoa(page)}}}
	for range hesitant {
		c.a.Questions++
		pg, err := c.stage.GitHub.Fetch(ctx, r)
		if err != nil {
			return found{}, err
		}
		var f found
		if err := json.Unmarshal(pg.Body, &f); err != nil {
			return found{}, fmt.Errorf("the search's answer: %w", err)
		}
		if !f.Incomplete {
			return f, nil
		}
	}
	return found{}, fmt.Errorf("the search's counts stay incomplete between %s and %s; run the audit again later",
		from.Format(second), to.Format(second))
}
