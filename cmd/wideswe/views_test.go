package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
)

// What the demo's ecosystem has none of, and what needs test runs.
var filling = []string{
	"INSERT INTO campaigns VALUES ('lanternworks', 'lanternworks/wick#3', 'pull', 5, 40, 'named by pulls of 5 repositories')",
	`INSERT INTO pull_landings SELECT repository_id, number, merge_commit_sha, merged_at, author, 'landbot', 'Pull Request resolved' FROM pulls LIMIT 1`,
	`INSERT INTO pull_comments SELECT repository_id, number, 1, 'comment', 'ada', 'User', 'Goes with the reader.', merged_at FROM pulls LIMIT 1`,
	`INSERT INTO link_occurrences BY NAME SELECT * REPLACE (NULL AS target_repository_id, 'else/where' AS target_repository) FROM link_occurrences
		WHERE target_number IS NOT NULL ORDER BY repository_id, number, byte_offset LIMIT 1`,
	"UPDATE candidate_verdicts SET verdict = 'disputed' WHERE candidate_id = (SELECT min(candidate_id) FROM candidate_verdicts)",
	`INSERT INTO test_runs SELECT task_id || state || repeat, task_id, repository, state, repeat, 1, 'ok', 0, false, false, 1.5, 'i', '{}', '1', 'p', 'l', base_time, '', ''
		FROM task_targets, (VALUES ('base'), ('gold')) s(state), range(1, 4) r(repeat)`,
	`INSERT INTO test_outcomes SELECT run_id, task_id, repository, state, repeat, 'p::TestRead', CASE state WHEN 'base' THEN 'fail' ELSE 'pass' END, '', 0.1
		FROM test_runs WHERE repository <> (SELECT min(repository) FROM test_runs)`,
	`INSERT INTO stress_outcomes SELECT DISTINCT task_id, repository, 'p::TestOrdered', 'order', 'breaks', 'fail' FROM test_outcomes`,
}

// walkDemo walks the demo's road up to a stage, and gives the program at its folder.
func walkDemo(t *testing.T, until string) *app {
	t.Helper()
	if testing.Short() {
		t.Skip("walks the demo")
	}
	dir := filepath.Join(t.TempDir(), "demo")
	a := &app{in: &bytes.Buffer{}, out: &bytes.Buffer{}, err: &bytes.Buffer{}, quiet: true, dir: dir}
	t.Cleanup(a.close)
	script, err := data.DemoScript()
	if err != nil {
		t.Fatal(err)
	}
	eco := []schema.EcosystemConfig{{Name: "lanternworks", Organizations: []string{"lanternworks"}}}
	for _, step := range []func() error{
		func() error { return initFolder(a, dir, newConfigText(eco, demoURL, demoURL, "process")) },
		func() error { return walkStages(t.Context(), a, runFlags{}, "rank", "inspect") },
		func() error { return demoReviews(t.Context(), a, script) },
		func() error { return walkStages(t.Context(), a, runFlags{}, "review", until) },
	} {
		if err := step(); err != nil {
			t.Fatalf("%v\n%s", err, a.err)
		}
		a.close()
	}
	return a
}

