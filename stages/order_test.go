package stages_test

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
	"github.com/wideswe/wideswe/stages/dedupe"
	"github.com/wideswe/wideswe/stages/group"
	"github.com/wideswe/wideswe/stages/link"
)

var (
	firstDay     = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	repositories = strings.Fields("acme/api acme/web acme/sdk acme/docs globex/core globex/ui")
	// phrases name another pull in words of each weight; %s is the pull.
	phrases = []string{"Depends on %s", "Bump to pick up %s", "See %s.", "Same as %s", "Companion of %s", "Fixes %s",
		"Unlike %s, this is small.",
		"> %s", "- %s\n- more", "Follows %s", "`%s`", "Part of %s"}
)

// arrival is a row as a crawl would store it.
type arrival struct {
	table string
	row   []any
}

// invented makes pulls that name each other, of people and programs, with reverts,
// backports, issues, and one repository that was renamed. It is the same each time.
func invented() []arrival {
	random := rand.New(rand.NewPCG(7, 7))
	var all []arrival
	for i, name := range repositories {
		id, ecosystem := int64(i+1), strings.Split(name, "/")[0]
		if name == "acme/sdk" {
			all = append(all, arrival{"repository_versions", []any{id, "acme/old-sdk", ecosystem, false, false, false, int64(9),
				"Go", "MIT", "main", "", firstDay, "ok", firstDay.Add(-time.Hour)}})
		}
		all = append(all, arrival{"repository_versions", []any{id, name, ecosystem, false, false, false, int64(9), "Go",
			"MIT", "main", "", firstDay, "ok", firstDay}})
		all = append(all, arrival{"issue_versions", []any{id, 500, "issue", "open", "wanted", "", "ann", "User", []string{},
			firstDay, firstDay, nil, firstDay}})
	}
	for i := range 240 {
		r := i % len(repositories)
		all = append(all, pullOf(r, i+1, author(random), title(random, i), body(random, i),
			firstDay.Add(time.Duration(i)*7*time.Hour)))
	}
	return all
}

func author(random *rand.Rand) string {
	return []string{"ann", "ben", "mia", "deps[bot]"}[min(random.IntN(9)/2, 3)]
}

func title(random *rand.Rand, i int) string {
	switch random.IntN(12) {
	case 0:
		return fmt.Sprintf("Revert \"Change %d\"", i)
	case 1:
		return fmt.Sprintf("[backport] Change %d", i)
	case 2:
		return fmt.Sprintf("Release v1.%d.0", i)
	}
	return fmt.Sprintf("Change %d", i)
}

// body names up to two earlier pulls, or issues; the renamed one by both names.
func body(random *rand.Rand, i int) string {
	text := "What this does.\n\n"
	for range random.IntN(3) {
		earlier := max(0, i-random.IntN(20))
		name, n := repositories[earlier%len(repositories)], earlier+1
		if random.IntN(6) == 0 {
			n = 500 // an issue
		}
		if name == "acme/sdk" && random.IntN(2) == 0 {
			name = "acme/old-sdk"
		}
		target := fmt.Sprintf("%s#%d", name, n)
		if random.IntN(2) == 0 {
			target = fmt.Sprintf("https://github.com/%s/pull/%d", name, n)
		}
		text += fmt.Sprintf(phrases[random.IntN(len(phrases))], target) + "\n\n"
	}
	if random.IntN(6) == 0 {
		text += "Closes #500\n"
	}
	return text
}

func pullOf(r, n int, author, title, body string, merged time.Time) arrival {
	kind := "User"
	if strings.HasSuffix(author, "[bot]") {
		kind = "Bot"
	}
	return arrival{"pull_versions", []any{int64(r + 1), n, "closed", title, body, author, kind, []string{}, false,
		firstDay, merged, merged, merged,
		fmt.Sprintf("%032x%08x", r+1, n), "main", "", fmt.Sprintf("topic-%d", n%9), fmt.Sprintf("%032xf%07x", r+1, n), "",
		"list", merged}}
}

func openStore(t *testing.T) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	arrive(t, db, []arrival{{"ecosystems", []any{"acme", []string{"acme"}, []string{}, "config", int64(0), true, ""}},
		{"ecosystems", []any{"globex", []string{"globex"}, []string{}, "config", int64(0), true, ""}}})
	return db
}

