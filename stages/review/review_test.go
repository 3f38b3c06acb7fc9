package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
)

var day1 = time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC)

// world is a database with three repositories and a folder.
type world struct {
	t    *testing.T
	db   *store.DB
	desk Desk
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := store.Open(t.Context(), "", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	f, err := folder.Init(filepath.Join(t.TempDir(), "bench"), []byte("ecosystems: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, db, Desk{DB: db, Folder: f, Now: func() time.Time { return day1 }}}
	for id, name := range map[int64]string{1: "o/lib", 2: "o/app", 3: "o/cli"} {
		w.repository(id, name, day1)
	}
	return w
}

func (w *world) append(table string, rows ...[]any) {
	w.t.Helper()
	if err := w.db.InTx(w.t.Context(), func(ctx context.Context, tx pipeline.Tx) error { return tx.Append(ctx, table, rows) }); err != nil {
		w.t.Fatal(err)
	}
}

// put adds one row; columns that it does not name hold their type's zero value.
func (w *world) put(table string, row map[string]any) {
	w.t.Helper()
	rows, err := w.db.Query(w.t.Context(), "SELECT column_name || ' ' || data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", table)
	if err != nil {
		w.t.Fatal(err)
	}
	columns, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	zero := map[string]any{"VARCHAR": "", "BOOLEAN": false, "BIGINT": int64(0), "INTEGER": 0, "DOUBLE": 0.0, "TIMESTAMP": day1, "VARCHAR[]": []string{}}
	values := make([]any, len(columns))
	for i, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		v, ok := row[name]
		if !ok {
			v = zero[kind]
		}
		values[i] = v
		delete(row, name)
	}
	if len(row) > 0 {
		w.t.Fatalf("%s has no columns %v", table, row)
	}
	w.append(table, values)
}

type row = map[string]any

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if err := w.db.InTx(w.t.Context(), func(ctx context.Context, tx pipeline.Tx) error { return tx.Exec(ctx, sql, args...) }); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) repository(id int64, name string, at time.Time) {
	w.put("repository_versions", row{"repository_id": id, "repository": name, "ecosystem": "e", "state": "ok", "fetched_at": at})
}

func (w *world) pull(id int64, number int, title, body string) {
	w.put("pull_versions", row{"repository_id": id, "number": number, "title": title, "body": body, "author": "ann", "base_ref": "main", "head_ref": "topic"})
}

// candidate makes a candidate of (repository id, number) pairs.
func (w *world) candidate(id string, kept bool, members ...[2]int) {
	repositories := map[int]string{1: "o/lib", 2: "o/app", 3: "o/cli"}
	var names []string
	for _, m := range members {
		names = append(names, repositories[m[0]])
		w.put("group_members", row{"candidate_id": id, "repository_id": int64(m[0]), "number": m[1]})
	}
	w.put("candidate_groups", row{"candidate_id": id, "ecosystem": "e", "repositories": names, "pulls": len(members), "span_days": 1.5})
	w.put("candidate_facts", row{"candidate_id": id, "kept": kept, "reason": map[bool]string{false: "no test change"}[kept]})
}

func (w *world) forget(id string) {
	for _, table := range []string{"group_members", "candidate_groups", "candidate_facts"} {
		w.exec("DELETE FROM "+table+" WHERE candidate_id = ?", id)
	}
}

func (w *world) run() pipeline.Counts {
	w.t.Helper()
	run := &pipeline.Run{Ledger: w.db, Workers: 2}
	if err := pipeline.Execute(w.t.Context(), Stage{w.db, w.desk.Folder}, run); err != nil {
		w.t.Fatal(err)
	}
	return run.Counts
}

func (w *world) strings(sql string) []string {
	w.t.Helper()
	rows, err := w.db.Query(w.t.Context(), sql)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

const verdictsSQL = "SELECT candidate_id || ' ' || verdict || ' ' || kind || ' ' || pattern || ' ' || reason FROM candidate_verdicts ORDER BY 1"
const outcomesSQL = "SELECT item || ': ' || status || ' ' || reason FROM outcomes_latest WHERE stage = 'review' ORDER BY 1"

func (w *world) want(sql string, want ...string) {
	w.t.Helper()
	if d := cmp.Diff(want, w.strings(sql)); d != "" {
		w.t.Error(d)
	}
}

func (w *world) accept(candidate, kind, reviewer string) {
	w.t.Helper()
	if _, err := w.desk.Accept(w.t.Context(), candidate, AcceptOptions{Kind: kind, Reviewer: reviewer}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) reject(candidate, reason, reviewer string) {
	w.t.Helper()
	if _, err := w.desk.Reject(w.t.Context(), candidate, RejectOptions{Reason: reason, Reviewer: reviewer}); err != nil {
		w.t.Fatal(err)
	}
}

func TestVerdictsOfSeveralReviewers(t *testing.T) {
	w := newWorld(t)
	for i, id := range []string{"accepted", "disputed1", "disputed2", "rejected", "unseen"} {
		w.candidate(id, true, [2]int{1, i + 1}, [2]int{2, i + 1})
	}
	w.candidate("dropped", false, [2]int{1, 50}, [2]int{2, 50})
	w.accept("accepted", schema.Bugfix, "ann")
	w.accept("accepted", schema.Bugfix, "bob")
	w.accept("disputed1", schema.Bugfix, "ann")
	w.accept("disputed1", schema.Feature, "bob")
	w.accept("disputed2", schema.Bugfix, "ann")
	w.reject("disputed2", "two changes", "bob")
	w.reject("rejected", "a mention", "ann")
	w.reject("rejected", "a mention", "bob")
	if d := cmp.Diff(pipeline.Counts{Done: 1, Skipped: 4}, w.run()); d != "" {
		t.Error(d)
	}
	w.want(verdictsSQL,
		"accepted accepted bugfix  ",
		"disputed1 disputed   kinds differ: ann bugfix, bob feature",
		"disputed2 disputed   verdicts differ: ann accept, bob reject",
		"rejected rejected   a mention",
		"unseen unreviewed   ")
	w.want(outcomesSQL,
		"accepted: done ",
		"disputed1: skipped disputed: kinds differ: ann bugfix, bob feature",
		"disputed2: skipped disputed: verdicts differ: ann accept, bob reject",
		"rejected: skipped rejected: a mention",
		"unseen: skipped not reviewed yet")
	if c := w.run(); c.Unchanged != 5 || c.Done+c.Skipped > 0 {
		t.Errorf("a second run did %+v", c)
	}
	w.want("SELECT candidate_id || ' ' || accepts || ' ' || rejects || ' ' || reviewers::VARCHAR FROM review_overview ORDER BY 1",
		"accepted 2 0 [ann, bob]", "disputed1 2 0 [ann, bob]", "disputed2 1 1 [ann, bob]", "rejected 0 2 [ann, bob]", "unseen 0 0 []")
}

func TestVerdictIsCarriedOverAndStaleUntilGivenAgain(t *testing.T) {
	w := newWorld(t)
	w.candidate("old1", true, [2]int{1, 1}, [2]int{2, 1})
	w.accept("old1", schema.Feature, "ann")
	w.run()
	w.forget("old1")
	w.candidate("new1", true, [2]int{1, 1}, [2]int{2, 1}, [2]int{3, 1})
	w.run()
	w.want(verdictsSQL, "new1 stale feature  ann said accept of other pulls (now also o/cli#1); review it again")
	w.want("SELECT candidate_id || ' ' || reviewed_as || ' ' || stale FROM reviews", "new1 old1 true")
	// Another reviewer's fresh word counts, the stale one stays to be read.
	w.reject("new1", "the third is apart", "bob")
	w.run()
	w.want(verdictsSQL, "new1 rejected   the third is apart")
	w.accept("new1", schema.Feature, "bob")
	w.run()
	w.want(verdictsSQL, "new1 accepted feature  ")
	w.want("SELECT file FROM reviews ORDER BY 1", "reviews/new1/bob.yaml", "reviews/old1/ann.yaml")
	// And back: the verdict for exactly these pulls counts under any id.
	w.forget("new1")
	w.candidate("again", true, [2]int{1, 1}, [2]int{2, 1})
	w.run()
	w.want(verdictsSQL, "again accepted feature  ")
}

func TestVerdictOfASplitCandidateIsSeenInBothParts(t *testing.T) {
	w := newWorld(t)
	w.candidate("whole", true, [2]int{1, 1}, [2]int{2, 1}, [2]int{1, 2}, [2]int{3, 2})
	w.accept("whole", schema.Bugfix, "ann")
	w.forget("whole")
	w.candidate("part1", true, [2]int{1, 1}, [2]int{2, 1})
	w.candidate("part2", true, [2]int{1, 2}, [2]int{3, 2})
	w.run()
	w.want("SELECT candidate_id || ' ' || verdict FROM candidate_verdicts ORDER BY 1", "part1 stale", "part2 stale")
}

func TestReviewWithoutACandidateIsKeptAndListed(t *testing.T) {
	w := newWorld(t)
	w.candidate("gone1", true, [2]int{1, 1}, [2]int{2, 1})
	w.accept("gone1", schema.Bugfix, "ann")
	w.run()
	w.forget("gone1")
	w.run()
	w.want(verdictsSQL)
	w.want("SELECT candidate_id || '|' || reviewed_as || '|' || stale FROM reviews", "|gone1|true")
	w.want(outcomesSQL, "gone1: skipped no candidate: none holds a pull that was judged")
	rows, err := w.desk.List(t.Context(), ListOptions{})
	if err != nil || len(rows) != 1 || rows[0].Status != "orphaned" || rows[0].Reason == "" {
		t.Errorf("got %+v, %v", rows, err)
	}
}

func TestVerdictSurvivesARename(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
	w.accept("c001", schema.Bugfix, "ann")
	w.repository(1, "o/library", day1.Add(time.Hour))
	w.run()
	w.want(verdictsSQL, "c001 accepted bugfix  ")
}

func TestExcludedCandidateGoesNoFurther(t *testing.T) {
	for name, line := range map[string]string{
		"candidate":  "candidate: c001",
		"pull":       "pull: O/App#1",
		"repository": "repository: o/APP",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
			w.candidate("c002", true, [2]int{1, 2}, [2]int{3, 1})
			w.accept("c001", schema.Bugfix, "ann")
			w.accept("c002", schema.Bugfix, "ann")
			text := "exclude:\n  - " + line + "\n    reason: reverted\n"
			if err := os.WriteFile(filepath.Join(w.desk.Folder.Dir, "exclude.yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			w.run()
			w.want("SELECT candidate_id || ' ' || verdict FROM candidate_verdicts ORDER BY 1", "c001 rejected", "c002 accepted")
		})
	}
}

func TestDroppedCandidateMayBeAcceptedByAPerson(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", false, [2]int{1, 1}, [2]int{2, 1})
	w.accept("c001", schema.Bugfix, "ann")
	w.run()
	w.want(verdictsSQL, "c001 accepted bugfix  ")
}

func TestBrokenFileStopsTheStageWithItsPlace(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
	w.accept("c001", schema.Bugfix, "ann")
	name := filepath.Join(w.desk.Folder.Dir, "reviews", "c001", "ann.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), "bugfix", "bugfux", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	err = pipeline.Execute(t.Context(), Stage{w.db, w.desk.Folder}, &pipeline.Run{Ledger: w.db})
	usage(t, err, "reviews/c001/ann.yaml:5", "bugfix or feature")
}

func usage(t *testing.T, err error, parts ...string) {
	t.Helper()
	var u *pipeline.UsageError
	if !errors.As(err, &u) {
		t.Fatalf("got %v, want a usage error", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
}

func TestCandidateIsFoundByPrefixAndPull(t *testing.T) {
	w := newWorld(t)
	w.candidate("abcd11", true, [2]int{1, 1}, [2]int{2, 1})
	w.candidate("abcd22", true, [2]int{1, 2}, [2]int{2, 2})
	w.candidate("abc", true, [2]int{1, 3}, [2]int{2, 3})
	for what, want := range map[string]string{"abcd1": "abcd11", "ABCD2": "abcd22", "abcd22": "abcd22", "abc": "abc", "O/lib#2": "abcd22"} {
		r, err := w.desk.Accept(t.Context(), what, AcceptOptions{Kind: schema.Bugfix, Reviewer: "ann"})
		if err != nil || r.ReviewedAs != want {
			t.Errorf("%s: got %s, %v", what, r.ReviewedAs, err)
		}
	}
	for what, say := range map[string]string{"abcd": "abcd11, abcd22", "ab": "four", "zzzz": "no candidate", "o/lib#9": "no candidate"} {
		_, err := w.desk.Accept(t.Context(), what, AcceptOptions{Kind: schema.Bugfix, Reviewer: "ann"})
		usage(t, err, say)
	}
}

func TestWordsOfAVerdictAreChecked(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
	_, err := w.desk.Accept(t.Context(), "c001", AcceptOptions{Kind: "fix", Reviewer: "ann"})
	usage(t, err, "--kind")
	_, err = w.desk.Accept(t.Context(), "c001", AcceptOptions{Kind: schema.Bugfix, Reviewer: "../ann"})
	usage(t, err, "reviewer")
	_, err = w.desk.Accept(t.Context(), "c001", AcceptOptions{Kind: schema.Bugfix, Reviewer: "ann", Pattern: "serial"})
	usage(t, err, "parallel")
	_, err = w.desk.Reject(t.Context(), "c001", RejectOptions{Reviewer: "ann", Reason: " "})
	usage(t, err, "--reason")
	_, err = w.desk.List(t.Context(), ListOptions{Status: "good"})
	usage(t, err, "unreviewed")
	if got := w.strings("SELECT 1"); len(got) != 1 {
		t.Fatal(got)
	}
	if reviews, err := w.desk.Folder.Reviews(); len(reviews) > 0 || err != nil {
		t.Errorf("something was written: %v, %v", reviews, err)
	}
}

func TestSplitAndMergeWriteDecisions(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1}, [2]int{3, 1})
	w.candidate("c002", true, [2]int{1, 2}, [2]int{2, 2})
	o := SplitOptions{Reviewer: "ann", Reason: "two fixes"}
	d, err := w.desk.Split(t.Context(), "c001", o)
	if diff := cmp.Diff([][]string{{"o/app#1"}, {"o/cli#1"}, {"o/lib#1"}}, d.Apart); diff != "" || err != nil {
		t.Error(diff, err)
	}
	o.Pulls = []string{"O/cli#1"}
	d, err = w.desk.Split(t.Context(), "c001", o)
	if diff := cmp.Diff([][]string{{"o/app#1", "o/lib#1"}, {"o/cli#1"}}, d.Apart); diff != "" || err != nil {
		t.Error(diff, err)
	}
	_, err = w.desk.Merge(t.Context(), []string{"c001", "o/cli#77"}, MergeOptions{"ann", "one fix"})
	usage(t, err, "o/cli#77 is not in the database")
	w.pull(3, 77, "Use it", "")
	w.put("pull_versions", row{"repository_id": int64(3), "number": 78, "merged_at": nil})
	_, err = w.desk.Merge(t.Context(), []string{"c001", "o/cli#78"}, MergeOptions{"ann", "one fix"})
	usage(t, err, "o/cli#78 is not merged")
	w.pull(3, 79, "Use it more", "")
	_, err = w.desk.Merge(t.Context(), []string{"o/cli#77", "O/cli#79"}, MergeOptions{"ann", "one fix"})
	usage(t, err, "two repositories or more")
	m, err := w.desk.Merge(t.Context(), []string{"c001", "c002", "o/cli#77"}, MergeOptions{"ann", "one fix"})
	if diff := cmp.Diff([]string{"o/app#1", "o/app#2", "o/cli#1", "o/cli#77", "o/lib#1", "o/lib#2"}, m.Pulls); diff != "" || err != nil {
		t.Error(diff, err)
	}
	all, err := w.desk.Folder.Decisions()
	if len(all) != 3 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	o.Pulls = []string{"o/cli#2"}
	_, err = w.desk.Split(t.Context(), "c001", o)
	usage(t, err, "not in candidate c001")
	o.Pulls = []string{"o/cli#1", "o/lib#1", "o/app#1"}
	_, err = w.desk.Split(t.Context(), "c001", o)
	usage(t, err, "every pull")
	_, err = w.desk.Merge(t.Context(), []string{"c001"}, MergeOptions{"ann", "x"})
	usage(t, err, "two or more")
	_, err = w.desk.Split(t.Context(), "c001", SplitOptions{Reviewer: "ann"})
	usage(t, err, "--reason")
}

func TestDuplicateIsDroppedWithWhatItRepeats(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
	w.candidate("c002", true, [2]int{1, 2}, [2]int{2, 2})
	w.put("duplicates", row{"candidate_id": "c002", "kept": "c001", "reason": "backport"})
	rows, err := w.desk.List(t.Context(), ListOptions{Status: dropped})
	if err != nil || len(rows) != 1 || rows[0].Candidate != "c002" || rows[0].Reason != "repeats c001: backport" {
		t.Errorf("got %+v, %v", rows, err)
	}
}

func TestListFilters(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
	w.candidate("c002", true, [2]int{1, 2}, [2]int{3, 2})
	w.candidate("c003", false, [2]int{1, 3}, [2]int{2, 3})
	w.candidate("c004", false, [2]int{1, 4}, [2]int{2, 4})
	w.exec("DELETE FROM candidate_facts WHERE candidate_id = 'c004'")
	w.pull(1, 1, "Fix \x1b[31mit\u202e", "")
	w.accept("c002", schema.Bugfix, "ann")
	for name, tt := range map[string]struct {
		o    ListOptions
		want []string
	}{
		"default":    {ListOptions{}, []string{"c001", "c002"}},
		"all":        {ListOptions{All: true}, []string{"c001", "c002", "c003", "c004"}},
		"dropped":    {ListOptions{Status: "dropped"}, []string{"c003"}},
		"accepted":   {ListOptions{Status: "accepted"}, []string{"c002"}},
		"repository": {ListOptions{Repository: "O/CLI"}, []string{"c002"}},
		"reviewer":   {ListOptions{Reviewer: "ann"}, []string{"c002"}},
		"ecosystem":  {ListOptions{Ecosystem: "other"}, nil},
		"grouped":    {ListOptions{Status: "grouped"}, []string{"c004"}},
		"since":      {ListOptions{Since: day1.Add(1)}, nil},
		"limit":      {ListOptions{Limit: 1}, []string{"c001"}},
	} {
		rows, err := w.desk.List(t.Context(), tt.o)
		var got []string
		for _, r := range rows {
			got = append(got, r.Candidate)
		}
		if d := cmp.Diff(tt.want, got); d != "" || err != nil {
			t.Error(name, d, err)
		}
	}
	rows, err := w.desk.List(t.Context(), ListOptions{})
	if d := cmp.Diff([]string{"", "Fix [31mit"}, rows[0].Titles); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestShowTellsEverything(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
	w.pull(1, 1, "Add Clear", "Needed by o/app#1.\n"+strings.Repeat("x", 5000))
	w.pull(2, 1, "Use Clear", "Depends on o/lib#1")
	w.pull(3, 9, "Other", "")
	w.put("pull_facts", row{"repository_id": int64(1), "number": 1, "test_signal": true, "linux": true})
	w.put("pull_files", row{"repository_id": int64(1), "number": 1, "path": "q_test.go", "status": "modified", "additions": 5, "role": "test"})
	w.put("pull_files", row{"repository_id": int64(1), "number": 1, "path": "q.go", "status": "modified", "additions": 10, "deletions": 2, "role": "source"})
	w.put("link_occurrences", row{"repository_id": int64(2), "number": 1, "location": "body", "target_repository": "o/lib", "target_number": 1,
		"relation": "depends_on", "may_group": true, "snippet": "Depends on o/lib#1"})
	w.put("link_occurrences", row{"repository_id": int64(2), "number": 1, "location": "body", "byte_offset": 30, "target_repository": "o/cli",
		"target_sha": "0123456789abcdef", "relation": "mention", "reason": "a quote", "flags": []string{"quote"}, "snippet": "o/cli@0123456789abcdef"})
	w.put("edges", row{"a_repository_id": int64(1), "a_number": 1, "b_repository_id": int64(2), "b_number": 1, "score": 9,
		"relation": "depends_on", "admitted": true, "reason": "depends_on 9"})
	w.put("edges", row{"a_repository_id": int64(2), "a_number": 1, "b_repository_id": int64(3), "b_number": 9, "score": 1,
		"relation": "mention", "reason": "200 days apart"})
	w.put("linked_issues", row{"repository_id": int64(1), "number": 1, "issue_repository_id": int64(3), "issue_number": 5, "relation": "closes"})
	w.put("issue_versions", row{"repository_id": int64(3), "number": 5, "kind": "issue", "title": "Queue grows"})
	for target, n := range map[string]int{"o/lib": 1, "o/cli": 8} {
		w.put("inspected_references", row{"repository_id": int64(2), "number": 1, "location": "commit", "origin": "abc", "target_repository": target, "target_number": n,
			"target_kind": "pull", "relation": "needs", "snippet": "Needs it"})
	}
	w.put("consolidation_proposals", row{"a_candidate": "c001", "b_candidate": "c777", "shared": "o/cli#5", "reason": "share an issue"})
	w.put("lineage", row{"old_candidate": "c000", "new_candidate": "c001"})
	w.accept("c001", schema.Feature, "ann")
	d, err := w.desk.Show(t.Context(), "c001", ShowOptions{BodyBytes: 40})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := RenderDetail(&text, d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"candidate c001   accepted feature   e", "grew out of c000",
		"o/lib#1  Add Clear", "+15 −2  1 source, 1 test; test change: yes; Linux: yes", "source    modified +10 −2  q.go",
		"issue o/cli#5 closes  Queue grows", "│ Needed by o/app#1.", "more bytes)",
		"o/app#1 → o/lib#1  body depends_on\n", "o/app#1 → o/cli@0123456789ab  body mention quote — may not join: a quote", "o/app#1 — o/cli#9  1 mention: 200 days apart",
		"o/app#1 → o/lib#1  commit needs", "o/app#1 — o/cli#8  0 needs: named in a commit (abc)",
		"c777  shares o/cli#5", "ann  accept feature, 2025-07-01", "reviews/c001/ann.yaml", "not inspected yet",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestVerdictsGoOutAndComeInAgain(t *testing.T) {
	for _, asCSV := range []bool{false, true} {
		t.Run(fmt.Sprint("csv ", asCSV), func(t *testing.T) {
			w := newWorld(t)
			w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
			w.candidate("c002", true, [2]int{1, 2}, [2]int{2, 2})
			if _, err := w.desk.Accept(t.Context(), "c001", AcceptOptions{Kind: schema.Bugfix, Reviewer: "ann", Note: "a, \"b\"\nc"}); err != nil {
				t.Fatal(err)
			}
			w.reject("c002", "no", "ann")
			want, err := w.desk.Folder.Reviews()
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if n, err := w.desk.Export(&out, asCSV); n != 2 || err != nil {
				t.Fatal(n, err)
			}
			res, err := w.desk.Import(t.Context(), strings.NewReader(out.String()), ImportOptions{CSV: asCSV})
			if d := cmp.Diff(ImportResult{Unchanged: 2, Older: []string{}}, res); d != "" || err != nil {
				t.Error(d, err)
			}
			if err := os.RemoveAll(filepath.Join(w.desk.Folder.Dir, "reviews", "c001")); err != nil {
				t.Fatal(err)
			}
			res, err = w.desk.Import(t.Context(), strings.NewReader(out.String()), ImportOptions{CSV: asCSV})
			if d := cmp.Diff(ImportResult{Written: 1, Unchanged: 1, Older: []string{}}, res); d != "" || err != nil {
				t.Error(d, err)
			}
			got, err := w.desk.Folder.Reviews()
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Error(d, err)
			}
		})
	}
}

func TestImportPlacesVerdictsByTheirPulls(t *testing.T) {
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
	w.candidate("c002", true, [2]int{1, 2}, [2]int{2, 2}, [2]int{3, 2})
	in := `{"pulls":["o/lib#1","o/app#1"],"verdict":"accept","kind":"bugfix"}
{"pulls":["o/lib#2","o/app#2"],"verdict":"accept","kind":"feature"}
`
	res, err := w.desk.Import(t.Context(), strings.NewReader(in), ImportOptions{Reviewer: "ann"})
	if err != nil || res.Written != 2 {
		t.Fatal(res, err)
	}
	w.run()
	w.want("SELECT candidate_id || ' ' || verdict FROM candidate_verdicts ORDER BY 1", "c001 accepted", "c002 stale")
	// A later verdict in the folder is not overwritten by an earlier one.
	old := `{"candidate":"c001","verdict":"reject","reason":"no","reviewed_at":"2020-01-01T00:00:00Z"}`
	res, err = w.desk.Import(t.Context(), strings.NewReader(old), ImportOptions{Reviewer: "ann"})
	if d := cmp.Diff(ImportResult{Older: []string{"reviews/c001/ann.yaml"}}, res); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestImportChecksEveryLineBeforeItWrites(t *testing.T) {
	good := `{"candidate":"c001","reviewer":"ann","verdict":"accept","kind":"bugfix"}` + "\n"
	for name, tt := range map[string]struct{ in, want string }{
		"unknown key":       {good + `{"cand":"c001"}`, "line 2"},
		"not JSON":          {good + "\n" + `{`, "line 3"},
		"two values":        {`{} {}`, "line 1"},
		"unknown candidate": {good + `{"candidate":"zzzz","reviewer":"ann","verdict":"reject","reason":"x"}`, "line 2"},
		"no reviewer":       {good + `{"candidate":"c001","verdict":"reject","reason":"x"}`, "line 2"},
		"no kind":           {good + `{"candidate":"c001","reviewer":"bob","verdict":"accept"}`, "line 2"},
		"escape":            {good + `{"candidate":"../../x","pulls":["o/lib#1","o/app#1"],"reviewer":"bob","verdict":"reject","reason":"x"}`, "line 2"},
		"same twice":        {good + good, "line 2: ann judges c001 on line 1 already"},
		"names nothing":     {good + `{"reviewer":"bob","verdict":"reject","reason":"x"}`, "line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
			_, err := w.desk.Import(t.Context(), strings.NewReader(tt.in), ImportOptions{})
			usage(t, err, tt.want)
			if got, err := w.desk.Folder.Reviews(); len(got) > 0 || err != nil {
				t.Errorf("something was written: %v, %v", got, err)
			}
		})
	}
	w := newWorld(t)
	_, err := w.desk.Import(t.Context(), strings.NewReader("candidate,who\nx,y\n"), ImportOptions{CSV: true})
	usage(t, err, `"who"`)
}