// filledDatabase walks the demo's road to its tasks.
func filledDatabase(t *testing.T) *store.DB {
	t.Helper()
	a := walkDemo(t, "assemble")
	db, err := store.Open(t.Context(), filepath.Join(a.dir, ".wideswe", "wideswe.duckdb"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, q := range filling {
		if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error { return tx.Exec(ctx, q) }); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return db
}

// TestViewsOverFilledTables holds what the heads of the views say against the
// demo's tables: keys tell rows apart, columns exist, examples answer.
func TestViewsOverFilledTables(t *testing.T) {
	db := filledDatabase(t)
	views, err := schema.Views()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		columns, err := pipeline.Column(t.Context(), db, "SELECT column_name FROM duckdb_columns() WHERE table_name = ?", v.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range v.From {
			for _, c := range f.Columns {
				if c != "*" && !slices.Contains(columns, c) {
					t.Errorf("%s has no column %s, which %s is said to fill", v.Name, c, f.Stage)
				}
			}
		}
		for _, c := range columns {
			if len(v.From) > 0 && v.Stage(c) == "" {
				t.Errorf("%s does not say who fills %s", v.Name, c)
			}
		}
		if len(v.Key) > 0 {
			twice, err := pipeline.Column(t.Context(), db, fmt.Sprintf("SELECT count(*)::VARCHAR FROM (SELECT %s FROM %s GROUP BY ALL HAVING count(*) > 1)", strings.Join(v.Key, ", "), v.Name))
			if err != nil || twice[0] != "0" {
				t.Errorf("%s: its key is not one: %v, %v rows", v.Name, err, twice)
			}
		}
		answerExample(t, db, v)
	}
}

// emptyInDemo are the views whose tables the demo leaves empty.
var emptyInDemo = []string{"crawl_audit", "inspected_links", "dependency_links", "evidence_neighbours",
	// An evaluation's store has them.
	"evaluation_targets", "evaluation_tasks", "evaluation_results", "evaluation_attempts", "evaluation_pass_at", "evaluation_configurations"}

func answerExample(t *testing.T, db *store.DB, v schema.View) {
	t.Helper()
	if v.Example.SQL == "" {
		return
	}
	rows, err := db.Query(t.Context(), v.Example.SQL)
	if err != nil {
		t.Errorf("%s: its example: %v", v.Name, err)
		return
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if n == 0 && !slices.Contains(emptyInDemo, v.Name) {
		t.Errorf("%s: its example answers nothing (%v)", v.Name, rows.Err())
	}
}

const (
	readmeFile  = "../../schema/README.md"
	readmeStart = "<!-- The rest is written from the heads of schema/views: go test ./cmd/wideswe -run ReadmeOfTheSchema -update -->\n"
)

// TestReadmeOfTheSchema keeps the list of views in schema/README.md as the heads
// of their files say.
func TestReadmeOfTheSchema(t *testing.T) {
	db, err := store.Open(t.Context(), "", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	b, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	head, got, found := strings.Cut(string(b), readmeStart)
	if !found {
		t.Fatalf("%s has no line %q", readmeFile, readmeStart)
	}
	want, err := viewsText(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(readmeFile, []byte(head+readmeStart+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("%s is not what the views say; go test ./cmd/wideswe -run ReadmeOfTheSchema -update", readmeFile)
	}
}

func viewsText(ctx context.Context, db *store.DB) (string, error) {
	tables, err := readTables(ctx, db)
	if err != nil {
		return "", err
	}
	views, err := schema.Views()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, v := range views {
		i := slices.IndexFunc(tables, func(t tableFile) bool { return t.Name == v.Name })
		if i < 0 || len(v.Key) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\nKey: `%s`.\n\n", v.Name, strings.ToUpper(v.Grain[:1])+v.Grain[1:], strings.Join(v.Key, "`, `"))
		writeColumns(&b, tables[i].Columns)
		if v.Example.SQL != "" {
			fmt.Fprintf(&b, "\nExample: %s.\n\n```sql\n%s\n```\n", v.Example.Title, v.Example.SQL)
		}
	}
	return b.String(), nil
}

// writeColumns lists columns by the stage that fills them.
func writeColumns(b *strings.Builder, columns []tableColumn) {
	var stages []string
	by := map[string][]string{}
	for _, c := range columns {
		if by[c.FilledBy] == nil {
			stages = append(stages, c.FilledBy)
		}
		by[c.FilledBy] = append(by[c.FilledBy], fmt.Sprintf("`%s` %s", c.Name, strings.ToLower(c.Type)))
	}
	for _, s := range stages {
		fmt.Fprintf(b, "- %s: %s\n", s, strings.Join(by[s], ", "))
	}
}
