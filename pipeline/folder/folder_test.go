package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

func newFolder(t *testing.T) Folder {
	t.Helper()
	f, err := Init(filepath.Join(t.TempDir(), "bench"), []byte("ecosystems: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func put(t *testing.T, f Folder, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
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

func TestInitMakesAFolderThatFindFindsFromInside(t *testing.T) {
	f := newFolder(t)
	inside := filepath.Join(f.Dir, "reviews", "decisions")
	got, err := Find(inside)
	if err != nil || got != f {
		t.Errorf("got %v, %v", got, err)
	}
	for _, read := range []func() error{
		func() error { _, err := f.Exclusions(); return err },
		func() error { _, err := f.Ecosystems(); return err },
		func() error { _, err := f.Selection(); return err },
		func() error { _, err := f.Reviews(); return err },
		func() error { _, err := f.Decisions(); return err },
	} {
		if err := read(); err != nil {
			t.Errorf("a new folder: %v", err)
		}
	}
	_, err = Init(f.Dir, nil)
	usage(t, err, "already")
	_, err = Find(t.TempDir())
	usage(t, err, "wideswe init")
}

func TestInitKeepsFilesThatAreThere(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Init(dir, []byte("x: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{".gitignore": "mine\n", ".wideswe/.gitignore": "*\n"} {
		text, _, err := f.read(name)
		if string(text) != want || err != nil {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
}

func review(note string) schema.Review {
	return schema.Review{ReviewedAs: "abc123", Reviewer: "ann", Verdict: schema.Accept, Kind: schema.Bugfix,
		Pattern: schema.Parallel, Note: note, Pulls: []string{"o/a#1", "o/b#2"},
		ReviewedAt: time.Date(2025, 7, 1, 10, 0, 0, 0, time.UTC)}
}

func TestReviewsComeBackAsWritten(t *testing.T) {
	for name, note := range map[string]string{
		"plain":       "one change",
		"empty":       "",
		"lines":       "first\n\nsecond: yes\n  # not a comment",
		"yaml words":  "null",
		"numbers":     "0123",
		"quotes":      `it's "so" \n`,
		"specials":    "- [x] {a: b} & *c !d | > % @ `e` #f",
		"colon":       "key: value",
		"lone hash":   "# all of it",
		"unicode":     "äöü 漢字 🎉",
		"tab":         "a\tb",
		"dashes":      "---\n...",
		"lead blanks": "a\n    b\n  c",
		"true":        "true",
		"time":        "2025-01-01T00:00:00Z",
		"anchors":     "&a *a",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			want, err := f.WriteReview(review(note))
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Reviews()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]schema.Review{want}, got); d != "" || want.Note != note {
				t.Errorf("%s%q", d, want.Note)
			}
		})
	}
}

func TestReviewFileReadsWell(t *testing.T) {
	f := newFolder(t)
	if _, err := f.WriteReview(review("two\nlines\x07")); err != nil {
		t.Fatal(err)
	}
	got, _, err := f.read("reviews/abc123/ann.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := `# One reviewer's verdict on one candidate; wideswe review accept and reject write it.
candidate: abc123
reviewer: ann
verdict: accept
kind: bugfix
pattern: parallel
note: |-
  two
  lines
pulls:
  - "o/a#1"
  - "o/b#2"
reviewed_at: 2025-07-01T10:00:00Z
`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
}

func TestReviewErrorsNameFileLineAndWhatToWrite(t *testing.T) {
	good := "candidate: c1\nreviewer: ann\nverdict: accept\nkind: bugfix\npulls: [o/a#1, o/b#2]\nreviewed_at: " +
		"2025-07-01T10:00:00Z\n"
	for name, tt := range map[string]struct{ old, new, want string }{
		"unknown key": {"kind: bugfix", "kid: bugfix", `reviews/c1/ann.yaml:4: unknown field "kid"`},
		"kind": {"bugfix", "fix", `reviews/c1/ann.yaml:4: kind is "fix"; an accepted candidate is bugfix or ` +
			`feature`},
		"verdict":          {"accept", "yes", `ann.yaml:3: verdict is "yes"; write accept or reject`},
		"other candidate":  {"c1", "c2", `ann.yaml:1: candidate is "c2"; the folder's name says "c1"`},
		"other reviewer":   {"ann", "bob", `ann.yaml:2: reviewer is "bob"`},
		"one pull":         {"[o/a#1, o/b#2]", "[o/a#1]", `ann.yaml:5: 1 pulls are listed`},
		"twice":            {"o/b#2", "O/A#1", `listed twice`},
		"not a pull":       {"o/b#2", "o/b/2", `ann.yaml:5: "o/b/2" is not a pull`},
		"no time":          {"reviewed_at: 2025-07-01T10:00:00Z", "", "reviewed_at is missing"},
		"bad time":         {"2025-07-01T10:00:00Z", "soon", "ann.yaml:6:"},
		"syntax":           {"[o/a#1, o/b#2]", "[o/a#1", "ann.yaml:"},
		"a tag of nothing": {"[o/a#1, o/b#2]", "!x # none", "ann.yaml: this is not YAML"},
		"brackets":         {"[o/a#1, o/b#2]", strings.Repeat("[", 1<<16), "ann.yaml:5: more than 100 levels"},
		"alias":            {"bugfix", "*x", "ann.yaml:4: aliases"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			put(t, f, "reviews/c1/ann.yaml", strings.Replace(good, tt.old, tt.new, 1))
			put(t, f, "reviews/c1/bob.yaml", strings.Replace(good, "ann", "bob", 1))
			got, err := f.Reviews()
			usage(t, err, tt.want)
			if len(got) != 1 {
				t.Errorf("the good review is gone: %v", got)
			}
		})
	}
}

func TestNamesThatWouldLeaveTheFolderAreRefused(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "a b", "a\x00", "x.", strings.Repeat("a",
		200)} {
		r := review("")
		r.Reviewer = name
		_, err := f.WriteReview(r)
		usage(t, err)
		r = review("")
		r.ReviewedAs = name
		_, err = f.WriteReview(r)
		usage(t, err)
	}
	r := review("")
	r.ReviewedAs = "decisions"
	_, err := f.WriteReview(r)
	usage(t, err)
	for _, name := range []string{"", "a", "a/b/c", "../b", "a/..", "a/.", "a/b\x00"} {
		_, err := f.RecipeParts(name)
		usage(t, err)
	}
}

