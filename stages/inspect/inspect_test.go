package inspect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/settings"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/stages/inspect"
)

var day = time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)

type row = map[string]any

// world is a database with two repositories, o/lib (1) and o/app (2), and o/ios-app (3).
type world struct {
	t   *testing.T
	db  *store.DB
	api api
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := storetest.Open(t)
	w := &world{t, db, api{}}
	for i, name := range []string{"o/lib", "o/app", "o/ios-app"} {
		w.put("repository_versions", row{"repository_id": int64(i + 1), "repository": name, "ecosystem": "o", "state": "ok"})
	}
	return w
}

// put adds a row; columns not given are empty.
func (w *world) put(table string, values row) {
	w.t.Helper()
	storetest.Put(w.t, w.db, day, table, values)
}

// pull adds a merged pull of repository 1, 2 or 3 with these files.
func (w *world) pull(id, number int, files ...string) {
	w.t.Helper()
	w.put("pull_versions", row{"repository_id": int64(id), "number": number, "state": "closed", "source": "linked",
		"title": "t"})
	var list []map[string]any
	for _, f := range files {
		status := "modified"
		if name, ok := strings.CutPrefix(f, "-"); ok {
			f, status = name, "removed"
		}
		list = append(list, map[string]any{"filename": f, "status": status, "additions": 2, "deletions": 1})
	}
	w.api.put(fmt.Sprintf("repos/%s/pulls/%d/files?per_page=100", names[id], number), list)
	w.api.put(fmt.Sprintf("repos/%s/issues/%d/comments?per_page=100", names[id], number), []any{})
}

var names = map[int]string{1: "o/lib", 2: "o/app", 3: "o/ios-app"}

func (w *world) candidate(id string, members ...[2]int) {
	for _, m := range members {
		w.put("group_members", row{"candidate_id": id, "repository_id": int64(m[0]), "number": m[1]})
	}
	w.put("candidate_groups", row{"candidate_id": id, "ecosystem": "o", "latest_merged_at": day})
}

func (w *world) run(s inspect.Stage) pipeline.Counts {
	w.t.Helper()
	s.DB = w.db
	if s.API == nil {
		s.API = w.api
	}
	run := &pipeline.Run{Ledger: w.db, Workers: 2}
	if err := pipeline.Execute(w.t.Context(), s, run); err != nil {
		w.t.Fatal(err)
	}
	return run.Counts
}

func (w *world) exec(statement string) error {
	return w.db.InTx(w.t.Context(), func(ctx context.Context, tx pipeline.Tx) error { return tx.Exec(ctx, statement) })
}

func (w *world) strings(sql string) []string {
	w.t.Helper()
	return storetest.Strings(w.t, w.db, sql)
}

// api answers from a map; what is not in it is missing.
type api map[string]string

func (a api) put(path string, v any) {
	b, _ := json.Marshal(v)
	a[path] = string(b)
}

func (a api) Get(_ context.Context, _, path string) ([]byte, string, error) {
	body, ok := a[path]
	if !ok {
		return nil, "", &github.StatusError{Kind: github.Missing, Status: 404, URL: path}
	}
	next := ""
	if _, ok := a[path+"&page=2"]; ok {
		next = path + "&page=2"
	}
	return []byte(body), next, nil
}

