package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// landingOverlap is how far the next read of commits goes back behind the last: a
// bot pushes what it committed a while ago, and clocks differ.
const landingOverlap = 24 * time.Hour

// commitRead is a read of a default branch's commits between two times, the last
// first. The upper bound keeps what is pushed meanwhile out of the pages.
type commitRead struct {
	since, until time.Time
	page         int // stored last
	stored       int // pages of all reads
}

// readCommits reads the commits that came since the last read, or goes on with the
// read that broke.
func (s Stage) readCommits(ctx context.Context, r repository) error {
	read, err := s.nextRead(ctx, r.ID)
	if err != nil {
		return err
	}
	path, err := github.RepositoryPath(r.Name, "commits")
	if err != nil {
		return err
	}
	for last := false; !last; {
		read.page++
		n := note{Kind: noteCommits, Repository: r.ID, Since: read.since, Until: read.until, Page: read.page,
			Pages: read.stored}
		pg, err := s.GitHub.Fetch(ctx, github.Request{Pin: r.Name, Path: path, Note: n, Query: url.Values{
			"since": {read.since.Format(time.RFC3339)}, "until": {read.until.Format(time.RFC3339)},
			"per_page": {strconv.Itoa(fullPage)}, "page": {strconv.Itoa(read.page)}}})
		if err != nil {
			return err
		}
		if err := s.storeCommits(ctx, n, pg); err != nil {
			return err
		}
		read.stored++
		last = pg.Next == ""
	}
	return nil
}

// nextRead is the newest read where it broke, unless the window now reaches
// further down; else a new one.
func (s Stage) nextRead(ctx context.Context, id int64) (commitRead, error) {
	rows, err := s.DB.Query(ctx, `SELECT since, until, max(page), bool_or(last), count(*)::INTEGER FROM landing_pages
		WHERE repository_id = ? GROUP BY since, until ORDER BY until, since DESC`, id)
	if err != nil {
		return commitRead{}, err
	}
	type stored struct {
		commitRead
		whole bool
	}
	list, err := pipeline.Scan(rows, func(v *stored) []any {
		return []any{&v.since, &v.until, &v.page, &v.whole,
			&v.stored}
	})
	if err != nil {
		return commitRead{}, fmt.Errorf("reading landing pages: %w", err)
	}
	next := commitRead{since: s.since(), until: s.now().Truncate(time.Second)}
	pages := 0
	for _, v := range list {
		pages += v.stored
		// A read that reaches down to the window's start, or goes on from one that does.
		if from := v.since.UTC(); v.whole && !from.After(next.since) {
			next.since = v.until.UTC().Add(-landingOverlap)
		}
	}
	if n := len(list); n > 0 && !list[n-1].whole && !list[n-1].since.UTC().After(next.since) {
		next = commitRead{since: list[n-1].since.UTC(), until: list[n-1].until.UTC(), page: list[n-1].page}
	}
	next.stored = pages
	return next, nil
}

// storeCommits keeps what a page of commits says of pulls.
func (s Stage) storeCommits(ctx context.Context, n note, pg *github.Page) error {
	var list []github.Commit
	if err := json.Unmarshal(pg.Body, &list); err != nil {
		return fmt.Errorf("page %d of the commits: %w", n.Page, err)
	}
	var rows [][]any
	for _, c := range list {
		rows = append(rows, commitRows(n.Repository, c, pg.FetchedAt)...)
	}
	page := []any{n.Repository, n.Since, n.Until, int32(n.Page), pg.Next == "", int32(len(list)), pg.Key,
		pg.FetchedAt.Truncate(time.Microsecond)}
	return s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Append(ctx, "landing_commits", rows); err != nil {
			return err
		}
		return tx.Append(ctx, "landing_pages", [][]any{page})
	})
}

// commitRows are the rows of one commit: none for most.
func commitRows(id int64, c github.Commit, at time.Time) (rows [][]any) {
	found, reverts := readMessage(c.Commit.Message)
	if c.SHA == "" || c.Commit.Committer.Date == nil {
		return nil
	}
	if len(found) == 0 && reverts != "" {
		found = []trailer{{}}
	}
	author, _ := account(c.Author)
	committer, _ := account(c.Committer)
	for _, t := range found {
		rows = append(rows, []any{id, clean(c.SHA), c.Commit.Committer.Date.UTC(), author, committer, t.words, t.named,
			int32(t.number), reverts, at})
	}
	return rows
}
