package link_test

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/stages/link"
)

var day = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)

// pull is a merged pull of the tests' repositories; zero fields have defaults.
type pull struct {
	repository  int64
	number      int
	title, body string
	author      string
	open        bool
	fetched     time.Time
}

func (p pull) row() []any {
	kind := "User"
	if strings.HasSuffix(p.author, "[bot]") {
		kind = "Bot"
	}
	if p.author == "" {
		p.author = "dev-1"
	}
	if p.fetched.IsZero() {
		p.fetched = day
	}
	var merged any
	if !p.open {
		merged = day
	}
	return []any{p.repository, p.number, "closed", p.title, p.body, p.author, kind, []string{}, false, day, day, day,
		merged,
		fmt.Sprintf("%040x", p.number), "main", "", "topic", fmt.Sprintf("%039xf", p.number), "", "list", p.fetched}
}

func database(t *testing.T, pulls ...pull) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	repositories := [][]any{}
	for i, n := range strings.Fields("acme/api acme/api.js acme/web acme/web-ui acme/sdk-go acme/sdk-python acme/docs " +
		"acme/.github acme/infra globex/core globex/ui") {
		ecosystem, _, _ := strings.Cut(n, "/")
		repositories = append(repositories, repository(int64(i+1), n, ecosystem, n == "acme/docs", day))
	}
	add(t, db, "ecosystems", [][]any{{"acme", []string{"acme"}, []string{}, "config", int64(0), true, ""},
		{"globex", []string{"globex"}, []string{}, "config", int64(0), true, ""}})
	add(t, db, "repository_versions", repositories)
	add(t, db, "repository_aliases", [][]any{{"acme/old-api", int64(1), "acme/api", "renamed", day}})
	addPulls(t, db, pulls...)
	return db
}

func repository(id int64, name, ecosystem string, archived bool, at time.Time) []any {
	return []any{id, name, ecosystem, archived, false, false, int64(9), "Go", "MIT", "main", "", day, "ok", at}
}

func add(t *testing.T, db *store.DB, table string, rows [][]any) {
	t.Helper()
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, table,
			rows)
	}); err != nil {
		t.Fatal(err)
	}
}

func addPulls(t *testing.T, db *store.DB, pulls ...pull) {
	t.Helper()
	rows := [][]any{}
	for _, p := range pulls {
		rows = append(rows, p.row())
	}
	add(t, db, "pull_versions", rows)
}

func run(t *testing.T, db *store.DB) pipeline.Counts {
	t.Helper()
	r := &pipeline.Run{Ledger: db, Workers: 2}
	if err := pipeline.Execute(t.Context(), link.Stage{DB: db}, r); err != nil {
		t.Fatal(err)
	}
	return r.Counts
}

const showLinks = `SELECT source || ' ' || target || ' ' || target_kind || ' ' || form || ' ' || location || ' ' || relation || ' ' || may_group
	FROM links ORDER BY source, location DESC, byte_offset`

func TestLinksOfTitleAndBody(t *testing.T) {
	db := database(t,
		pull{repository: 3, number: 7, title: "Use acme/API#12",
			body: "Depends on https://github.com/acme/old-api/pull/13\r\nSee acme/sdk-go@0123456789abcdef and other/thing#4, " +
				"acme/web#6"},
		pull{repository: 1, number: 12}, pull{repository: 1, number: 13, open: true, body: "acme/web#7"})
	add(t, db, "issue_versions", [][]any{{int64(5), 3, "issue", "open", "", "", "", "", []string{}, day, day, nil, day}})
	addPulls(t, db, pull{repository: 5, number: 9, body: "Fixes acme/web#5 and acme/sdk-python#3 and acme/sdk-go#3"},
		pull{repository: 6, number: 1, body: "https://github.com/acme/sdk-go/pull/3"})
	run(t, db)
	want := []string{
		"acme/sdk-go#9 acme/web#5 unknown shorthand body closes true",
		"acme/sdk-go#9 acme/sdk-python#3 unknown shorthand body closes true",
		"acme/sdk-python#1 acme/sdk-go#3 issue url body mention true",
		"acme/web#7 acme/api#12 pull shorthand title picks_up true",
		"acme/web#7 acme/api#13 pull url body depends_on true",
		"acme/web#7 acme/sdk-go@0123456789abcdef commit commit_shorthand body mention true",
	}
	if d := cmp.Diff(want, storetest.Strings(t, db, showLinks)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"acme/web#7 other/thing#4"}, storetest.Strings(t, db,
		"SELECT source || ' ' || target FROM external_links")); d != "" {
		t.Error(d)
	}
}

