package dedupe

import (
	"context"
	"sort"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// input is everything that decides one ecosystem's rows.
type input struct {
	Ecosystem string
	Members   []member
	Named     []named
	Apart     []apart
	Paper     []paperLink
	Pairs     []pair
}

// member is a pull of a candidate.
type member struct {
	Candidate    string
	RepositoryID int64
	Repository   string
	Number       int
	Title        string
	HeadRef      string
	BaseRef      string
	MergedAt     time.Time
}

// named is a pull or issue that a candidate's member names, or the member itself.
type named struct {
	Candidate string
	By        string // the member
	Name      string // owner/name#N
}

// apart are two candidates that a person keeps apart.
type apart struct{ A, B string }

// paperLink is a link by the authors' rule into the ecosystem.
type paperLink struct {
	RepositoryID int64
	Repository   string
	Number       int
	TargetID     int64
	Target       string
	TargetNumber int
	State        string // merged, pull, issue, unknown
}

// membersQuery reads the members' pulls as the view all_pulls has them, which
// would choose the newest version of every pull there is.
const membersQuery = `WITH latest AS (
		SELECT arg_max(v.rowid, (v.fetched_at, v.rowid)) AS id
		FROM pull_versions v SEMI JOIN group_members m ON m.repository_id = v.repository_id AND m.number = v.number
		GROUP BY v.repository_id, v.number)
	SELECT g.ecosystem, m.candidate_id, m.repository_id, r.repository, m.number, p.title, p.head_ref, p.base_ref,
	p.merged_at
	FROM latest l
	JOIN pull_versions p ON p.rowid = l.id
	JOIN repositories r ON r.repository_id = p.repository_id AND r.state <> 'gone'
	JOIN group_members m ON m.repository_id = p.repository_id AND m.number = p.number
	JOIN candidate_groups g USING (candidate_id)
	ORDER BY g.ecosystem, m.candidate_id, m.repository_id, m.number`

// namedQuery leaves out hubs and trackers, which everybody names, and what other
// people or programs wrote.
const namedQuery = `WITH members AS (
		SELECT g.ecosystem, m.candidate_id, m.repository_id, m.number, r.repository || '#' || m.number AS pull
		FROM group_members m JOIN candidate_groups g USING (candidate_id) JOIN repositories r USING (repository_id)),
	named AS (
		SELECT ecosystem, candidate_id, pull, pull AS name FROM members
		UNION
		SELECT m.ecosystem, m.candidate_id, m.pull, l.target
		FROM members m JOIN text_links l ON l.source_repository_id = m.repository_id AND l.source_number = m.number
		WHERE l.may_group AND l.target_number IS NOT NULL
		UNION
		SELECT m.ecosystem, m.candidate_id, m.pull, r.repository || '#' || o.issue_number
		FROM members m JOIN own_issues o USING (repository_id, number) JOIN repositories r USING (repository_id))
	SELECT ecosystem, candidate_id, pull, name FROM named
	WHERE name NOT IN (SELECT hub FROM campaigns)
	QUALIFY count(DISTINCT candidate_id) OVER (PARTITION BY name) > 1
	ORDER BY ecosystem, name, candidate_id, pull`

const apartQuery = `SELECT DISTINCT e.ecosystem, least(a.candidate_id, b.candidate_id), greatest(a.candidate_id, b.candidate_id)
	FROM edges e
	JOIN group_members a ON a.repository_id = e.a_repository_id AND a.number = e.a_number
	JOIN group_members b ON b.repository_id = e.b_repository_id AND b.number = e.b_number
	WHERE NOT e.admitted AND contains(e.reason, 'kept apart by') AND a.candidate_id <> b.candidate_id
	ORDER BY ALL`

// paperQuery reads what the targets are known to be as the views all_pulls and
// known_numbers have it, of the targets alone.
const paperQuery = `WITH targets AS (
		SELECT DISTINCT target_repository_id AS repository_id,
		target_number AS number FROM paper_links WHERE target_repository_id IS NOT NULL),
	latest AS (
		SELECT v.repository_id, v.number, arg_max(v.rowid, (v.fetched_at, v.rowid)) AS id
		FROM pull_versions v SEMI JOIN targets t ON t.repository_id = v.repository_id AND t.number = v.number
		GROUP BY v.repository_id, v.number),
	pulls AS (
		SELECT l.repository_id, l.number, p.merged_at
		FROM latest l
		JOIN pull_versions p ON p.rowid = l.id
		JOIN repositories r ON r.repository_id = l.repository_id AND r.state <> 'gone'),
	known AS (
		SELECT repository_id, number, max(kind) AS kind
		FROM (SELECT repository_id, number, 'pull' AS kind FROM latest
			UNION ALL
			SELECT i.repository_id, i.number, i.kind FROM issue_versions i SEMI JOIN targets t ON t.repository_id = i.repository_id AND t.number = i.number
			WHERE i.kind IN ('issue', 'pull'))
		GROUP BY repository_id, number)
	SELECT s.ecosystem, l.repository_id, s.repository, l.number, l.target_repository_id, l.target_repository,
	l.target_number,
		CASE WHEN p.merged_at IS NOT NULL THEN 'merged' WHEN p.number IS NOT NULL THEN 'pull' ELSE coalesce(k.kind,
		'unknown') END
	FROM paper_links l
	JOIN repositories s USING (repository_id)
	LEFT JOIN pulls p ON p.repository_id = l.target_repository_id AND p.number = l.target_number
	LEFT JOIN known k ON k.repository_id = l.target_repository_id AND k.number = l.target_number
	WHERE l.target_repository_id IS NOT NULL
	ORDER BY s.ecosystem, lower(s.repository), l.repository_id, l.number, l.position`

func (s Stage) inputs(ctx context.Context) ([]input, error) {
	rows, err := s.DB.Query(ctx, "SELECT ecosystem FROM ecosystems WHERE kept")
	if err != nil {
		return nil, err
	}
	names, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	inputs := make([]input, len(names))
	byName := map[string]*input{}
	for i, n := range names {
		inputs[i].Ecosystem = n
		byName[n] = &inputs[i]
	}
	if err := s.readCandidates(ctx, byName); err != nil {
		return nil, err
	}
	if err := s.readPairs(ctx, byName); err != nil {
		return nil, err
	}
	err = each(ctx, s.DB, paperQuery, func(l *paperLink) []any {
		return []any{&l.RepositoryID, &l.Repository, &l.Number, &l.TargetID, &l.Target, &l.TargetNumber, &l.State}
	}, byName, func(in *input, l paperLink) { in.Paper = append(in.Paper, l) })
	return inputs, err
}

func (s Stage) readCandidates(ctx context.Context, byName map[string]*input) error {
	err := each(ctx, s.DB, membersQuery, func(m *member) []any {
		return []any{&m.Candidate, &m.RepositoryID, &m.Repository, &m.Number, &m.Title, &m.HeadRef, &m.BaseRef, &m.MergedAt}
	}, byName, func(in *input, m member) { in.Members = append(in.Members, m) })
	if err != nil {
		return err
	}
	err = each(ctx, s.DB, namedQuery, func(n *named) []any { return []any{&n.Candidate, &n.By, &n.Name} },
		byName, func(in *input, n named) { in.Named = append(in.Named, n) })
	if err != nil {
		return err
	}
	return each(ctx, s.DB, apartQuery, func(a *apart) []any { return []any{&a.A, &a.B} },
		byName, func(in *input, a apart) { in.Apart = append(in.Apart, a) })
}

// each reads rows whose first column is the ecosystem and hands them to its input.
func each[T any](ctx context.Context, db pipeline.DB, query string, fields func(*T) []any, byName map[string]*input,
	add func(*input, T)) error {
	type row struct {
		ecosystem string
		value     T
	}
	rows, err := db.Query(ctx, query)
	if err != nil {
		return err
	}
	all, err := pipeline.Scan(rows, func(r *row) []any { return append([]any{&r.ecosystem}, fields(&r.value)...) })
	for _, r := range all {
		if in := byName[r.ecosystem]; in != nil {
			add(in, r.value)
		}
	}
	return err
}
