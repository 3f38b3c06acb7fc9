package assemble

import (
	"context"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// candidate is an item: an accepted candidate with what a task is made of.
type candidate struct {
	ID, Ecosystem, Kind, Pattern string
	Repositories                 []repository // sorted by name
	Prompt                       string       // what a person made of the prompt; '' a draft
}

type repository struct {
	ID            int64
	Name, License string
	Pulls         []pull // in merge order
}

type pull struct {
	Pull
	Title, Body string
	Issues      []issue
	Failed      string // the check of inspect it fails; it goes with a pull that passes
}

type issue struct {
	Name, Relation, Title, Body string
}

func (s Stage) items(ctx context.Context) ([]pipeline.Item[candidate], error) {
	candidates, err := s.accepted(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading accepted candidates: %w", err)
	}
	if err := s.addPulls(ctx, candidates); err != nil {
		return nil, fmt.Errorf("reading pulls: %w", err)
	}
	var items []pipeline.Item[candidate]
	for i := range candidates {
		c := &candidates[i]
		if c.Prompt, err = s.personsPrompt(taskID(*c)); err != nil {
			return nil, err
		}
		items = append(items, pipeline.Item[candidate]{ID: c.ID, Value: *c, Hash: pipeline.Hash(*c)})
	}
	return items, nil
}

func (s Stage) accepted(ctx context.Context) ([]candidate, error) {
	rows, err := s.DB.Query(ctx, `SELECT v.candidate_id, g.ecosystem, v.kind, v.pattern
		FROM candidate_verdicts v JOIN candidate_groups g ON g.candidate_id = v.candidate_id
		WHERE v.verdict = 'accepted' ORDER BY v.candidate_id`)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, func(c *candidate) []any { return []any{&c.ID, &c.Ecosystem, &c.Kind, &c.Pattern} })
}

// addPulls reads the pulls of the repositories that stay. A repository stays where
// one of its pulls passes inspect's checks; its other pulls, if they can be read,
// go with it: the people judged them as one change.
func (s Stage) addPulls(ctx context.Context, candidates []candidate) error {
	rows, err := s.DB.Query(ctx, `
		WITH members AS (
			SELECT m.candidate_id, m.repository_id, m.number, f.reason
			FROM group_members m
			JOIN pull_facts f ON f.repository_id = m.repository_id AND f.number = m.number
			WHERE f.available AND f.linux
		)
		SELECT m.candidate_id, p.repository_id, p.repository, coalesce(r.license, ''), p.number, p.title, p.body, p.merged_at,
			p.merge_commit_sha, p.head_sha, p.base_sha, m.reason
		FROM members m
		JOIN all_pulls p ON p.repository_id = m.repository_id AND p.number = m.number
		LEFT JOIN repositories r ON r.repository_id = m.repository_id
		WHERE p.merged_at IS NOT NULL AND EXISTS (SELECT 1 FROM members o
			WHERE o.candidate_id = m.candidate_id AND o.repository_id = m.repository_id AND o.reason = '')
		ORDER BY m.candidate_id, p.repository, p.merged_at, p.number`)
	if err != nil {
		return err
	}
	defer rows.Close()
	issues, err := s.issues(ctx)
	if err != nil {
		return err
	}
	files, err := s.hostFiles(ctx)
	if err != nil {
		return err
	}
	landed, err := s.landed(ctx)
	if err != nil {
		return err
	}
	byID := map[string]*candidate{}
	for i := range candidates {
		byID[candidates[i].ID] = &candidates[i]
	}
	for rows.Next() {
		var id string
		var r repository
		var p pull
		if err := rows.Scan(&id, &r.ID, &r.Name, &r.License, &p.Number, &p.Title, &p.Body, &p.MergedAt, &p.MergeCommit,
			&p.Head, &p.HostBase, &p.Failed); err != nil {
			return err
		}
		c := byID[id]
		if c == nil {
			continue
		}
		p.MergedAt = p.MergedAt.UTC()
		key := issueKey{r.ID, p.Number}
		p.Issues, p.Files, p.Landed = issues[key], files[key], landed[key]
		if n := len(c.Repositories); n == 0 || c.Repositories[n-1].ID != r.ID {
			c.Repositories = append(c.Repositories, r)
		}
		last := &c.Repositories[len(c.Repositories)-1]
		last.Pulls = append(last.Pulls, p)
	}
	return rows.Err()
}

