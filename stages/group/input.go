package group

import (
	"context"
	"sort"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/settings"
	"github.com/wideswe/wideswe/schema"
)

// input is everything that decides one ecosystem's groups.
type input struct {
	Ecosystem string
	Options   Options `json:"Config"` // the name that it has in input hashes
	Pulls     []pull
	Links     []link
	Own       []ownIssue
	Decisions []schema.Decision
}

// key is a pull or an issue: a number of a repository.
type key struct {
	Repository int64
	Number     int
}

func (k key) less(o key) bool {
	return k.Repository < o.Repository || k.Repository == o.Repository && k.Number < o.Number
}

// pull is what grouping wants to know of a pull.
type pull struct {
	Key        key
	Name       string // owner/name#N
	Title      string
	Author     string
	AuthorType string
	HeadRef    string
	MergedAt   *time.Time
}

// link is an occurrence that leads to another repository of the ecosystem.
type link struct {
	From     key
	To       key
	Issue    bool   // To is an issue
	ToName   string // owner/name#N
	Relation string
	Form     string
	List     bool
	May      bool
	Reason   string
	Snippet  string
	Location string
	Offset   int
}

// ownIssue is an issue of the pull's own repository that it closes or is part of.
type ownIssue struct {
	Pull     key
	Issue    int
	Name     string // of the issue
	Relation string
}

// commits are those of the view pull_commits that a link may mean: of the few that
// links name, not of all pulls.
const commits = `
	commits AS (
		SELECT v.repository_id, v.number, v.merge_commit_sha AS sha, left(v.merge_commit_sha, 7) AS short
		FROM pull_versions v SEMI JOIN wanted w ON w.repository_id = v.repository_id AND w.short = left(v.merge_commit_sha, 7)
		WHERE v.merged_at IS NOT NULL
		UNION
		SELECT v.repository_id, v.number, v.head_sha, left(v.head_sha, 7)
		FROM pull_versions v SEMI JOIN wanted w ON w.repository_id = v.repository_id AND w.short = left(v.head_sha, 7)
		WHERE v.merged_at IS NOT NULL)`

// kinds are those of the view known_numbers of the numbers that links name: to know
// every number there is takes longer than all the rest.
const kinds = `numbers AS (
		SELECT DISTINCT target_repository_id AS repository_id, target_number AS number
		FROM link_occurrences WHERE target_repository_id IS NOT NULL AND target_number IS NOT NULL),
	kinds AS (
		SELECT repository_id, number, max(kind) AS kind -- of issue and pull the latter
		FROM (SELECT v.repository_id, v.number, 'pull' AS kind
			FROM pull_versions v SEMI JOIN numbers n ON n.repository_id = v.repository_id AND n.number = v.number
			UNION ALL
			SELECT i.repository_id, i.number, i.kind
			FROM issue_versions i SEMI JOIN numbers n ON n.repository_id = i.repository_id AND n.number = i.number
			WHERE i.kind IN ('issue', 'pull'))
		GROUP BY repository_id, number)`

// linksQuery gives the links inside one ecosystem whose target is a number, or a
// commit that stands for a pull. Those of programs propose nothing.
const linksQuery = `WITH ` + kinds + `,
	named AS (
		SELECT s.ecosystem, l.repository_id AS source_repository_id, l.number AS source_number,
		       l.target_repository_id, l.target_number, l.target_sha, coalesce(k.kind, l.target_kind) AS target_kind,
		       l.relation, l.form, l.flags, l.may_group, l.reason, l.snippet, l.location, l.byte_offset
		FROM link_occurrences l
		JOIN repositories s ON s.repository_id = l.repository_id
		JOIN repositories t ON t.repository_id = l.target_repository_id AND t.ecosystem = s.ecosystem
		LEFT JOIN kinds k ON k.repository_id = l.target_repository_id AND k.number = l.target_number
		WHERE NOT list_contains(l.flags, 'bot') AND l.target_kind <> 'discussion'),
	wanted AS (
		SELECT DISTINCT target_repository_id AS repository_id, target_sha AS sha, left(target_sha, 7) AS short
		FROM named WHERE target_number IS NULL AND target_sha <> ''),` + commits + `,
	found AS (
		SELECT *, target_number AS n FROM named WHERE target_number IS NOT NULL
		UNION ALL
		SELECT named.*, c.number FROM named
		JOIN commits c ON c.repository_id = named.target_repository_id AND c.short = left(named.target_sha, 7)
		WHERE named.target_number IS NULL AND starts_with(c.sha, named.target_sha))
	SELECT l.ecosystem, l.source_repository_id, l.source_number, l.target_repository_id, l.n,
		l.target_number IS NOT NULL AND (l.target_kind = 'issue' OR l.target_kind = 'unknown' AND l.relation IN ('closes',
		'part_of')),
		t.repository || '#' || l.n,
		l.relation, l.form, list_contains(l.flags, 'list'), l.may_group, l.reason, l.snippet, l.location, l.byte_offset
	FROM found l
	JOIN repositories t ON t.repository_id = l.target_repository_id AND t.ecosystem = l.ecosystem
	ORDER BY l.ecosystem, l.source_repository_id, l.source_number, l.location, l.byte_offset, l.n`

