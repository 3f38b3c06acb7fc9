package dedupe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/stages/dedupe"
)

// suggestion is a pull of the next test: by whom, on which branch, days after the first.
type suggestion struct {
	pull, title, author, branch string
	days                        float64
}

func (s suggestion) row() []any {
	r, n := id(s.pull)
	if s.author == "" {
		s.author = "mia"
	}
	kind := "User"
	if s.author == "renovate[bot]" {
		kind = "Bot"
	}
	at := day.Add(time.Duration(s.days * 24 * float64(time.Hour)))
	return []any{r, n, "closed", s.title, "", s.author, kind, []string{}, false, day, day, day, at, "", "main", "",
		s.branch, "", "", "list", day}
}

func TestTitlesAndBranchesPropose(t *testing.T) {
	for _, test := range []struct {
		name  string
		pulls []suggestion
		want  []string
	}{
		{"one title", []suggestion{{pull: "acme/api#1", title: "feat(api): Send retries as events"}, {pull: "acme/web#2",
			title: "Send retries as events (#2)", days: 3}},
			[]string{"acme/api#1 acme/web#2 title feat(api): Send retries as events"}},
		{"nearly one title", []suggestion{{pull: "acme/api#1", title: "Send retries as typed events"}, {pull: "acme/web#2",
			title: "Send retries as typed events too"}},
			[]string{"acme/api#1 acme/web#2 similar_title Send retries as typed events | Send retries as typed events too"}},
		{"too late", []suggestion{{pull: "acme/api#1", title: "Send retries as events"}, {pull: "acme/web#2",
			title: "Send retries as events", days: 8}}, nil},
		{"two people", []suggestion{{pull: "acme/api#1", title: "Send retries as events"}, {pull: "acme/web#2",
			title: "Send retries as events", author: "teo"}}, nil},
		{"one repository", []suggestion{{pull: "acme/api#1", title: "Send retries as events"}, {pull: "acme/api#2",
			title: "Send retries as events"}}, nil},
		{"a program", []suggestion{{pull: "acme/api#1", title: "Send retries as events", author: "renovate[bot]"},
			{pull: "acme/web#2", title: "Send retries as events", author: "renovate[bot]"}}, nil},
		{"two words", []suggestion{{pull: "acme/api#1", title: "Fix lint"}, {pull: "acme/web#2", title: "Fix lint"}}, nil},
		{"one branch", []suggestion{{pull: "acme/api#1", title: "Add it", branch: "retry-events"}, {pull: "acme/web#2",
			title: "Use", branch: "retry-events"}},
			[]string{"acme/api#1 acme/web#2 branch retry-events"}},
		{"a branch that everybody has", []suggestion{{pull: "acme/api#1", title: "Add it", branch: "patch-1"},
			{pull: "acme/web#2", title: "Use", branch: "patch-1"}}, nil},
		{"two people's short branch", []suggestion{{pull: "acme/api#1", title: "Add it", branch: "retry"},
			{pull: "acme/web#2", title: "Use", author: "teo", branch: "retry"}}, nil},
		{"two people's long branch", []suggestion{{pull: "acme/api#1", title: "Add it", branch: "feature/retries-as-events"},
			{pull: "acme/web#2", title: "Use", author: "teo", branch: "feature/retries-as-events"}},
			[]string{"acme/api#1 acme/web#2 branch feature/retries-as-events"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var rows [][]any
			for _, s := range test.pulls {
				rows = append(rows, s.row())
			}
			db := database(t, world{rows: map[string][][]any{"pull_versions": rows}}, 0)
			run(t, db, dedupe.Stage{})
			if d := cmp.Diff(test.want, storetest.Strings(t, db,
				"SELECT concat_ws(' ', a, b, kind, evidence) FROM proposals ORDER BY ALL")); d != "" {
				t.Error(d)
			}
			if n := storetest.Strings(t, db, "SELECT count(*)::VARCHAR FROM candidate_groups"); n[0] != "0" {
				t.Error("a proposal made a candidate")
			}
		})
	}
}

// What people or a candidate hold together, or apart, is no proposal any more; a strong
// pair that a rule refused is one, and so is a commit that a manifest begins to use.
func TestProposalsOfOtherStages(t *testing.T) {
	sha := "89abcdef0123456789abcdef0123456789abcdef"
	var pulls [][]any
	for i, name := range []string{"acme/api#1", "acme/web#1", "acme/api#2", "acme/web#2", "acme/api#3", "acme/web#3",
		"acme/api#4", "acme/web#4", "acme/api#5", "acme/web#5"} {
		row := suggestion{pull: name, title: fmt.Sprintf("Send retries as events of kind %d", i/2),
			author: fmt.Sprintf("dev%d", i/2)}.row()
		if name == "acme/api#5" {
			row[13] = sha
		}
		pulls = append(pulls, row)
	}
	edge := func(n, score int, reason string) []any {
		return []any{"acme", int64(1), n, int64(2), n, score, "needs", false, "", 0.0, false, reason, "needs it"}
	}
	w := world{rows: map[string][][]any{
		"pull_versions":    pulls,
		"group_members":    {{"c", int64(1), 1, ""}, {"c", int64(2), 1, ""}},
		"candidate_groups": {{"c", "acme", "acme/api#1", []string{}, 2, 3, 0.0, []string{}, day}},
		"edges": {edge(2, 4, "acme/api#2 and acme/web#2 are kept apart by mia"),
			edge(3, 4, "the candidate would have 9 pulls, more than 8"),
			edge(4, 4, "acme/api#4 is not merged")},
		"dependency_evidence": {{int64(2), 5, "go_pseudo_version", "go.mod", "github.com/acme/api", "acme/api", sha[:12], "",
			"1"}},
	}}
	db := database(t, w, 0)
	run(t, db, dedupe.Stage{})
	want := []string{
		"acme/api#3 acme/web#3 refused needs it: the candidate would have 9 pulls, more than 8",
		"acme/api#3 acme/web#3 title Send retries as events of kind 2: ",
		"acme/api#4 acme/web#4 title Send retries as events of kind 3: ",
		"acme/api#5 acme/web#5 manifest go.mod: github.com/acme/api 89abcdef0123: ",
		"acme/api#5 acme/web#5 title Send retries as events of kind 4: ",
	}
	got := storetest.Strings(t, db, "SELECT concat_ws(' ', a, b, kind, evidence || ': ' || reason) FROM proposals ORDER "+
		"BY ALL")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
