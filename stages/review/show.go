package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Detail is everything a reviewer needs to judge one candidate.
type Detail struct {
	Row
	Span      float64         `json:"span_days"`
	Flags     []string        `json:"flags"`
	Members   []MemberDetail  `json:"members"`
	Links     []LinkDetail    `json:"links"`
	Edges     []EdgeDetail    `json:"edges"`      // that hold it together
	Neighbors []EdgeDetail    `json:"neighbours"` // refused, with the reason
	Proposals []Proposal      `json:"proposals"`  // candidates it may belong with
	Reviews   []schema.Review `json:"reviews"`
	Was       []string        `json:"was"` // ids it had, or grew out of
}

// MemberDetail is one pull of a candidate.
type MemberDetail struct {
	Pull       string         `json:"pull"`
	Title      string         `json:"title"`
	Author     string         `json:"author"`
	Body       string         `json:"body"` // shortened
	BaseRef    string         `json:"base_ref"`
	HeadRef    string         `json:"head_ref"`
	MergedAt   time.Time      `json:"merged_at,omitzero"`
	URL        string         `json:"url"`
	Inspected  bool           `json:"inspected"`
	TestSignal bool           `json:"test_signal"`
	Linux      bool           `json:"linux"`
	Reason     string         `json:"reason,omitempty"` // why a check fails
	Additions  int            `json:"additions"`
	Deletions  int            `json:"deletions"`
	Roles      map[string]int `json:"roles"` // files of each role
	Files      []FileDetail   `json:"files"` // the first of them
	Issues     []IssueDetail  `json:"issues"`
	Comments   int            `json:"comments"`
	Via        string         `json:"via"`
}