const ownQuery = `WITH ` + kinds + `
	SELECT r.ecosystem, o.repository_id, o.number, o.issue_number, r.repository || '#' || o.issue_number, o.relation
	FROM own_issues o
	JOIN numbers n ON n.repository_id = o.repository_id AND n.number = o.issue_number
	JOIN repositories r ON r.repository_id = o.repository_id
	LEFT JOIN kinds k ON k.repository_id = o.repository_id AND k.number = o.issue_number
	WHERE k.kind IS NULL OR k.kind <> 'pull'
	ORDER BY r.ecosystem, o.repository_id, o.number, o.issue_number, o.relation`

// pullsQuery gives the pulls that a link leads from or to and those that close an
// issue that a link names, as the view all_pulls has them. The view chooses the
// newest version of every pull there is; these are few of them.
const pullsQuery = `WITH wanted AS (
		SELECT DISTINCT target_repository_id AS repository_id, target_sha AS sha, left(target_sha, 7) AS short
		FROM link_occurrences WHERE target_number IS NULL AND target_repository_id IS NOT NULL AND target_sha <> ''),` +
	commits + `,
	named AS (
		SELECT repository_id, number FROM link_occurrences WHERE target_repository_id IS NOT NULL
		UNION SELECT target_repository_id, target_number FROM link_occurrences WHERE target_number IS NOT NULL AND target_repository_id IS NOT NULL
		UNION SELECT c.repository_id, c.number FROM wanted w
			JOIN commits c ON c.repository_id = w.repository_id AND c.short = w.short WHERE starts_with(c.sha, w.sha)
		UNION SELECT o.repository_id, o.number FROM own_issues o
			SEMI JOIN link_occurrences l ON l.target_repository_id = o.repository_id AND l.target_number = o.issue_number
		UNION SELECT r.repository_id, CAST(split_part(d.name, '#', 2) AS INTEGER)
			FROM (SELECT unnest(string_split(?, ' ')) AS name) d
			JOIN repositories r ON lower(r.repository) = lower(split_part(d.name, '#', 1))),
	latest AS (
		SELECT arg_max(v.rowid, (v.fetched_at, v.rowid)) AS id
		FROM pull_versions v SEMI JOIN named n ON n.repository_id = v.repository_id AND n.number = v.number
		GROUP BY v.repository_id, v.number)
	SELECT r.ecosystem, p.repository_id, p.number, r.repository || '#' || p.number, p.title, p.author, p.author_type,
	p.head_ref, p.merged_at
	FROM latest l
	JOIN pull_versions p ON p.rowid = l.id
	JOIN repositories r ON r.repository_id = p.repository_id AND r.state <> 'gone'
	ORDER BY r.ecosystem, p.repository_id, p.number`