func TestPullsDropAloneAndCandidatesBelowTwoRepositories(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "main.go", "test/cli/main_test.go")
	w.pull(2, 2, "main.go")                                          // no test
	w.pull(2, 3, "docs/x.md", "x_test.go")                           // no source
	w.pull(2, 4, "main.go", "-main_test.go")                         // a test removed only
	w.pull(3, 1, "ios/A.swift", "ios/ATests.swift")                  // for iOS only
	w.pull(2, 5, "ios/A.swift", "main.go", "test/main_test.go")      // an ios folder beside other changes
	w.pull(2, 6, "ios/A.swift", "ios/AppTests/ATests.swift")         // iOS only, in a mixed repository
	w.pull(2, 7, "fs_windows.go", "fs_windows_test.go", "README.md") // Windows only
	w.put("pull_versions", row{"repository_id": int64(2), "number": 8, "merged_at": nil})
	w.put("pull_versions", row{"repository_id": int64(2), "number": 9, "source": "linked"}) // its files are gone
	for n := 1; n <= 9; n++ {
		w.candidate(fmt.Sprintf("c%d", n), [2]int{1, 1}, [2]int{2, n})
	}
	w.candidate("i1", [2]int{1, 1}, [2]int{3, 1})
	w.candidate("three", [2]int{1, 1}, [2]int{2, 1}, [2]int{2, 2}, [2]int{3, 1})
	w.candidate("same", [2]int{1, 1}, [2]int{2, 1})
	w.put("duplicates", row{"candidate_id": "same", "kept": "c1"})

	counts := w.run(inspect.Stage{})
	if d := cmp.Diff(pipeline.Counts{Done: 3, Skipped: 8}, counts); d != "" {
		t.Error(d)
	}
	want := []string{
		"c1 true ", "c2 false fewer than two repositories stay: no test change",
		"c3 false fewer than two repositories stay: no source change",
		"c4 false fewer than two repositories stay: no test change", "c5 true ",
		"c6 false fewer than two repositories stay: not for Linux",
		"c7 false fewer than two repositories stay: not for Linux", "c8 false fewer than two repositories stay: not merged",
		"c9 false fewer than two repositories stay: gone from the host",
		"i1 false fewer than two repositories stay: not for Linux", "three true ",
	}
	if d := cmp.Diff(want, w.strings("SELECT candidate_id || ' ' || kept || ' ' || reason FROM candidate_facts ORDER BY "+
		"1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"o/app#2 no test change", "o/ios-app#1 not for Linux"}, w.strings(`
		SELECT repository || '#' || number || ' ' || reason FROM pull_checks WHERE candidate_id = 'three' AND NOT passes ORDER BY 1`)); d != "" {
		t.Error(d)
	}
	if again := w.run(inspect.Stage{}); again.Unchanged != 11 || again.Done+again.Skipped > 0 {
		t.Errorf("a second run did %+v", again)
	}
}

func TestRowsFollowTheCandidates(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "main.go", "main_test.go")
	w.candidate("old", [2]int{1, 1}, [2]int{2, 1})
	w.run(inspect.Stage{})
	if err := w.db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM candidate_groups"); err != nil {
			return err
		}
		return tx.Exec(ctx, "DELETE FROM group_members")
	}); err != nil {
		t.Fatal(err)
	}
	w.pull(1, 2, "r.go", "r_test.go")
	w.candidate("new", [2]int{1, 2}, [2]int{2, 1})
	w.run(inspect.Stage{})
	if d := cmp.Diff([]string{"o/app#1 main.go source 2 1", "o/app#1 main_test.go test 2 1", "o/lib#2 r.go source 2 1",
		"o/lib#2 r_test.go test 2 1"}, w.strings(
		"SELECT repository || '#' || number || ' ' || path || ' ' || role || ' ' || additions || ' ' || deletions FROM "+
			"files ORDER BY 1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"new"}, w.strings("SELECT candidate_id FROM candidate_facts")); d != "" {
		t.Error(d)
	}
}

func TestIssuesAndCommentsAreKeptAndSinkNothing(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "main.go", "main_test.go")
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	link := func(number int, kind, relation string) {
		w.put("link_occurrences", row{"repository_id": int64(1), "number": 1, "target_repository_id": int64(2),
			"target_repository": "o/app",
			"target_number":     number, "target_kind": kind, "relation": relation})
	}
	link(50, "issue", "")
	link(50, "issue", "closes")
	link(51, "unknown", "") // a pull, as the host says
	link(52, "issue", "")   // gone
	w.put("own_issues", row{"repository_id": int64(1), "number": 1, "issue_number": 60, "relation": "closes"})
	w.put("issue_versions", row{"repository_id": int64(1), "number": 60, "kind": "issue", "title": "Own",
		"body": "own text"})
	w.api.put("repos/o/app/issues/50", row{"number": 50, "title": "Queue", "body": "it is slow"})
	w.api.put("repos/o/app/issues/51", row{"number": 51, "title": "A pull", "pull_request": row{"url": "x"}})
	w.api.put("repos/o/lib/issues/1/comments?per_page=100", []row{{"id": 7, "body": "hi", "user": row{"login": "ann",
		"type": "User"}}})
	w.api.put("repos/o/lib/issues/1/comments?per_page=100&page=2", []row{{"id": 8, "body": "ho", "user": nil}})
	w.run(inspect.Stage{})
	if d := cmp.Diff([]string{"1#60 closes Own own text", "2#50 closes Queue it is slow", "2#52   "}, w.strings(
		"SELECT issue_repository_id || '#' || issue_number || ' ' || relation || ' ' || title || ' ' || body FROM "+
			"linked_issues ORDER BY 1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"7 ann hi", "8  ho"},
		w.strings("SELECT comment_id || ' ' || author || ' ' || body FROM pull_comments ORDER BY 1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"true"}, w.strings("SELECT kept::VARCHAR FROM candidate_facts")); d != "" {
		t.Error(d)
	}
}

func TestLatestMergeCutOff(t *testing.T) {
	w := newWorld(t)
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	counts := w.run(inspect.Stage{Options: inspect.Options{LatestMergeSince: settings.Date{Time: day.AddDate(0, 1, 0)}}})
	if counts.Skipped != 1 {
		t.Errorf("got %+v", counts)
	}
	if d := cmp.Diff([]string{"latest merge before 2025-08-01"},
		w.strings("SELECT reason FROM candidate_facts")); d != "" {
		t.Error(d)
	}
}
