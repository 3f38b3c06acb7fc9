package demo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// What the demo's ecosystem has none of, and what needs test runs.
var filling = []string{
	"INSERT INTO campaigns VALUES ('lanternworks', 'lanternworks/wick#3', 'pull', 5, 40, 'named by pulls of 5 " +
		"repositories')",
	`INSERT INTO pull_landings SELECT repository_id, number, merge_commit_sha, merged_at, author, 'landbot', 'Pull ` +
		`Request resolved' FROM pulls LIMIT 1`,
	`INSERT INTO pull_comments SELECT repository_id, number, 1, 'comment', 'ada', 'User', 'Goes with the reader.', ` +
		`merged_at FROM pulls LIMIT 1`,
	`INSERT INTO link_occurrences BY NAME SELECT * REPLACE (NULL AS target_repository_id, 'else/where' AS target_repository,
		false AS may_group, 'outside the inventory' AS reason) FROM link_occurrences WHERE target_number IS NOT NULL ORDER BY repository_id, number, byte_offset LIMIT 1`,
	"UPDATE candidate_verdicts SET verdict = 'disputed' WHERE candidate_id = (SELECT min(candidate_id) FROM " +
		"candidate_verdicts)",
	`INSERT INTO pull_proposals SELECT 'lanternworks', a.repository_id, a.number, b.repository_id, b.number, 'title',
		'Mend the wick', 1.5 FROM pulls a, pulls b WHERE a.repository_id < b.repository_id
		AND NOT EXISTS (FROM group_members m WHERE m.repository_id = a.repository_id AND m.number = a.number)
		ORDER BY ALL LIMIT 1`,
	`INSERT INTO test_runs SELECT task_id || state || repeat, task_id, repository, state, repeat, 1, 'ok', 0, false, false, 1.5, 'i', '{}', '1', 'p', 'l', base_time, '', ''
		FROM task_targets, (VALUES ('base'), ('gold')) s(state), range(1, 4) r(repeat)`,
	`INSERT INTO test_outcomes SELECT run_id, task_id, repository, state, repeat, 'p::TestRead', CASE state WHEN 'base' THEN 'fail' ELSE 'pass' END, '', 0.1
		FROM test_runs WHERE repository <> (SELECT min(repository) FROM test_runs)`,
	`INSERT INTO stress_outcomes SELECT DISTINCT task_id, repository, 'p::TestOrdered', 'order', 'breaks', 'fail' FROM ` +
		`test_outcomes`,
}

// walkDemo walks the demo's road up to a stage, and gives the environment at its folder.
func walkDemo(t *testing.T, until string) *env.Env {
	t.Helper()
	testscope.NotShort(t, "it walks the demo")
	e := &env.Env{In: &bytes.Buffer{}, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Quiet: true}
	t.Cleanup(e.Close)
	d, err := newDemo(e, filepath.Join(t.TempDir(), "demo"), "process")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(context.Context) error{d.walk("rank", "inspect"), d.review, d.walk("review", until)} {
		if err := step(t.Context()); err != nil {
			t.Fatalf("%v\n%s", err, e.Err)
		}
		e.Close()
	}
	return e
}

// filledDatabase walks the demo's road to its tasks.
func filledDatabase(t *testing.T) *store.DB {
	t.Helper()
	e := walkDemo(t, "assemble")
	db, err := store.Open(t.Context(), filepath.Join(e.Dir, ".wideswe", "wideswe.duckdb"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, q := range filling {
		if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
			return tx.Exec(ctx, q)
		}); err != nil {
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
		columns, err := pipeline.Column(t.Context(), db, "SELECT column_name FROM duckdb_columns() WHERE table_name = ?",
			v.Name)
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
			twice, err := pipeline.Column(t.Context(), db,
				fmt.Sprintf("SELECT count(*)::VARCHAR FROM (SELECT %s FROM %s GROUP BY ALL HAVING count(*) > 1)",
					strings.Join(v.Key, ", "), v.Name))
			if err != nil || twice[0] != "0" {
				t.Errorf("%s: its key is not one: %v, %v rows", v.Name, err, twice)
			}
		}
		checkBlanks(t, db, v, columns)
		answerExample(t, db, v)
	}
	runQueriesOfREADME(t, db)
}

// runQueriesOfREADME runs the queries of schema/README.md before its list of views, whose examples are run from the
// views.
func runQueriesOfREADME(t *testing.T, db *store.DB) {
	t.Helper()
	text, err := os.ReadFile("../../../../schema/README.md")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "\n## The views\n")
	blocks := strings.Split(head, "```sql\n")[1:]
	if len(blocks) < 4 {
		t.Errorf("schema/README.md has %d queries", len(blocks))
	}
	for _, block := range blocks {
		query, _, _ := strings.Cut(block, "```")
		if _, err := pipeline.Column(t.Context(), db, "SELECT count(*)::VARCHAR FROM ("+query+")"); err != nil {
			t.Errorf("schema/README.md: %v\n%s", err, query)
		}
	}
}

// checkBlanks wants the comment of a column to say when it is null, or empty, where it is so in a row.
func checkBlanks(t *testing.T, db *store.DB, v schema.View, columns []string) {
	t.Helper()
	for _, c := range columns {
		for word, condition := range map[string]string{
			"null": `IS NULL`, "empty": `::VARCHAR IN ('', '[]')`,
		} {
			query := fmt.Sprintf("SELECT count(*)::VARCHAR FROM %s WHERE %q %s", v.Name, c, condition)
			n, err := pipeline.Column(t.Context(), db, query)
			if err != nil {
				t.Fatal(err)
			}
			if n[0] != "0" && !strings.Contains(v.Columns[c], word) {
				t.Errorf("%s.%s is %s in %s rows, and its comment does not say when: %s", v.Name, c, word, n[0], v.Columns[c])
			}
		}
	}
}

// emptyInDemo are the views whose tables the demo leaves empty.
var emptyInDemo = []string{"crawl_audit", "inspected_links", "dependency_links", "evidence_neighbours",
	// An evaluation's store has them.
	"evaluation_targets", "evaluation_tasks", "evaluation_results", "evaluation_attempts", "evaluation_pass_at",
	"evaluation_configurations"}

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