// FileDetail is one changed file.
type FileDetail struct {
	Path      string `json:"path"`
	Role      string `json:"role"`
	Status    string `json:"status"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
}

// IssueDetail is an issue that a pull names.
type IssueDetail struct {
	Issue    string `json:"issue"`
	Title    string `json:"title"`
	Relation string `json:"relation"`
	Body     string `json:"body"` // shortened
}

// LinkDetail is one reference from a member.
type LinkDetail struct {
	Source   string   `json:"source"`
	Target   string   `json:"target"`
	Location string   `json:"location"`
	Relation string   `json:"relation"`
	MayGroup bool     `json:"may_group"`
	Reason   string   `json:"reason,omitempty"` // why it may not group
	Flags    []string `json:"flags"`
	Snippet  string   `json:"snippet"`
}

// EdgeDetail joins, or did not join, two pulls.
type EdgeDetail struct {
	A        string `json:"a"`
	B        string `json:"b"`
	Score    int    `json:"score"`
	Relation string `json:"relation"`
	ViaIssue string `json:"via_issue,omitempty"`
	Reason   string `json:"reason"`
	Evidence string `json:"evidence"`
	Admitted bool   `json:"admitted"`
}

// Proposal names a candidate that shares something.
type Proposal struct {
	Candidate string `json:"candidate_id"`
	Shared    string `json:"shared"`
	Reason    string `json:"reason"`
}

// ShowOptions bound [Desk.Show]; zero values take defaults.
type ShowOptions struct {
	BodyBytes int // of each body, 2,000
	Files     int // of each pull, 30
}

// Show gathers what there is to know of one candidate.
func (d Desk) Show(ctx context.Context, candidate string, o ShowOptions) (*Detail, error) {
	if o.BodyBytes <= 0 {
		o.BodyBytes = 2000
	}
	if o.Files <= 0 {
		o.Files = 30
	}
	st, err := load(ctx, d.DB, d.Folder)
	if err != nil {
		return nil, err
	}
	j, err := st.find(candidate)
	if err != nil {
		return nil, err
	}
	out := &Detail{Reviews: append([]schema.Review{}, j.Reviews...)}
	for _, step := range []func() error{
		func() error { return d.showMembers(ctx, j, o, out) },
		func() error { return d.showLinks(ctx, j, out) },
		func() error { return d.showEdges(ctx, j, out) },
		func() error { return d.showEvidence(ctx, j, out) },
		func() error { return d.showGroup(ctx, j, out) },
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("showing %s: %w", j.ID, err)
		}
	}
	titles := map[string]string{}
	for _, m := range out.Members {
		titles[m.Pull] = m.Title
	}
	out.Row = j.row(titles)
	return out, nil
}

// query reads rows into a list that is never nil, so that JSON says [] for none.
func query[T any](ctx context.Context, db pipeline.Queryer, fields func(*T) []any, sql string, args ...any) ([]T,
	error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, fields)
	if list == nil {
		list = []T{}
	}
	return list, err
}

func (d Desk) showMembers(ctx context.Context, j *judged, o ShowOptions, out *Detail) error {
	for _, m := range j.Members {
		md, err := d.member(ctx, m, o)
		if err != nil {
			return err
		}
		out.Members = append(out.Members, md)
	}
	slices.SortStableFunc(out.Members, func(a, b MemberDetail) int { return a.MergedAt.Compare(b.MergedAt) })
	return nil
}

func (d Desk) member(ctx context.Context, m member, o ShowOptions) (MemberDetail, error) {
	list, err := query(ctx, d.DB, func(v *MemberDetail) []any {
		return []any{&v.Title, &v.Author, &v.Body, &v.BaseRef, &v.HeadRef, &v.MergedAt, &v.Inspected, &v.TestSignal, &v.Linux,
			&v.Reason, &v.Comments, &v.Via}
	}, `SELECT p.title, p.author, p.body, p.base_ref, p.head_ref, coalesce(p.merged_at, TIMESTAMP '0001-01-01'),
			f.number IS NOT NULL, coalesce(f.test_signal, false), coalesce(f.linux, false), coalesce(f.reason, ''),
			(SELECT count(*) FROM pull_comments c WHERE c.repository_id = p.repository_id AND c.number = p.number),
			coalesce((SELECT max(via) FROM group_members g WHERE g.candidate_id = ? AND g.repository_id = p.repository_id AND g.number = p.number), '')
		FROM pull_versions p
		LEFT JOIN pull_facts f ON f.repository_id = p.repository_id AND f.number = p.number
		WHERE p.repository_id = ? AND p.number = ?
		ORDER BY p.fetched_at DESC LIMIT 1`, m.Candidate, m.RepositoryID, m.Number)
	if err != nil {
		return MemberDetail{}, err
	}
	var v MemberDetail
	if len(list) > 0 {
		v = list[0]
	}
	v.Pull, v.Title, v.Body = m.name(), plain(v.Title), cut(v.Body, o.BodyBytes)
	v.URL = fmt.Sprintf("%s/%s/pull/%d", cmp.Or(d.WebURL, "https://github.com"), m.Repository, m.Number)
	if err := d.files(ctx, m, o.Files, &v); err != nil {
		return v, err
	}
	v.Issues, err = query(ctx, d.DB, func(i *IssueDetail) []any { return []any{&i.Issue, &i.Title, &i.Relation, &i.Body} },
		`WITH names AS (`+namesSQL+`), latest AS (
			SELECT repository_id, number, arg_max(title, fetched_at) AS title, arg_max(body, fetched_at) AS body
			FROM issue_versions GROUP BY repository_id, number)
		SELECT DISTINCT coalesce(n.repository, l.issue_repository_id::VARCHAR) || '#' || l.issue_number,
			coalesce(i.title, ''), l.relation, coalesce(i.body, '')
		FROM linked_issues l
		LEFT JOIN names n ON n.repository_id = l.issue_repository_id
		LEFT JOIN latest i ON i.repository_id = l.issue_repository_id AND i.number = l.issue_number
		WHERE l.repository_id = ? AND l.number = ? ORDER BY 1, 3`, m.RepositoryID, m.Number)
	for i := range v.Issues {
		v.Issues[i].Title, v.Issues[i].Body = plain(v.Issues[i].Title), cut(v.Issues[i].Body, o.BodyBytes)
	}
	return v, err
}

func (d Desk) files(ctx context.Context, m member, most int, v *MemberDetail) error {
	all, err := query(ctx, d.DB, func(f *FileDetail) []any {
		return []any{&f.Path, &f.Role, &f.Status, &f.Additions, &f.Deletions}
	}, `SELECT path, role, status, additions, deletions FROM pull_files WHERE repository_id = ? AND number = ?
		ORDER BY CASE role WHEN 'source' THEN 0 WHEN 'test' THEN 1 ELSE 2 END, role, path`, m.RepositoryID, m.Number)
	v.Roles = map[string]int{}
	for i, f := range all {
		v.Roles[f.Role]++
		v.Additions += f.Additions
		v.Deletions += f.Deletions
		all[i].Path = plain(f.Path)
	}
	v.Files = all[:min(most, len(all))]
	return err
}

func (d Desk) showLinks(ctx context.Context, j *judged, out *Detail) (err error) {
	out.Links, err = query(ctx, d.DB, func(l *LinkDetail) []any {
		return []any{&l.Source, &l.Target, &l.Location, &l.Relation, &l.MayGroup, &l.Reason, (*pipeline.List)(&l.Flags),
			&l.Snippet}
	}, `WITH names AS (`+namesSQL+`)
		SELECT n.repository || '#' || l.number,
			l.target_repository || CASE WHEN l.target_sha <> '' THEN '@' || l.target_sha[:12] ELSE '#' || coalesce(l.target_number, 0) END,
			l.location, l.relation, l.may_group, l.reason, l.flags, l.snippet
		FROM link_occurrences l
		JOIN names n ON n.repository_id = l.repository_id
		SEMI JOIN group_members m ON m.candidate_id = ? AND m.repository_id = l.repository_id AND m.number = l.number
		ORDER BY 1, l.location DESC, l.byte_offset, 2 LIMIT 200`, j.ID)
	for i := range out.Links {
		out.Links[i].Snippet = plain(out.Links[i].Snippet)
	}
	return err
}

func (d Desk) showEdges(ctx context.Context, j *judged, out *Detail) error {
	all, err := query(ctx, d.DB, func(e *EdgeDetail) []any {
		return []any{&e.A, &e.B, &e.Score, &e.Relation, &e.ViaIssue, &e.Admitted, &e.Reason, &e.Evidence}
	}, `WITH names AS (`+namesSQL+`), m AS (SELECT repository_id, number FROM group_members WHERE candidate_id = ?)
		SELECT a.repository || '#' || e.a_number, b.repository || '#' || e.b_number,
			e.score, e.relation, e.via_issue, e.admitted, e.reason, e.evidence
		FROM edges e JOIN names a ON a.repository_id = e.a_repository_id JOIN names b ON b.repository_id = e.b_repository_id
		WHERE (e.a_repository_id, e.a_number) IN (SELECT (repository_id, number) FROM m)
		   OR (e.b_repository_id, e.b_number) IN (SELECT (repository_id, number) FROM m)
		ORDER BY e.admitted DESC, e.score DESC, 1, 2 LIMIT 200`, j.ID)
	out.Edges, out.Neighbors = []EdgeDetail{}, []EdgeDetail{}
	for _, e := range all {
		e.Evidence = plain(e.Evidence)
		if e.Admitted {
			out.Edges = append(out.Edges, e)
		} else {
			out.Neighbors = append(out.Neighbors, e)
		}
	}
	return err
}

// showEvidence adds what inspect found in comments, commits, issues and files: beside
// the links where it names another member, else among the neighbours, which a
// person's merge joins.
func (d Desk) showEvidence(ctx context.Context, j *judged, out *Detail) error {
	type row struct {
		EdgeDetail
		Inside                 bool
		Kind, Location, Origin string
	}
	all, err := query(ctx, d.DB, func(r *row) []any {
		return []any{&r.A, &r.B, &r.Relation, &r.Evidence, &r.Inside, &r.Kind, &r.Location, &r.Origin}
	}, `SELECT pull, neighbour, relation, min(evidence), inside, kind, location, min(origin)
		FROM evidence_neighbours WHERE candidate_id = ? GROUP BY ALL ORDER BY ALL LIMIT 200`, j.ID)
	for _, r := range all {
		r.Evidence, r.Reason = plain(r.Evidence), "named in a "+r.Location+" ("+plain(r.Origin)+")"
		if r.Kind != "link" {
			r.Reason = "a " + strings.ReplaceAll(r.Kind, "_", " ") + " (" + plain(r.Origin) + ")"
		}
		if r.Inside {
			out.Links = append(out.Links, LinkDetail{Source: r.A, Target: r.B, Location: r.Location, Relation: r.Relation,
				Reason: r.Reason, Flags: []string{}, Snippet: r.Evidence})
		} else {
			out.Neighbors = append(out.Neighbors, r.EdgeDetail)
		}
	}
	return err
}

func (d Desk) showGroup(ctx context.Context, j *judged, out *Detail) (err error) {
	type group struct {
		span  float64
		flags pipeline.List
	}
	groups, err := query(ctx, d.DB, func(g *group) []any { return []any{&g.span, &g.flags} },
		"SELECT span_days, flags FROM candidate_groups WHERE candidate_id = ?", j.ID)
	if err != nil {
		return err
	}
	out.Flags = []string{}
	for _, g := range groups {
		out.Span, out.Flags = g.span, append(out.Flags, g.flags...)
	}
	out.Proposals, err = query(ctx, d.DB, func(p *Proposal) []any { return []any{&p.Candidate, &p.Shared, &p.Reason} },
		`SELECT CASE a_candidate WHEN ? THEN b_candidate ELSE a_candidate END, shared, reason
		FROM consolidation_proposals WHERE a_candidate = ? OR b_candidate = ? ORDER BY 1, 2`, j.ID, j.ID, j.ID)
	if err != nil {
		return err
	}
	out.Was, err = query[string](ctx, d.DB, nil,
		"SELECT DISTINCT old_candidate FROM lineage WHERE new_candidate = ? AND old_candidate NOT IN ('', ?) ORDER BY 1",
		j.ID, j.ID)
	return err
}