// Issues of the pull's own repository make no link, but are kept where the pull closes them.
func TestOwnIssues(t *testing.T) {
	db := database(t, pull{repository: 3, number: 7,
		body: "Fixes #4, #5 and resolves acme/WEB#6. See #8. Part of GH-9\n\n`Closes #10`\n> Closes #11"})
	run(t, db)
	want := []string{"4 closes", "5 closes", "6 closes", "9 part_of"}
	if d := cmp.Diff(want, storetest.Strings(t, db,
		"SELECT issue_number || ' ' || relation FROM own_issues ORDER BY issue_number")); d != "" {
		t.Error(d)
	}
	if n := storetest.Strings(t, db, "SELECT source FROM links"); len(n) != 0 {
		t.Error(n)
	}
}

// The authors' rule reads raw text, spells names as they are today and takes
// active repositories only.
func TestPaperLinks(t *testing.T) {
	db := database(t, pull{repository: 3, number: 7, title: "t",
		body: "`acme/api#12` acme/old-api#3 acme/docs#1 globex/ui#2 acme/web#1 Acme/API/issues/12"})
	run(t, db)
	want := []string{"acme/api#12 1", "acme/docs#1 0", "acme/old-api#3 0", "globex/ui#2 0"}
	if d := cmp.Diff(want, storetest.Strings(t, db,
		"SELECT target_repository || '#' || target_number || ' ' || coalesce(target_repository_id, 0) FROM paper_links "+
			"ORDER BY 1")); d != "" {
		t.Error(d)
	}
}

func TestSecondRunDoesNothingAndChangesRedoWhatTheyTouch(t *testing.T) {
	db := database(t, pull{repository: 3, number: 7, body: "acme/api#12"}, pull{repository: 5, number: 1,
		body: "acme/api#12"})
	if d := cmp.Diff(pipeline.Counts{Done: 2}, run(t, db)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(pipeline.Counts{Unchanged: 2}, run(t, db)); d != "" {
		t.Error(d)
	}
	// A newer version of one pull takes the link back.
	addPulls(t, db, pull{repository: 3, number: 7, body: "nothing", fetched: day.Add(time.Hour)})
	if d := cmp.Diff(pipeline.Counts{Done: 1, Unchanged: 1}, run(t, db)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"acme/sdk-go#1 acme/api#12 unknown shorthand body mention true"}, storetest.Strings(t, db,
		showLinks)); d != "" {
		t.Error(d)
	}
	// A rename changes what names mean: everything is read again, the item has a new name, no row is left twice.
	add(t, db, "repository_versions", [][]any{repository(5, "acme/sdk-golang", "acme", false, day.Add(time.Hour))})
	if d := cmp.Diff(pipeline.Counts{Done: 2}, run(t, db)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"acme/sdk-golang#1 acme/api#12 unknown shorthand body mention true"}, storetest.Strings(t,
		db, showLinks)); d != "" {
		t.Error(d)
	}
}

func TestArrivalOrderDoesNotMatter(t *testing.T) {
	pulls := []pull{{repository: 3, number: 7, body: "acme/api#12 acme/sdk-go#1"}, {repository: 3, number: 2,
		body: "acme/api#1"}, {repository: 1, number: 4, body: "acme/web#2"}}
	dump := func(pulls []pull) []string {
		db := database(t, pulls...)
		run(t, db)
		return storetest.Strings(t, db, "SELECT l::VARCHAR FROM link_occurrences l ORDER BY 1")
	}
	a := dump(pulls)
	sort.Slice(pulls, func(i, j int) bool { return pulls[i].number < pulls[j].number })
	if d := cmp.Diff(a, dump(pulls)); d != "" || len(a) != 4 {
		t.Error(len(a), d)
	}
}

// The view answers the spec of references as the grammar does.
func TestSpecThroughTheView(t *testing.T) {
	b, err := os.ReadFile("../../pipeline/reference/testdata/link_cases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int64{"acme/api": 1, "acme/web": 3, "acme/sdk-go": 5, "acme/infra": 9}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\u200b`, "\u200b")
	var pulls []pull
	want := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(c) != 9 || c[0] == "id" {
			continue
		}
		var n int
		fmt.Sscan(c[0], &n)
		author := c[2]
		if author == "human" {
			author = "dev-1"
		}
		pulls = append(pulls, pull{repository: ids[c[3]], number: 90000 + n, title: "Row " + c[0],
			body: unescape.Replace(c[4]), author: author})
		for _, w := range strings.Fields(c[6]) {
			if w != "-" {
				source := fmt.Sprintf("%s#%d", c[3], 90000+n)
				want[source] = append(want[source], w)
			}
		}
	}
	db := database(t, pulls...)
	run(t, db)
	got := map[string][]string{}
	for _, l := range storetest.Strings(t, db, "SELECT DISTINCT source || ' ' || target FROM links WHERE may_group "+
		"ORDER BY 1") {
		source, target, _ := strings.Cut(l, " ")
		got[source] = append(got[source], target)
	}
	for _, m := range []map[string][]string{want, got} {
		for _, l := range m {
			sort.Strings(l)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
