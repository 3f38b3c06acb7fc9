package group_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/group"
)

var day = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)

// world is what a test's ecosystem holds; names are owner/name#N.
type world struct {
	pulls  map[string]pull
	links  []link
	own    map[string]string // pull -> issue numbers of its own repository that it closes
	issues []string
}

type pull struct {
	title, author, head string
	days                float64 // merged after the first day
	open                bool
}

type link struct{ from, to, relation, reason string }

// names are the tests' repositories, by id.
var names = strings.Fields("acme/api acme/web acme/sdk acme/docs acme/cli acme/core acme/db acme/ui acme/ops acme/app")

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
	panic("no repository " + repository)
}

// database stores a world; seed shuffles the rows of every table.
func database(t *testing.T, w world, seed uint64) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	rows := w.rows()
	random := rand.New(rand.NewPCG(seed, 1))
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		for table, list := range rows {
			if seed > 0 {
				random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			}
			if err := tx.Append(ctx, table, list); err != nil {
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

func (w world) rows() map[string][][]any {
	rows := map[string][][]any{"ecosystems": {{"acme", []string{"acme"}, []string{}, "config", int64(0), true, ""}}}
	for i, n := range names {
		rows["repository_versions"] = append(rows["repository_versions"],
			[]any{int64(i + 1), n, "acme", false, false, false, int64(0), "Go", "MIT", "main", "", day, "ok", day})
	}
	for name, p := range w.pulls {
		rows["pull_versions"] = append(rows["pull_versions"], p.row(name))
	}
	for i, l := range w.links {
		rows["link_occurrences"] = append(rows["link_occurrences"], l.row(i))
	}
	for p, issues := range w.own {
		repository, n := id(p)
		for _, issue := range strings.Fields(issues) {
			var number int
			fmt.Sscan(issue, &number)
			rows["own_issues"] = append(rows["own_issues"], []any{repository, n, number, "closes", "1"})
		}
	}
	for _, name := range w.issues {
		repository, n := id(name)
		rows["issue_versions"] = append(rows["issue_versions"], []any{repository, n, "issue", "open", "", "", "", "",
			[]string{}, day, day, nil, day})
	}
	return rows
}

func (p pull) row(name string) []any {
	repository, n := id(name)
	if p.author == "" {
		p.author = "dev-" + name
	}
	kind := "User"
	if strings.HasSuffix(p.author, "[bot]") {
		kind = "Bot"
	}
	var merged any
	if !p.open {
		merged = day.Add(time.Duration(p.days * 24 * float64(time.Hour)))
	}
	return []any{repository, n, "closed", p.title, "", p.author, kind, []string{}, false, day, day, day, merged,
		fmt.Sprintf("%08x%032x", repository, n), "main", "", p.head, "", "", "list", day}
}

func (l link) row(i int) []any {
	repository, n := id(l.from)
	if l.relation == "" {
		l.relation = "mention"
	}
	flags := []string{}
	relation, list := strings.CutSuffix(l.relation, " list")
	if list {
		flags = append(flags, "list")
	}
	var target, number any
	sha, kind, form := "", "unknown", "shorthand"
	if to, hash, ok := strings.Cut(l.to, "@"); ok {
		target, _ = id(to + "#1")
		sha, kind, form = hash, "commit", "commit_url"
	} else {
		r, n := id(l.to)
		target, number = r, n
	}
	return []any{repository, n, "body", i * 100, 10, form, l.to, target, "", number, sha, kind, relation, flags,
		l.reason == "", l.reason,
		l.relation + " " + l.to, "1"}
}

// candidates runs the stage and shows each candidate as its pulls.
func candidates(t *testing.T, db *store.DB, s group.Stage) []string {
	t.Helper()
	run(t, db, s)
	return storetest.Strings(t, db, `SELECT string_agg(pull, ' ' ORDER BY pull) FROM candidate_pulls GROUP BY `+
		`candidate_id ORDER BY 1`)
}

func run(t *testing.T, db *store.DB, s group.Stage) pipeline.Counts {
	t.Helper()
	s.DB = db
	r := &pipeline.Run{Ledger: db, Now: func() time.Time { return day }}
	if err := pipeline.Execute(t.Context(), s, r); err != nil {
		t.Fatal(err)
	}
	return r.Counts
}