func TestReviewerInOtherCaseIsRefused(t *testing.T) {
	f := newFolder(t)
	if _, err := f.WriteReview(review("")); err != nil {
		t.Fatal(err)
	}
	r := review("")
	r.Reviewer = "Ann"
	_, err := f.WriteReview(r)
	usage(t, err, "case alone")
}

func TestLinkOutOfTheFolderIsNotFollowed(t *testing.T) {
	f := newFolder(t)
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	if err := os.WriteFile(outside, []byte("exclude: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(f.path("exclude.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, f.path("exclude.yaml")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Exclusions(); err == nil {
		t.Error("a link out of the folder was read")
	}
}

func TestDecisionsComeBackEarliestFirstAndTwiceIsOneFile(t *testing.T) {
	f := newFolder(t)
	at := time.Date(2025, 7, 1, 10, 0, 0, 0, time.UTC)
	apart := schema.Decision{Action: schema.KeepApart, Apart: [][]string{{"o/b#2"}, {"o/c#3", "o/a#1"}}, Candidate: "c1",
		Reviewer: "ann", Reason: "two fixes", At: at.Add(time.Hour)}
	together := schema.Decision{Action: schema.KeepTogether, Pulls: []string{"o/b#2", "o/a#1"}, Reviewer: "bob",
		Reason: "one", At: at}
	for _, d := range []schema.Decision{apart, together, apart} {
		if _, err := f.WriteDecision(d); err != nil {
			t.Fatal(err)
		}
	}
	got, err := f.Decisions()
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if !strings.HasPrefix(got[i].File, "reviews/decisions/") {
			t.Errorf("file %q", got[i].File)
		}
		got[i].File = ""
	}
	together.Pulls = []string{"o/a#1", "o/b#2"}
	apart.Apart = [][]string{{"o/a#1", "o/c#3"}, {"o/b#2"}}
	if d := cmp.Diff([]schema.Decision{together, apart}, got); d != "" {
		t.Error(d)
	}
}

func TestDecisionErrors(t *testing.T) {
	for name, text := range map[string]string{
		"action":   "action: keep\nreviewer: a\nreason: r\ndecided_at: 2025-07-01T10:00:00Z\n",
		"one pull": "action: keep_together\npulls: [o/a#1]\nreviewer: a\nreason: r\ndecided_at: 2025-07-01T10:00:00Z\n",
		"one set": "action: keep_apart\napart: [[o/a#1, o/b#2]]\nreviewer: a\nreason: r\ndecided_at: " +
			"2025-07-01T10:00:00Z\n",
		"in two": "action: keep_apart\napart: [[o/a#1], [o/a#1]]\nreviewer: a\nreason: r\ndecided_at: " +
			"2025-07-01T10:00:00Z\n",
		"mixed":      "action: keep_apart\npulls: [o/a#1, o/b#1]\nreviewer: a\nreason: r\ndecided_at: 2025-07-01T10:00:00Z\n",
		"no reason":  "action: keep_together\npulls: [o/a#1, o/b#1]\nreviewer: a\ndecided_at: 2025-07-01T10:00:00Z\n",
		"empty file": "",
	} {
		f := newFolder(t)
		put(t, f, "reviews/decisions/d.yaml", text)
		_, err := f.Decisions()
		t.Run(name, func(t *testing.T) { usage(t, err, "reviews/decisions/d.yaml") })
	}
}

func TestExclusionsAndEcosystems(t *testing.T) {
	f := newFolder(t)
	put(t, f, "exclude.yaml", "exclude:\n  - {pull: o/a#1, reason: reverted}\n  - repository: o/b\n    reason: gone\n")
	got, err := f.Exclusions()
	want := []schema.Exclusion{{Pull: "o/a#1", Reason: "reverted"}, {Repository: "o/b", Reason: "gone"}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	put(t, f, "exclude.yaml", "exclude:\n  - {pull: o/a#1}\n")
	_, err = f.Exclusions()
	usage(t, err, "entry 1", "reason")
	put(t, f, "exclude.yaml", "exclude:\n  - {pull: o/a#1, repository: o/a, reason: x}\n")
	_, err = f.Exclusions()
	usage(t, err, "names 2 things")
	put(t, f, "ecosystems.yaml", "ecosystems:\n  - {name: ipfs, organizations: [ipfs]}\n  - {name: ipfs, repositories: "+
		"[a/b]}\n")
	_, err = f.Ecosystems()
	usage(t, err, "twice")
}

func TestWriteTasksKeepsWhatPeopleWrote(t *testing.T) {
	for name, tt := range map[string]struct{ before, head, tail string }{
		"new file": {"", selectionHead[:strings.Index(selectionHead, tasksHead)], ""},
		"last": {"# mine\npins:\n  include: [t1] # first\n  exclude: []\n\n# sets\nsets: {small: [t1]}\ntasks:\n  - " +
			"task: old\n    selected: true\n    reason: r\n",
			"# mine\npins:\n  include: [t1] # first\n  exclude: []\n\n# sets\nsets: {small: [t1]}\n", ""},
		"in between": {"tasks:\n- task: old\n  selected: true\n  reason: r\n# stray\n- task: older\n  selected: true\n  " +
			"reason: r\n\n# about pins\npins: {include: [a], exclude: []}\n", "",
			"\n# about pins\npins: {include: [a], exclude: []}\n"},
		"no tasks": {"pins: {include: [], exclude: [b]}", "pins: {include: [], exclude: [b]}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			put(t, f, "selection.yaml", tt.before)
			tasks := []schema.SelectedTask{{Task: "t1", Selected: true, Reason: "pinned: yes"},
				{Task: "t2", Reason: "# too many"}}
			for range 2 { // the second time changes nothing
				if err := f.WriteTasks(tasks); err != nil {
					t.Fatal(err)
				}
				got, _, err := f.read("selection.yaml")
				if err != nil {
					t.Fatal(err)
				}
				want := tt.head + tasksHead + "tasks:\n  - task: t1\n    selected: true\n    reason: \"pinned: yes\"\n  - task: " +
					"t2\n    selected: false\n    reason: \"# too many\"\n" + tt.tail
				if d := cmp.Diff(want, string(got)); d != "" {
					t.Error(d)
				}
			}
			s, err := f.Selection()
			if d := cmp.Diff(tasks, s.Tasks); d != "" || err != nil {
				t.Error(d, err)
			}
		})
	}
}

func TestHugeFileIsRefused(t *testing.T) {
	f := newFolder(t)
	put(t, f, "exclude.yaml", "exclude: []\n#"+strings.Repeat("x", maxFile))
	_, err := f.Exclusions()
	usage(t, err, "exclude.yaml", "MiB")
}

func TestTextThatIsNoYAMLIsToldSo(t *testing.T) {
	f := newFolder(t)
	put(t, f, "exclude.yaml", "a: !0000000000000000000 ")
	_, err := f.Exclusions()
	usage(t, err, "exclude.yaml")
}

func TestPinnedBothWaysIsAnError(t *testing.T) {
	f := newFolder(t)
	put(t, f, "selection.yaml", "pins: {include: [a], exclude: [a]}\n")
	_, err := f.Selection()
	usage(t, err, "selection.yaml", "both in and out")
}

func TestWriteLeavesNoTemporaryFile(t *testing.T) {
	f := newFolder(t)
	if _, err := f.WriteRecipe(schema.Recipe{Repository: "o/n", Build: []string{"make"}}); err != nil {
		t.Fatal(err)
	}
	r, err := f.Recipe("o/n", time.Now())
	if len(r) != 1 || len(r[0].Build) != 1 || err != nil {
		t.Errorf("%+v %v", r, err)
	}
	names, err := filepath.Glob(f.path("recipes/.*.tmp"))
	if len(names) > 0 || err != nil {
		t.Error(names, err)
	}
}
