package crawl

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// landing is one item of the phase landed: a repository that a rule is for.
type landing struct {
	repo repository
	rule Landing
	hash string
}

// landedItems lists the repositories that a rule is for and whose pulls are here.
// What decides an item is the rule, what was pushed and what is stored.
func (s Stage) landedItems(ctx context.Context) ([]pipeline.Item[landing], error) {
	if len(s.LandedByBot) == 0 {
		return nil, nil
	}
	inv, err := s.inventory(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.DB.Query(ctx, `SELECT repository_id, count(*) || ' ' || max(fetched_at) FROM pull_versions WHERE `+
		`source = 'list' GROUP BY repository_id`)
	if err != nil {
		return nil, err
	}
	type stored struct {
		id   int64
		what string
	}
	list, err := pipeline.Scan(rows, func(v *stored) []any { return []any{&v.id, &v.what} })
	if err != nil {
		return nil, fmt.Errorf("reading what is stored: %w", err)
	}
	have := map[int64]string{}
	for _, v := range list {
		have[v.id] = v.what
	}
	var items []pipeline.Item[landing]
	seen := map[string]bool{}
	for _, r := range inv {
		rule, found := s.landingRule(r.Name)
		if !found || have[r.ID] == "" || seen[r.Name] {
			continue
		}
		seen[r.Name] = true
		hash := pipeline.Hash(r.ID, r.Name, r.State, pushed(r), s.since(), rule.Labels, rule.Bots, rule.trailers(),
			have[r.ID])
		items = append(items, pipeline.Item[landing]{ID: landedPhase + r.Name, Hash: hash, Value: landing{r, rule, hash}})
	}
	return items, nil
}

// landingRule is the first rule that is for a repository.
func (s Stage) landingRule(name string) (Landing, bool) {
	for _, l := range s.LandedByBot {
		if l.of(name) {
			return l, true
		}
	}
	return Landing{}, false
}

// landedWork reads what the repository's default branch says of its pulls.
func (s Stage) landedWork(log *slog.Logger) pipeline.Work[landing] {
	return func(ctx context.Context, l landing) (pipeline.Write, error) {
		if l.repo.State == ok {
			err := s.readCommits(ctx, l.repo)
			if refusal(err) || github.KindOf(err) == github.Empty {
				log.Warn("the host does not give the commits; what is here of them counts", "repository", l.repo.Name, "answer",
					err)
			} else if err != nil {
				return nil, fmt.Errorf("reading the commits of %s: %w", l.repo.Name, err)
			}
		}
		return s.landedWrite(ctx, l)
	}
}

// landedWrite makes the pulls that count as landed merged ones.
func (s Stage) landedWrite(ctx context.Context, l landing) (pipeline.Write, error) {
	commits, pages, err := s.landingCommits(ctx, l.repo.ID)
	if err != nil {
		return nil, err
	}
	labels, err := s.closedPulls(ctx, l.repo.ID)
	if err != nil {
		return nil, err
	}
	names, err := s.namesOf(ctx, l.repo.ID)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, v := range l.rule.landings(commits, labels, names, s.since()) {
		rows = append(rows, []any{l.repo.ID, int32(v.number), v.commit.sha, v.commit.at, v.commit.author, v.commit.committer,
			v.commit.words})
	}
	n := note{Kind: noteLanded, At: s.now(), Hash: l.hash, Repository: l.repo.ID, Name: l.repo.Name, Since: s.since(),
		Rule: &l.rule, Pages: pages}
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := s.remark(n); err != nil {
			return err
		}
		if err := unland(ctx, tx, l.repo.ID); err != nil {
			return err
		}
		if err := tx.Append(ctx, "pull_landings", rows); err != nil {
			return err
		}
		return tx.Exec(ctx, landSQL, l.repo.ID, l.repo.ID)
	}, nil
}

// landSQL repeats the latest version of each landed pull with the merge that the
// host does not give.
const landSQL = `INSERT INTO pull_versions
	SELECT p.repository_id, p.number, p.state, p.title, p.body, p.author, p.author_type, p.labels, p.draft, p.created_at,
	p.updated_at, p.closed_at,
	       l.landed_at, l.commit_sha, p.base_ref, p.base_sha, p.head_ref, p.head_sha, p.head_repository, 'landed',
	       p.fetched_at
	FROM (SELECT arg_max(rowid, (fetched_at, rowid)) AS id FROM pull_versions WHERE repository_id = ? GROUP BY number) latest
	JOIN pull_versions p ON p.rowid = latest.id
	JOIN pull_landings l ON l.repository_id = p.repository_id AND l.number = p.number
	WHERE l.repository_id = ? ORDER BY p.number`

