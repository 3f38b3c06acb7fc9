package dedupe_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/dedupe"
)

var day = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)

// pull is a member of a candidate; its place in the list tells when it was merged.
type pull struct{ candidate, name, title, base, head string }

type world struct {
	pulls []pull
	links []string // "acme/web#2 acme/api#1"
	own   []string // "acme/web#2 closes 7"
	rows  map[string][][]any
}

var names = []string{"acme/api", "acme/web", "acme/docs"}

func id(name string) (int64, int) {
	repository, n, err := schema.ParsePullName(name)
	if err != nil {
		panic(err)
	}
	for i, r := range names {
		if r == repository {
			return int64(i + 1), n
		}
	}
	panic(name)
}

func database(t *testing.T, w world, seed uint64) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	random := rand.New(rand.NewPCG(seed, 1))
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		for table, rows := range w.tables() {
			if seed > 0 {
				random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			}
			if err := tx.Append(ctx, table, rows); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func (w world) tables() map[string][][]any {
	rows := map[string][][]any{"ecosystems": {{"acme", []string{"acme"}, []string{}, "config", int64(0), true, ""}}}
	for i, n := range names {
		rows["repository_versions"] = append(rows["repository_versions"],
			[]any{int64(i + 1), n, "acme", false, false, false, int64(0), "Go", "MIT", "main", "", day, "ok", day})
	}
	groups := map[string]bool{}
	for i, p := range w.pulls {
		repository, n := id(p.name)
		rows["pull_versions"] = append(rows["pull_versions"], pullRow(repository, n, p, day.Add(time.Duration(i)*time.Hour)))
		if p.candidate == "" {
			continue
		}
		rows["group_members"] = append(rows["group_members"], []any{p.candidate, repository, n, ""})
		if !groups[p.candidate] {
			groups[p.candidate] = true
			rows["candidate_groups"] = append(rows["candidate_groups"], []any{p.candidate, "acme", p.name, []string{}, 2, 3, 0.0,
				[]string{}, day})
		}
	}
	for _, l := range w.links {
		from, to, _ := strings.Cut(l, " ")
		r, n := id(from)
		tr, tn := id(to)
		rows["link_occurrences"] = append(rows["link_occurrences"], []any{r, n, "body", 0, 1, "url", to, tr, "", tn, "",
			"unknown", "mention", []string{}, true, "", "", "1"})
	}
	for _, o := range w.own {
		var name, relation string
		var issue int
		fmt.Sscan(o, &name, &relation, &issue)
		r, n := id(name)
		rows["own_issues"] = append(rows["own_issues"], []any{r, n, issue, relation, "1"})
	}
	for table, more := range w.rows {
		rows[table] = append(rows[table], more...)
	}
	return rows
}

func pullRow(repository int64, n int, p pull, merged any) []any {
	if p.base == "" {
		p.base = "main"
	}
	return []any{repository, n, "closed", p.title, "", "dev-1", "User", []string{}, false, day, day, day, merged, "",
		p.base, "", p.head, "", "", "list", day}
}

func run(t *testing.T, db *store.DB, s dedupe.Stage) pipeline.Counts {
	t.Helper()
	s.DB = db
	r := &pipeline.Run{Ledger: db}
	if err := pipeline.Execute(t.Context(), s, r); err != nil {
		t.Fatal(err)
	}
	return r.Counts
}

const showDuplicates = "SELECT candidate_id || ' ' || reason || ' ' || kept FROM duplicates ORDER BY 1"

// changes knows patch ids by pull; others have none.
func changes(known map[string]string) func(context.Context, int64, int) (string, error) {
	return func(_ context.Context, repository int64, n int) (string, error) {
		id, ok := known[schema.PullName(names[repository-1], n)]
		if !ok {
			return "", pipeline.Skip("no mirror")
		}
		return id, nil
	}
}

func TestDuplicates(t *testing.T) {
	original := []pull{{candidate: "a", name: "acme/api#1", title: "feat: Add retries"}, {candidate: "a",
		name: "acme/web#1", title: "Use retries"}}
	with := func(more ...pull) []pull { return append(append([]pull{}, original...), more...) }
	same := map[string]string{"acme/api#1": "x", "acme/web#1": "y", "acme/api#9": "x", "acme/web#9": "y"}
	for _, test := range []struct {
		name  string
		pulls []pull
		ids   map[string]string
		want  []string
	}{
		{name: "backports by title",
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "[release-1.2] feat: add retries (#1)"},
				pull{candidate: "b", name: "acme/web#9", title: "Backport: use retries to release/1.2"}),
			want: []string{"b backport of a"}},
		{name: "backports by base branch",
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "feat: Add retries", base: "release-1.2"},
				pull{candidate: "b", name: "acme/web#9", title: "Use retries", base: "1.2.x"}),
			want: []string{"b backport of a"}},
		{name: "the original is kept though it was merged later",
			pulls: append([]pull{{candidate: "b", name: "acme/api#9", title: "[1.2] feat: add retries"}, {candidate: "b",
				name: "acme/web#9", title: "use retries", head: "backport/1.2/retries"}}, original...),
			want: []string{"b backport of a"}},
		{name: "two backports of one",
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "Cherry-pick of #1: feat: add retries"},
				pull{candidate: "b", name: "acme/web#9", title: "use retries", base: "stable-2"},
				pull{candidate: "c", name: "acme/api#8", title: "feat: add retries", base: "v1.x"}, pull{candidate: "c",
					name: "acme/web#8", title: "use retries (backport #1)"}),
			want: []string{"b backport of a", "c backport of a"}},
		{name: "equal titles alone say nothing",
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "feat: Add retries"}, pull{candidate: "b",
				name: "acme/web#9", title: "Use retries"})},
		{name: "another set of repositories",
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "[1.2] feat: Add retries"}, pull{candidate: "b",
				name: "acme/docs#9", title: "Use retries"})},
		{name: "backports of something else",
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "[1.2] feat: Add timeouts"}, pull{candidate: "b",
				name: "acme/web#9", title: "[1.2] Use timeouts"})},
		{name: "the same changes under other titles on another branch", ids: same,
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "Retry", base: "next"}, pull{candidate: "b",
				name: "acme/web#9", title: "Retry"}),
			want: []string{"b same changes as a"}},
		{name: "the same changes under the same titles", ids: same,
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "feat: add retries"}, pull{candidate: "b",
				name: "acme/web#9", title: "Use retries."}),
			want: []string{"b same changes as a"}},
		{name: "other changes under the same titles", ids: map[string]string{"acme/api#1": "x", "acme/web#1": "y",
			"acme/api#9": "x", "acme/web#9": "z"},
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "feat: add retries"}, pull{candidate: "b",
				name: "acme/web#9", title: "Use retries."})},
		{name: "a change that no mirror knows", ids: map[string]string{"acme/api#1": "x", "acme/web#1": "y",
			"acme/api#9": "x"},
			pulls: with(pull{candidate: "b", name: "acme/api#9", title: "Retry", base: "next"}, pull{candidate: "b",
				name: "acme/web#9", title: "Retry"})},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := database(t, world{pulls: test.pulls}, 0)
			s := dedupe.Stage{}
			if test.ids != nil {
				s.PatchID = changes(test.ids)
			}
			run(t, db, s)
			if d := cmp.Diff(test.want, storetest.Strings(t, db, showDuplicates)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A patch id costs a mirror: it is asked for only where a pair can be a repeat.
func TestPatchIDsAskedFor(t *testing.T) {
	for _, test := range []struct {
		name string
		b    []pull
		want []string
	}{
		{name: "other titles on the same branches", b: []pull{{name: "acme/api#9", title: "Retry"}, {name: "acme/web#9",
			title: "Retry"}}},
		{name: "one title of two", b: []pull{{name: "acme/api#9", title: "Add retries"}, {name: "acme/web#9",
			title: "Retry"}}},
		{name: "another set of repositories", b: []pull{{name: "acme/api#9", title: "Retry", base: "next"},
			{name: "acme/docs#9", title: "Retry"}}},
		{name: "the same titles", b: []pull{{name: "acme/api#9", title: "add retries"}, {name: "acme/web#9",
			title: "use retries"}},
			want: []string{"acme/api#1", "acme/api#9", "acme/web#1", "acme/web#9"}},
		{name: "another branch in one repository", b: []pull{{name: "acme/api#9", title: "Retry"}, {name: "acme/web#9",
			title: "Retry", base: "next"}},
			want: []string{"acme/api#1", "acme/api#9", "acme/web#1", "acme/web#9"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := world{pulls: []pull{{candidate: "a", name: "acme/api#1", title: "Add retries"}, {candidate: "a",
				name: "acme/web#1", title: "Use retries"}}}
			for _, p := range test.b {
				p.candidate = "b"
				w.pulls = append(w.pulls, p)
			}
			var asked []string
			run(t, database(t, w, 0), dedupe.Stage{PatchID: func(_ context.Context, repository int64, n int) (string, error) {
				asked = append(asked, schema.PullName(names[repository-1], n))
				return "the same for all", nil
			}})
			slices.Sort(asked)
			if d := cmp.Diff(test.want, asked); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestProposals(t *testing.T) {
	four := []pull{{candidate: "a", name: "acme/api#1"}, {candidate: "a", name: "acme/web#1"}, {candidate: "b",
		name: "acme/api#2"}, {candidate: "b", name: "acme/web#2"}}
	for _, test := range []struct {
		name string
		w    world
		want []string
	}{
		{"a shared issue", world{pulls: four, links: []string{"acme/web#1 acme/docs#7", "acme/api#2 acme/docs#7"}},
			[]string{"a b acme/docs#7: acme/web#1 and acme/api#2 both name it"}},
		{"an issue of one's own repository", world{pulls: four, links: []string{"acme/web#1 acme/api#7"},
			own: []string{"acme/api#2 closes 7"}}, []string{"a b acme/api#7: acme/web#1 and acme/api#2 both name it"}},
		{"a pull of the other", world{pulls: four, links: []string{"acme/web#2 acme/api#1"}},
			[]string{"a b acme/api#1: acme/web#2 names acme/api#1 of the other"}},
		{"a tracker", world{pulls: four, links: []string{"acme/web#1 acme/docs#7", "acme/api#2 acme/docs#7"},
			rows: map[string][][]any{"campaigns": {{"acme", "acme/docs#7", "issue", 2, 9, "a tracker"}}}}, nil},
		{"kept apart by a person", world{pulls: four, links: []string{"acme/web#2 acme/api#1"},
			rows: map[string][][]any{"edges": {{"acme", int64(1), 1, int64(2), 2, 4, "needs", false, "", 0.0, false,
				"acme/api#1 and acme/web#2 are kept apart by mia", ""}}}}, nil},
		{"nothing shared", world{pulls: four, links: []string{"acme/web#1 acme/docs#7", "acme/api#2 acme/docs#8"}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := database(t, test.w, 0)
			run(t, db, dedupe.Stage{})
			if d := cmp.Diff(test.want, storetest.Strings(t, db,
				"SELECT a_candidate || ' ' || b_candidate || ' ' || shared || ': ' || reason FROM consolidation_proposals ORDER "+
					"BY 1")); d != "" {
				t.Error(d)
			}
		})
	}
}

func paper(from, to string, position int) []any {
	r, n := id(from)
	tr, tn := id(to)
	return []any{r, n, tr, names[tr-1], tn, position, "paper-1"}
}

// The authors' script makes one record a source pull, keeps the last target of a
// repository, and an issue among the targets sinks the record, as does every pull that is not merged.
func TestRecords(t *testing.T) {
	w := world{pulls: []pull{{name: "acme/api#1"}, {name: "acme/api#2"}, {name: "acme/web#3"}, {name: "acme/docs#11"}},
		rows: map[string][][]any{
			"paper_links": {paper("acme/web#6", "acme/docs#8", 0), paper("acme/web#6", "acme/docs#11", 1),
				paper("acme/web#3", "acme/api#2", 0), paper("acme/web#3", "acme/api#1", 1), paper("acme/api#1", "acme/web#3", 0),
				paper("acme/api#2", "acme/docs#7", 0), paper("acme/api#2", "acme/web#3", 1), paper("acme/web#4", "acme/docs#8", 0),
				paper("acme/web#5", "acme/docs#9", 0)},
			"issue_versions": {{int64(3), 7, "issue", "open", "", "", "", "", []string{}, day, day, nil, day}},
			"pull_versions":  {pullRow(3, 8, pull{}, nil)},
		}}
	db := database(t, w, 0)
	run(t, db, dedupe.Stage{})
	want := []string{
		"acme#1.1 [acme/api, acme/web] [acme/web#3] false: ",
		"acme#1.2 [acme/api, acme/docs, acme/web] [acme/docs#7, acme/web#3] false: target acme/docs#7 is an issue",
		"acme#2.3 [acme/api, acme/web] [acme/api#1] false: ",
		"acme#2.4 [acme/docs, acme/web] [acme/docs#8] false: target acme/docs#8 is not merged",
		"acme#2.5 [acme/docs, acme/web] [acme/docs#9] false: target acme/docs#9 is not known",
		"acme#2.6 [acme/docs, acme/web] [acme/docs#11] false: target acme/docs#8 is not merged",
	}
	got := storetest.Strings(t, db, `SELECT ecosystem || '#' || repository_id || '.' || number || ' ' || `+
		`repositories::VARCHAR || ' ' || targets::VARCHAR || ' ' || duplicate || ': ' || reason FROM records ORDER BY 1`)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// One pull listed under two repositories of one name is one record.
func TestRecordKey(t *testing.T) {
	w := world{pulls: []pull{{name: "acme/api#1"}}, rows: map[string][][]any{
		"repository_versions": {{int64(9), "ACME/Web", "acme", false, false, false, int64(0), "Go", "MIT", "main", "", day,
			"ok", day}},
		"paper_links": {paper("acme/web#3", "acme/api#1", 0), {int64(9), 3, int64(1), "acme/api", 1, 0, "paper-1"}},
	}}
	db := database(t, w, 0)
	run(t, db, dedupe.Stage{})
	if d := cmp.Diff([]string{"2 false", "9 true"}, storetest.Strings(t, db,
		"SELECT repository_id || ' ' || duplicate FROM records ORDER BY duplicate")); d != "" {
		t.Error(d)
	}
}

func TestArrivalOrderAndSecondRun(t *testing.T) {
	w := world{links: []string{}}
	for i := range 20 {
		c := string(rune('a' + i))
		w.pulls = append(w.pulls, pull{candidate: c, name: fmt.Sprintf("acme/api#%d", i+1), title: fmt.Sprintf("Add part %d",
			i%7), base: []string{"main", "release-1.2"}[i/10]},
			pull{candidate: c, name: fmt.Sprintf("acme/web#%d", i+1), title: fmt.Sprintf("Use part %d", i%7)})
		w.links = append(w.links, fmt.Sprintf("acme/web#%d acme/docs#%d", i+1, 50+i/3))
	}
	dump := func(seed uint64) (all []string) {
		db := database(t, w, seed)
		run(t, db, dedupe.Stage{})
		for _, table := range []string{"duplicates", "consolidation_proposals", "records"} {
			all = append(all, storetest.Strings(t, db, "SELECT t::VARCHAR FROM "+table+" t")...)
		}
		if c := run(t, db, dedupe.Stage{}); c.Unchanged != 1 || c.Done != 0 {
			t.Error(c)
		}
		return all
	}
	first := dump(0)
	if len(first) < 12 {
		t.Fatalf("only %q", first)
	}
	for seed := uint64(1); seed <= 3; seed++ {
		if d := cmp.Diff(first, dump(seed)); d != "" {
			t.Error(d)
		}
	}
}