func arrive(t *testing.T, db *store.DB, rows []arrival) {
	t.Helper()
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		for _, a := range rows {
			if err := tx.Append(ctx, a.table, [][]any{a.row}); err != nil {
				return fmt.Errorf("%s: %w", a.table, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func linkGroupDedupe(t *testing.T, db *store.DB, at time.Time) {
	t.Helper()
	for _, s := range []pipeline.Stage{link.Stage{DB: db}, group.Stage{DB: db}, dedupe.Stage{DB: db}} {
		r := &pipeline.Run{Ledger: db, Workers: 2, Now: func() time.Time { return at }}
		if err := pipeline.Execute(t.Context(), s, r); err != nil {
			t.Fatalf("%s: %v", s.Name(), err)
		}
	}
}

// results are the tables of the three stages, but for the lineage, which tells of
// runs: the rows as text, sorted.
func results(t *testing.T, db *store.DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, table := range strings.Fields("link_occurrences paper_links own_issues edges candidate_groups group_members " +
		"campaigns duplicates consolidation_proposals records") {
		out[table] = storetest.Strings(t, db, "SELECT t::VARCHAR FROM "+table+" t ORDER BY 1")
	}
	return out
}

// first brings the repositories before all else, as a crawl does.
func first(a arrival) int {
	if a.table == "repository_versions" {
		return 0
	}
	return 1
}

// TestOrderOfArrivalChangesNothing holds a crawl that brings everything at once
// against two that bring it shuffled, in parts, each part worked on as it comes.
func TestOrderOfArrivalChangesNothing(t *testing.T) {
	whole := openStore(t)
	arrive(t, whole, invented())
	linkGroupDedupe(t, whole, firstDay)
	want := results(t, whole)
	for _, table := range strings.Fields("link_occurrences edges candidate_groups records") {
		if len(want[table]) < 10 {
			t.Fatalf("the corpus makes %d rows of %s, which shows nothing", len(want[table]), table)
		}
	}
	for seed := range uint64(2) {
		db, rows := openStore(t), invented()
		random := rand.New(rand.NewPCG(seed, 3))
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		slices.SortStableFunc(rows, func(a, b arrival) int { return first(a) - first(b) })
		for part := range slices.Chunk(rows, len(rows)/3+1) {
			arrive(t, db, part)
			linkGroupDedupe(t, db, firstDay)
		}
		if d := cmp.Diff(want, results(t, db)); d != "" {
			t.Errorf("order %d: %s", seed, d)
		}
		if n := storetest.Strings(t, db, "SELECT count(*)::VARCHAR FROM lineage"); n[0] == "0" {
			t.Errorf("order %d: no candidate grew, so the parts show nothing", seed)
		}
	}
}

// TestOnePullMoreMovesItsGroupAlone adds a pull that names a member of a candidate:
// that candidate has an heir, and no other row of candidates or lineage moves.
func TestOnePullMoreMovesItsGroupAlone(t *testing.T) {
	db := openStore(t)
	arrive(t, db, invented())
	linkGroupDedupe(t, db, firstDay)
	members := `SELECT candidate_id || ' ' || string_agg(repository_id || '#' || number, ' ' ORDER BY repository_id, ` +
		`number) FROM group_members GROUP BY candidate_id ORDER BY 1`
	before := storetest.Strings(t, db, members)
	pair := storetest.Strings(t, db, `SELECT g.candidate_id || ' ' || r.repository || '#' || m.number || ' ' || epoch(p.merged_at)::BIGINT
		FROM candidate_groups g JOIN group_members m USING (candidate_id) JOIN repositories r USING (repository_id)
		JOIN pull_versions p ON p.repository_id = m.repository_id AND p.number = m.number
		WHERE g.ecosystem = 'acme' AND g.pulls = 2 AND r.repository <> 'acme/docs' ORDER BY 1`)
	if len(pair) == 0 {
		t.Fatal("the corpus has no pair to add to")
	}
	var id, name string
	var merged int64
	if _, err := fmt.Sscan(pair[0], &id, &name, &merged); err != nil {
		t.Fatal(err)
	}
	arrive(t, db, []arrival{pullOf(slices.Index(repositories, "acme/docs"), 9001, "zoe", "Say so", "Depends on "+name,
		time.Unix(merged, 0).UTC())})
	linkGroupDedupe(t, db, firstDay.Add(time.Hour))

	after := storetest.Strings(t, db, members)
	gone := slices.DeleteFunc(slices.Clone(before), func(s string) bool { return slices.Contains(after, s) })
	come := slices.DeleteFunc(slices.Clone(after), func(s string) bool { return slices.Contains(before, s) })
	if len(gone) != 1 || !strings.HasPrefix(gone[0], id+" ") || len(come) != 1 || !strings.Contains(come[0], "4#9001") {
		t.Fatalf("gone %q, come %q; the pull was added to %s", gone, come, id)
	}
	heir, _, _ := strings.Cut(come[0], " ")
	if d := cmp.Diff([]string{id + " -> " + heir + " [acme/docs#9001] []"}, storetest.Strings(t, db,
		"SELECT old_candidate || ' -> ' || new_candidate || ' ' || added::VARCHAR || ' ' || removed::VARCHAR FROM "+
			"lineage")); d != "" {
		t.Error(d)
	}
}