type issueKey struct {
	repository int64
	number     int
}

// issues reads the texts of the issues that pulls close or are part of; those that
// are only mentioned may be about anything.
func (s Stage) issues(ctx context.Context) (map[issueKey][]issue, error) {
	rows, err := s.DB.Query(ctx, `
		SELECT l.repository_id, l.number, r.repository || '#' || l.issue_number, l.relation, l.title, l.body
		FROM linked_issues l JOIN repositories r ON r.repository_id = l.issue_repository_id
		WHERE l.relation IN ('closes', 'part_of') AND l.title <> ''
		ORDER BY 1, 2, l.relation, r.repository, l.issue_number`)
	if err != nil {
		return nil, err
	}
	type row struct {
		issueKey
		issue
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.repository, &r.number, &r.Name, &r.Relation, &r.Title, &r.Body}
	})
	out := map[issueKey][]issue{}
	for _, r := range list {
		out[r.issueKey] = append(out[r.issueKey], r.issue)
	}
	return out, err
}

// hostFiles reads the host's own lists of the accepted pulls' files, where they are whole.
func (s Stage) hostFiles(ctx context.Context) (map[issueKey][]HostFile, error) {
	rows, err := s.DB.Query(ctx, `
		SELECT f.repository_id, f.number, f.path, f.previous_path, f.status, f.additions, f.deletions
		FROM pull_files f
		JOIN pull_facts c ON c.repository_id = f.repository_id AND c.number = f.number
		WHERE c.files_from = 'host' AND c.files_complete AND EXISTS (SELECT 1 FROM group_members m
			JOIN candidate_verdicts v ON v.candidate_id = m.candidate_id AND v.verdict = 'accepted'
			WHERE m.repository_id = f.repository_id AND m.number = f.number)
		ORDER BY f.repository_id, f.number, f.path`)
	if err != nil {
		return nil, err
	}
	type row struct {
		issueKey
		HostFile
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.repository, &r.number, &r.Path, &r.Previous, &r.Status, &r.Added, &r.Deleted}
	})
	out := map[issueKey][]HostFile{}
	for _, r := range list {
		out[r.issueKey] = append(out[r.issueKey], r.HostFile)
	}
	return out, err
}

// landed reads the commits that say that they land a pull that a bot landed.
func (s Stage) landed(ctx context.Context) (map[issueKey][]string, error) {
	rows, err := s.DB.Query(ctx, `
		SELECT DISTINCT c.repository_id, c.number, c.commit_sha
		FROM landing_commits c JOIN pull_landings l ON l.repository_id = c.repository_id AND l.number = c.number
		ORDER BY ALL`)
	if err != nil {
		return nil, err
	}
	type row struct {
		issueKey
		commit string
	}
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.repository, &r.number, &r.commit} })
	out := map[issueKey][]string{}
	for _, r := range list {
		out[r.issueKey] = append(out[r.issueKey], r.commit)
	}
	return out, err
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func slug(s string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(s), "-"), "-")
}

// taskID is readable and stays the same: the ecosystem, the repositories by name,
// and eight digits of the candidate's id.
func taskID(c candidate) string {
	parts := []string{slug(c.Ecosystem)}
	for _, r := range c.Repositories {
		_, name, _ := strings.Cut(r.Name, "/")
		if s := slug(name); s != "" {
			parts = append(parts, s)
		}
	}
	id := strings.Trim(strings.Join(parts, "-"), "-")
	if len(id) > 100 {
		id = strings.TrimRight(id[:100], "-")
	}
	digits := strings.ToLower(c.ID)
	if _, err := hex.DecodeString(digits[:min(8, len(digits))]); err != nil || len(digits) < 8 {
		digits = pipeline.Hash(c.ID)
	}
	return strings.TrimLeft(id+"-"+digits[:8], "-")
}