func (s Stage) inputs(ctx context.Context) ([]input, error) {
	byEcosystem, err := s.ecosystems(ctx)
	if err != nil {
		return nil, err
	}
	decisions, err := s.decisions(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.readLinks(ctx, byEcosystem); err != nil {
		return nil, err
	}
	if err := s.readPulls(ctx, byEcosystem, decisions); err != nil {
		return nil, err
	}
	var names []string
	for n := range byEcosystem {
		names = append(names, n)
	}
	sort.Strings(names)
	inputs := make([]input, len(names))
	for i, n := range names {
		inputs[i] = byEcosystem[n].trimmed(decisions)
	}
	return inputs, nil
}

func (s Stage) ecosystems(ctx context.Context) (map[string]*input, error) {
	rows, err := s.DB.Query(ctx, "SELECT ecosystem FROM ecosystems WHERE kept ORDER BY ecosystem")
	if err != nil {
		return nil, err
	}
	names, err := pipeline.Scan[string](rows, nil)
	all, options := map[string]*input{}, settings.Fill(s.Options)
	for _, n := range names {
		all[n] = &input{Ecosystem: n, Options: options}
	}
	return all, err
}

// decisions gives people's decisions, oldest first.
func (s Stage) decisions(ctx context.Context) ([]schema.Decision, error) {
	if s.Decisions == nil {
		return nil, nil
	}
	all, err := s.Decisions(ctx)
	if err != nil {
		return nil, err
	}
	all = append([]schema.Decision{}, all...)
	sort.SliceStable(all, func(i, j int) bool {
		if !all[i].At.Equal(all[j].At) {
			return all[i].At.Before(all[j].At)
		}
		return all[i].File < all[j].File
	})
	return all, nil
}

func (s Stage) readLinks(ctx context.Context, all map[string]*input) error {
	type row struct {
		ecosystem string
		link
	}
	links, err := read(ctx, s.DB, linksQuery, func(r *row) []any {
		return []any{&r.ecosystem, &r.From.Repository, &r.From.Number, &r.To.Repository, &r.To.Number, &r.Issue, &r.ToName,
			&r.Relation, &r.Form, &r.List, &r.May, &r.Reason, &r.Snippet, &r.Location, &r.Offset}
	})
	if err != nil {
		return err
	}
	for _, l := range links {
		if in := all[l.ecosystem]; in != nil {
			in.Links = append(in.Links, l.link)
		}
	}
	type ownRow struct {
		ecosystem string
		ownIssue
	}
	own, err := read(ctx, s.DB, ownQuery, func(r *ownRow) []any {
		return []any{&r.ecosystem, &r.Pull.Repository, &r.Pull.Number, &r.Issue, &r.Name, &r.Relation}
	})
	for _, o := range own {
		if in := all[o.ecosystem]; in != nil {
			in.Own = append(in.Own, o.ownIssue)
		}
	}
	return err
}

func (s Stage) readPulls(ctx context.Context, all map[string]*input, decisions []schema.Decision) error {
	type row struct {
		ecosystem string
		pull
	}
	pulls, err := read(ctx, s.DB, pullsQuery, func(r *row) []any {
		return []any{&r.ecosystem, &r.Key.Repository, &r.Key.Number, &r.Name, &r.Title, &r.Author, &r.AuthorType, &r.HeadRef,
			&r.MergedAt}
	}, decidedPulls(decisions))
	for _, p := range pulls {
		if in := all[p.ecosystem]; in != nil {
			in.Pulls = append(in.Pulls, p.pull)
		}
	}
	return err
}

// decidedPulls lists the pulls that decisions name, as one argument.
func decidedPulls(decisions []schema.Decision) string {
	list := "-#0" // no repository
	for _, d := range decisions {
		for _, set := range append([][]string{d.Pulls}, d.Apart...) {
			for _, p := range set {
				if repository, n, err := schema.ParsePullName(p); err == nil {
					list += " " + schema.PullName(repository, n)
				}
			}
		}
	}
	return list
}

// trimmed leaves out what decides nothing, so that its change redoes nothing:
// pulls that close an issue nobody links, and decisions on other ecosystems.
func (in *input) trimmed(decisions []schema.Decision) input {
	used := map[key]bool{}
	for _, l := range in.Links {
		used[l.From], used[l.To] = true, true
	}
	for _, o := range in.Own {
		used[o.Pull] = true
	}
	byName := map[string]key{}
	for _, p := range in.Pulls {
		byName[fold(p.Name)] = p.Key
	}
	for _, d := range decisions {
		ours := false
		for _, set := range append([][]string{d.Pulls}, d.Apart...) {
			for _, name := range set {
				if k, ok := byName[fold(name)]; ok {
					used[k], ours = true, true
				}
			}
		}
		if ours {
			in.Decisions = append(in.Decisions, d)
		}
	}
	var pulls []pull
	for _, p := range in.Pulls {
		if used[p.Key] {
			pulls = append(pulls, p)
		}
	}
	in.Pulls = pulls
	return *in
}

func read[T any](ctx context.Context, db pipeline.DB, query string, fields func(*T) []any, args ...any) ([]T, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, fields)
}
