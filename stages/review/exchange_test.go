package review

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

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
	w.put("pull_files", row{"repository_id": int64(1), "number": 1, "path": "q_test.go", "status": "modified",
		"additions": 5, "role": "test"})
	w.put("pull_files", row{"repository_id": int64(1), "number": 1, "path": "q.go", "status": "modified", "additions": 10,
		"deletions": 2, "role": "source"})
	w.put("link_occurrences", row{"repository_id": int64(2), "number": 1, "location": "body", "target_repository": "o/lib",
		"target_number": 1,
		"relation":      "depends_on", "may_group": true, "snippet": "Depends on o/lib#1"})
	w.put("link_occurrences", row{"repository_id": int64(2), "number": 1, "location": "body", "byte_offset": 30,
		"target_repository": "o/cli",
		"target_sha":        "0123456789abcdef", "relation": "mention", "reason": "a quote", "flags": []string{"quote"},
		"snippet": "o/cli@0123456789abcdef"})
	w.put("edges", row{"a_repository_id": int64(1), "a_number": 1, "b_repository_id": int64(2), "b_number": 1, "score": 9,
		"relation": "depends_on", "admitted": true, "reason": "depends_on 9"})
	w.put("edges", row{"a_repository_id": int64(2), "a_number": 1, "b_repository_id": int64(3), "b_number": 9, "score": 1,
		"relation": "mention", "reason": "200 days apart"})
	w.put("linked_issues", row{"repository_id": int64(1), "number": 1, "issue_repository_id": int64(3), "issue_number": 5,
		"relation": "closes"})
	w.put("issue_versions", row{"repository_id": int64(3), "number": 5, "kind": "issue", "title": "Queue grows"})
	for target, n := range map[string]int{"o/lib": 1, "o/cli": 8} {
		w.put("inspected_references", row{"repository_id": int64(2), "number": 1, "location": "commit", "origin": "abc",
			"target_repository": target, "target_number": n,
			"target_kind": "pull", "relation": "needs", "snippet": "Needs it"})
	}
	w.put("consolidation_proposals", row{"a_candidate": "c001", "b_candidate": "c777", "shared": "o/cli#5",
		"reason": "share an issue"})
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
		"o/app#1 → o/lib#1  body depends_on\n", "o/app#1 → o/cli@0123456789ab  body mention quote — may not join: a quote",
		"o/app#1 — o/cli#9  1 mention: 200 days apart",
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
			if _, err := w.desk.Accept(t.Context(), "c001", AcceptOptions{Kind: schema.Bugfix, Reviewer: "ann",
				Note: "a, \"b\"\nc"}); err != nil {
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
	w := newWorld(t)
	w.candidate("c001", true, [2]int{1, 1}, [2]int{2, 1})
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
			_, err := w.desk.Import(t.Context(), strings.NewReader(tt.in), ImportOptions{})
			usage(t, err, tt.want)
			if got, err := w.desk.Folder.Reviews(); len(got) > 0 || err != nil {
				t.Errorf("something was written: %v, %v", got, err)
			}
		})
	}
	_, err := w.desk.Import(t.Context(), strings.NewReader("candidate,who\nx,y\n"), ImportOptions{CSV: true})
	usage(t, err, `"who"`)
}
