package review

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/schema"
)

// member is one pull of a candidate.
type member struct {
	Candidate    string
	RepositoryID int64
	Number       int
	Repository   string
}

func (m member) key() string {
	return strconv.FormatInt(m.RepositoryID, 10) + "#" + strconv.Itoa(m.Number)
}
func (m member) name() string { return schema.PullName(m.Repository, m.Number) }

// judged is one candidate with its reviews; an orphan is reviews without one.
type judged struct {
	ID           string
	Orphan       bool
	Ecosystem    string
	Repositories []string
	Latest       time.Time
	Kept         bool
	Waiting      bool   // inspect has not looked at it yet
	FactsReason  string // why dedupe or inspect did not keep it
	Excluded     string // why exclude.yaml leaves it out
	Pulls        []string
	Members      []member
	Reviews      []schema.Review
	Verdict      verdict
}

func (j *judged) keys() map[string]bool {
	keys := make(map[string]bool, len(j.Members))
	for _, m := range j.Members {
		keys[m.key()] = true
	}
	return keys
}

// state is all candidates and all reviews, matched.
type state struct {
	candidates []*judged // in the order of their ids
	orphans    []*judged
	byID       map[string]*judged
	byPull     map[string][]*judged // by member key
	ids        map[string]int64     // lower-case repository names, past ones too
}

// load reads the candidates and the folder's files and matches them.
func load(ctx context.Context, db pipeline.Queryer, f folder.Folder) (*state, error) {
	st, err := loadCandidates(ctx, db)
	if err != nil {
		return nil, err
	}
	reviews, err := f.Reviews()
	if err != nil {
		return nil, err
	}
	exclusions, err := f.Exclusions()
	if err != nil {
		return nil, err
	}
	st.match(reviews)
	for _, j := range st.candidates {
		j.Excluded = st.excluded(j, exclusions)
		j.Verdict = decide(j)
	}
	return st, nil
}

func loadCandidates(ctx context.Context, db pipeline.Queryer) (*state, error) {
	st := &state{byID: map[string]*judged{}, byPull: map[string][]*judged{}}
	rows, err := db.Query(ctx, `SELECT g.candidate_id, g.ecosystem, g.repositories, g.latest_merged_at,
			coalesce(f.kept, false) AND d.kept IS NULL,
			coalesce('repeats ' || d.kept || ': ' || d.reason, f.reason, ''),
			f.candidate_id IS NULL AND d.kept IS NULL
		FROM candidate_groups g LEFT JOIN candidate_facts f ON f.candidate_id = g.candidate_id
		LEFT JOIN (SELECT candidate_id, min(kept) AS kept, min(reason) AS reason FROM duplicates GROUP BY candidate_id) d
			ON d.candidate_id = g.candidate_id
		ORDER BY g.candidate_id`)
	if err != nil {
		return nil, fmt.Errorf("reading candidates: %w", err)
	}
	list, err := pipeline.Scan(rows, func(j *judged) []any {
		return []any{&j.ID, &j.Ecosystem, (*pipeline.List)(&j.Repositories), &j.Latest, &j.Kept, &j.FactsReason, &j.Waiting}
	})
	if err != nil {
		return nil, fmt.Errorf("reading candidates: %w", err)
	}
	for i := range list {
		st.candidates = append(st.candidates, &list[i])
		st.byID[list[i].ID] = &list[i]
	}
	if err := st.loadMembers(ctx, db); err != nil {
		return nil, fmt.Errorf("reading members: %w", err)
	}
	if err := st.loadNames(ctx, db); err != nil {
		return nil, fmt.Errorf("reading names of repositories: %w", err)
	}
	return st, nil
}

const namesSQL = `SELECT repository_id, arg_max(repository, fetched_at) AS repository FROM repository_versions GROUP ` +
	`BY repository_id`