// unland takes the rows of the rule back: they are derived, not answers.
func unland(ctx context.Context, tx pipeline.Tx, id int64) error {
	if err := tx.Exec(ctx, "DELETE FROM pull_versions WHERE repository_id = ? AND source = 'landed'", id); err != nil {
		return err
	}
	return tx.Exec(ctx, "DELETE FROM pull_landings WHERE repository_id = ?", id)
}

// landedGone is for a repository that no rule is for any more. It may have been
// renamed: the item of its new name comes after.
func (s Stage) landedGone(id string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		rows, err := tx.Query(ctx, "SELECT DISTINCT repository_id FROM repository_versions WHERE repository = ? ORDER BY 1",
			strings.TrimPrefix(id, landedPhase))
		if err != nil {
			return err
		}
		ids, err := pipeline.Scan[int64](rows, nil)
		if err != nil {
			return err
		}
		for _, repo := range ids {
			if err := s.remark(note{Kind: noteUnlanded, At: s.now(), Repository: repo}); err != nil {
				return err
			}
			if err := unland(ctx, tx, repo); err != nil {
				return err
			}
		}
		return nil
	}
}

// landingCommits gives what is stored of a repository's commits, and the number of
// pages it came in.
func (s Stage) landingCommits(ctx context.Context, id int64) ([]landingCommit, int, error) {
	rows, err := s.DB.Query(ctx, `SELECT DISTINCT commit_sha, committed_at, author, committer, trailer, named, number, reverts
		FROM landing_commits WHERE repository_id = ? ORDER BY ALL`, id)
	if err != nil {
		return nil, 0, err
	}
	list, err := pipeline.Scan(rows, func(c *landingCommit) []any {
		return []any{&c.sha, &c.at, &c.author, &c.committer, &c.words, &c.named, &c.number, &c.reverts}
	})
	if err != nil {
		return nil, 0, fmt.Errorf("reading landing commits: %w", err)
	}
	pages, err := s.landingPages(ctx, id)
	return list, pages, err
}

func (s Stage) landingPages(ctx context.Context, id int64) (int, error) {
	rows, err := s.DB.Query(ctx, "SELECT count(*) FROM landing_pages WHERE repository_id = ?", id)
	if err != nil {
		return 0, err
	}
	n, err := pipeline.Scan[int](rows, nil)
	if err != nil || len(n) != 1 {
		return 0, err
	}
	return n[0], nil
}

// closedPulls gives the labels of the pulls that the host shows as closed and not
// merged, and that a commit names.
func (s Stage) closedPulls(ctx context.Context, id int64) (map[int][]string, error) {
	rows, err := s.DB.Query(ctx, `WITH latest AS (
			SELECT arg_max(rowid, (fetched_at, rowid)) AS id FROM pull_versions
			WHERE repository_id = ? AND source <> 'landed' GROUP BY number)
		SELECT p.number, p.labels FROM pull_versions p JOIN latest l ON p.rowid = l.id
		WHERE p.state = 'closed' AND p.merged_at IS NULL AND p.number IN (SELECT number FROM landing_commits WHERE repository_id = ?)`, id, id)
	if err != nil {
		return nil, err
	}
	type pull struct {
		number int
		labels pipeline.List
	}
	list, err := pipeline.Scan(rows, func(p *pull) []any { return []any{&p.number, &p.labels} })
	out := make(map[int][]string, len(list))
	for _, p := range list {
		out[p.number] = p.labels
	}
	return out, err
}

// namesOf gives the names that a repository has or had, in lower case.
func (s Stage) namesOf(ctx context.Context, id int64) (map[string]bool, error) {
	rows, err := s.DB.Query(ctx, `SELECT DISTINCT lower(repository) FROM repository_versions WHERE repository_id = ?
		UNION SELECT written FROM repository_aliases WHERE repository_id = ?`, id, id)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan[string](rows, nil)
	out := make(map[string]bool, len(list))
	for _, n := range list {
		out[n] = true
	}
	return out, err
}
