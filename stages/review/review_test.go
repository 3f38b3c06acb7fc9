package review

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

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
	w.want("SELECT candidate_id || ' ' || accepts || ' ' || rejects || ' ' || reviewers::VARCHAR FROM review_overview "+
		"ORDER BY 1",
		"accepted 2 0 [ann, bob]", "disputed1 2 0 [ann, bob]", "disputed2 1 1 [ann, bob]", "rejected 0 2 [ann, bob]",
		"unseen 0 0 []")
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

func TestCandidateIsFoundByPrefixAndPull(t *testing.T) {
	w := newWorld(t)
	w.candidate("abcd11", true, [2]int{1, 1}, [2]int{2, 1})
	w.candidate("abcd22", true, [2]int{1, 2}, [2]int{2, 2})
	w.candidate("abc", true, [2]int{1, 3}, [2]int{2, 3})
	for what, want := range map[string]string{"abcd1": "abcd11", "ABCD2": "abcd22", "abcd22": "abcd22", "abc": "abc",
		"O/lib#2": "abcd22"} {
		r, err := w.desk.Accept(t.Context(), what, AcceptOptions{Kind: schema.Bugfix, Reviewer: "ann"})
		if err != nil || r.ReviewedAs != want {
			t.Errorf("%s: got %s, %v", what, r.ReviewedAs, err)
		}
	}
	for what, say := range map[string]string{"abcd": "abcd11, abcd22", "ab": "four", "zzzz": "no candidate",
		"o/lib#9": "no candidate"} {
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
	if diff := cmp.Diff([]string{"o/app#1", "o/app#2", "o/cli#1", "o/cli#77", "o/lib#1", "o/lib#2"},
		m.Pulls); diff != "" || err != nil {
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