func (st *state) loadMembers(ctx context.Context, db pipeline.Queryer) error {
	rows, err := db.Query(ctx, `WITH names AS (`+namesSQL+`)
		SELECT m.candidate_id, m.repository_id, m.number, coalesce(n.repository, m.repository_id::VARCHAR)
		FROM group_members m LEFT JOIN names n ON n.repository_id = m.repository_id
		ORDER BY m.candidate_id, 4, m.number`)
	if err != nil {
		return err
	}
	members, err := pipeline.Scan(rows, func(m *member) []any {
		return []any{&m.Candidate, &m.RepositoryID, &m.Number, &m.Repository}
	})
	for _, m := range members {
		if j := st.byID[m.Candidate]; j != nil {
			j.Members = append(j.Members, m)
			j.Pulls = append(j.Pulls, m.name())
			st.byPull[m.key()] = append(st.byPull[m.key()], j)
		}
	}
	for _, j := range st.candidates {
		slices.Sort(j.Pulls)
	}
	return err
}

// loadNames lets a review keep its pulls when a repository is renamed.
func (st *state) loadNames(ctx context.Context, db pipeline.Queryer) error {
	rows, err := db.Query(ctx, `SELECT name, max(repository_id) FROM (
			SELECT lower(repository) AS name, repository_id FROM repository_versions
			UNION ALL SELECT lower(written), repository_id FROM repository_aliases WHERE repository_id IS NOT NULL)
		GROUP BY name`)
	if err != nil {
		return err
	}
	type named struct {
		name string
		id   int64
	}
	list, err := pipeline.Scan(rows, func(n *named) []any { return []any{&n.name, &n.id} })
	st.ids = make(map[string]int64, len(list))
	for _, n := range list {
		st.ids[n.name] = n.id
	}
	return err
}

// key is a pull's key by its name of today or of once; an unknown name is a key
// that no member has.
func (st *state) key(pull string) string {
	repository, number, err := schema.ParsePullName(pull)
	if err != nil {
		return pull
	}
	if id, ok := st.ids[strings.ToLower(repository)]; ok {
		return member{RepositoryID: id, Number: number}.key()
	}
	return strings.ToLower(pull)
}

func (st *state) keys(pulls []string) map[string]bool {
	keys := make(map[string]bool, len(pulls))
	for _, p := range pulls {
		keys[st.key(p)] = true
	}
	return keys
}

// match hands each review to the candidates it applies to.
func (st *state) match(reviews []schema.Review) {
	orphans := map[string]*judged{}
	for _, r := range reviews {
		keys := st.keys(r.Pulls)
		found := st.answering(r.ReviewedAs, keys)
		for _, j := range found {
			r.CandidateID, r.Stale = j.ID, !maps.Equal(keys, j.keys())
			j.Reviews = append(j.Reviews, r)
		}
		if len(found) == 0 {
			o := orphans[r.ReviewedAs]
			if o == nil {
				o = &judged{ID: r.ReviewedAs, Orphan: true, Pulls: r.Pulls}
				orphans[r.ReviewedAs] = o
				st.orphans = append(st.orphans, o)
			}
			r.CandidateID, r.Stale = "", true
			o.Reviews = append(o.Reviews, r)
		}
	}
}

// answering finds the candidates a review applies to: the one it was written for,
// else the one of exactly its pulls, else every one that holds some of them: where
// a candidate was split, each part's reviewer should see it.
func (st *state) answering(id string, keys map[string]bool) []*judged {
	if j := st.byID[id]; j != nil {
		return []*judged{j}
	}
	seen := map[*judged]bool{}
	for key := range keys {
		for _, j := range st.byPull[key] {
			if maps.Equal(keys, j.keys()) {
				return []*judged{j}
			}
			seen[j] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b *judged) int { return cmp.Compare(a.ID, b.ID) })
}

func (st *state) excluded(j *judged, all []schema.Exclusion) string {
	for _, x := range all {
		switch {
		case x.Candidate == j.ID && x.Candidate != "":
			return x.Reason
		case x.Pull != "" && j.keys()[st.key(x.Pull)]:
			return x.Pull + ": " + x.Reason
		case x.Repository != "" && st.holds(j, x.Repository):
			return x.Repository + ": " + x.Reason
		}
	}
	return ""
}

func (st *state) holds(j *judged, repository string) bool {
	id, ok := st.ids[strings.ToLower(repository)]
	return ok && slices.ContainsFunc(j.Members, func(m member) bool { return m.RepositoryID == id })
}
