package inspect

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

func (s Stage) items(ctx context.Context) ([]pipeline.Item[candidate], error) {
	members, err := s.members(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading candidates: %w", err)
	}
	issues, err := s.issues(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading linked issues: %w", err)
	}
	var items []pipeline.Item[candidate]
	for _, row := range members {
		if n := len(items); n == 0 || items[n-1].ID != row.candidate {
			items = append(items, pipeline.Item[candidate]{ID: row.candidate,
				Value: candidate{ID: row.candidate, LatestMergedAt: row.latest}})
		}
		c := &items[len(items)-1].Value
		row.Issues = issues[pullKey{row.RepositoryID, row.Number}]
		c.Members = append(c.Members, row.member)
	}
	looked := map[pullKey]bool{}
	for _, it := range items {
		for _, m := range it.Value.Members {
			looked[pullKey{m.RepositoryID, m.Number}] = !s.early(it.Value)
		}
	}
	paper, err := s.paperPulls(ctx, looked)
	if err != nil {
		return nil, fmt.Errorf("reading the paper's records: %w", err)
	}
	histories, err := s.histories(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the repositories: %w", err)
	}
	items = append(append(items, paper...), histories...)
	s.fromGit(items)
	for i := range items {
		items[i].Hash = pipeline.Hash(items[i].Value, s.LatestMergeSince.Time)
	}
	return items, nil
}

type memberRow struct {
	member
	candidate string
	latest    time.Time
}

type pullKey struct {
	repository int64
	number     int
}

// members lists the pulls of every candidate that repeats no other, in order.
func (s Stage) members(ctx context.Context) ([]memberRow, error) {
	rows, err := s.DB.Query(ctx, `
		SELECT m.candidate_id, g.latest_merged_at, m.repository_id, coalesce(p.repository, ''), m.number, coalesce(p.title,
		''),
			p.merged_at, coalesce(p.merge_commit_sha, ''), coalesce(p.head_sha, ''),
			coalesce(p.author, ''), coalesce(p.author_type, ''), coalesce(p.head_ref, ''), coalesce(p.body, '')
		FROM group_members m
		JOIN candidate_groups g ON g.candidate_id = m.candidate_id
		LEFT JOIN all_pulls p ON p.repository_id = m.repository_id AND p.number = m.number
		WHERE m.candidate_id NOT IN (SELECT candidate_id FROM duplicates)
		ORDER BY m.candidate_id, m.repository_id, m.number`)
	if err != nil {
		return nil, err
	}
	var out []memberRow
	defer rows.Close()
	for rows.Next() {
		var r memberRow
		var merged sql.NullTime
		var body string
		if err := rows.Scan(&r.candidate, &r.latest, &r.RepositoryID, &r.Repository, &r.Number, &r.Title,
			&merged, &r.MergeCommit, &r.HeadSHA, &r.Author, &r.AuthorType, &r.HeadRef, &body); err != nil {
			return nil, err
		}
		r.Flags = flagsOf(r.member, body)
		r.Merged, r.MergedAt = merged.Valid, merged.Time.UTC()
		out = append(out, r)
	}
	return out, rows.Err()
}

// issues gives the issues each member pull names: those of other repositories, and
// those of its own that it closes or is part of. The strongest relation is kept.
func (s Stage) issues(ctx context.Context) (map[pullKey][]issue, error) {
	rows, err := s.DB.Query(ctx, `
		WITH named AS (
			SELECT l.source_repository_id AS repository_id, l.source_number AS number,
				l.target_repository_id AS issue_repository_id, l.target_number AS issue_number, l.relation
			FROM text_links l
			WHERE l.target_kind IN ('issue', 'unknown') AND l.target_number IS NOT NULL
				AND NOT list_has_any(l.flags, ['bot', 'changelog', 'struck'])
			UNION
			SELECT repository_id, number, repository_id, issue_number, relation FROM own_issues
		)
		SELECT n.repository_id, n.number, n.issue_repository_id, r.repository, n.issue_number,
			coalesce(max(n.relation) FILTER (n.relation <> ''), ''),
			coalesce(any_value(i.title), ''), coalesce(any_value(i.body), ''), coalesce(any_value(i.kind), '')
		FROM named n
		JOIN repositories r ON r.repository_id = n.issue_repository_id
		JOIN (SELECT DISTINCT repository_id, number FROM group_members) m ON m.repository_id = n.repository_id AND m.number = n.number
		LEFT JOIN issues i ON i.repository_id = n.issue_repository_id AND i.number = n.issue_number
		LEFT JOIN all_pulls p ON p.repository_id = n.issue_repository_id AND p.number = n.issue_number
		WHERE p.number IS NULL AND coalesce(i.kind, 'issue') NOT IN ('pull', 'missing')
		GROUP BY ALL ORDER BY 1, 2, 4, 5`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[pullKey][]issue{}
	for rows.Next() {
		var k pullKey
		var i issue
		var kind string
		if err := rows.Scan(&k.repository, &k.number, &i.RepositoryID, &i.Repository, &i.Number, &i.Relation, &i.Title,
			&i.Body, &kind); err != nil {
			return nil, err
		}
		i.Known = kind != ""
		out[k] = append(out[k], i)
	}
	return out, rows.Err()
}
