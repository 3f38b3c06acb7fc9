package assemble

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tellOf is the draft of one pull.
func tellOf(title, body string) (texts []string) {
	p := source{"o/lib", pull{Title: title, Body: body}}
	for _, t := range p.tell(nil, false) {
		texts = append(texts, t.text)
	}
	return texts
}

func TestWhatAPullTells(t *testing.T) {
	for _, c := range []struct {
		name, title, body string
		want              []string
	}{
		{"a title that the body repeats", "fix: clear the queue", "Clears the queues on start.",
			[]string{"Clears the queues on start."}},
		{"a title that says more", "queue: clear on start (#12)", "It was kept before.", []string{"queue: clear on start.",
			"It was kept before."}},
		{"a title alone", "feat(routing/http/client)!: add `Clear`", "", []string{"Add `Clear`."}},
		{"a scope that is a word", "fix(gateway): answer 404", "", []string{"gateway: answer 404."}},
		{"names keep their letters", "fix: maxAge is bounded?", "", []string{"maxAge is bounded?"}},
		{"a title of work only", "chore: update lib", "It bounds the age.", []string{"It bounds the age."}},
		{"what a squash leaves", "feat: x", "* feat: bound the age\n\nThe age of an answer is bounded.\n\n* test: fix " +
			"flaky test\n\nit waited too long\n\n- for nothing\n\n* Apply suggestions from code review\n\nCo-authored-by: A " +
			"<a@example.org>\n\n" +
			"* fix(http): never negative\n\nA negative age counts as zero.\n\n* lint\n* fix typo\n* update lib\n* chore: go " +
			"mod tidy\n* docs: changelog\n\nmention it\n\n---------\n\nCo-authored-by: B <b@example.org>",
			[]string{"Bound the age.", "The age of an answer is bounded.", "http: never negative.",
				"A negative age counts as zero."}},
		{"lists of an author's", "Ages", "All ages:\n\n- are bounded\n  by a day\n- update the cache when they are " +
			"exceeded by an answer\n- lint\n* refactor: move it",
			[]string{"All ages:", "- are bounded\n  by a day\n- update the cache when they are exceeded by an answer"}},
		{"notes on files", "Ages", "Ages are bounded.\n\nChanges:\n- http/age.go: add Bound,\n  used by all\n- `age.py` - " +
			"the same\n- http/server, http/client: call it\n- go.mod: new lib\n- http: bounded too\n\nFiles:\n- a/b.go: x",
			[]string{"Ages are bounded.", "Changes:\n- http: bounded too"}},
		{"announcements of nothing", "Ages", "Tests of ages cover:\n- add tests for zero\n  and one\nZero is an age.",
			[]string{"Zero is an age."}},
		{"no title where the body tells it in other forms", "ages: bounding negative answers",
			"Bounded ages. A negative one is no answer.", []string{"Bounded ages. A negative one is no answer."}},
		{"code stays", "Ages", "Ages:\n```\n- a/b.go: x\n```", []string{"Ages:\n```\n- a/b.go: x\n```"}},
		{"work that the pull is about", "refactor: streams of ages",
			"* refactor: streams of ages\n\nA stream ends with its error.\n\n* chore: lint", []string{"Streams of ages.",
				"A stream ends with its error."}},
		{"calls keep their brackets", "Ages", "The ages of `Get()` and Set() (see o/lib#5).",
			[]string{"The ages of `Get()` and Set()."}},
		{"dependencies", "fix(deps): bump lib", "", nil},
	} {
		if d := cmp.Diff(c.want, tellOf(c.title, c.body)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestADraftOfWorkIsNotEmpty(t *testing.T) {
	c := candidate{Repositories: []repository{{Name: "o/app", Pulls: []pull{{Pull: Pull{Number: 7},
		Title: "chore: update lib", Body: "* chore: update lib"}}}}}
	if d := cmp.Diff([]paragraph{{text: "Update lib.", source: "o/app#7 title"}}, draft(c),
		cmp.AllowUnexported(paragraph{})); d != "" {
		t.Error(d)
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("feat(x): y", "* a\n\nb\n\n* docs: c\n\nd\n\n- e/f.go: g\n  h\n# i")
	f.Fuzz(func(t *testing.T, title, body string) {
		for _, text := range statements(paragraphs(body), subject(title)) {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%q leaves %q", body, text)
			}
		}
		sentence(title)
	})
}
