package assemble_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/assemble"
)

const id = "o-org-app-lib-01234567"

func TestTaskFromTwoPulls(t *testing.T) {
	w := newWorld(t)
	w.member(1, w.squash("o/lib", 5, row{"q.go": "package q\n\nvar X = 1\n", "q_test.go": "package q\n\n// X\n",
		"README.md": "Q\n"}), "feat: X (#5)", "Adds X.")
	w.member(2, w.squash("o/app", 6, row{"q.go": "package q\n\nvar Y = 1\n", "bin/use": "#!/bin/sh\nexit 0\n",
		"test/data/a.json": "{}\n"}), "use X", "Needs o/lib#5\n\nUses X everywhere.")
	w.put("linked_issues", row{"repository_id": int64(1), "number": 5, "issue_repository_id": int64(1), "issue_number": 4,
		"relation": "closes",
		"title":    "X is missing", "body": "We need X.\n"})
	w.accept()
	if c := w.run(); c.Done != 1 {
		t.Fatalf("got %+v: %v", c, w.strings("SELECT reason FROM outcomes"))
	}
	if d := cmp.Diff([]string{id + " 0123456789abcdef bugfix assembled [Go, Shell] forwarding feat: X"}, w.strings(
		"SELECT task_id || ' ' || candidate_id || ' ' || kind || ' ' || status || ' ' || languages::VARCHAR || ' ' || "+
			"change_type || ' ' || title FROM tasks")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"o/app [6] MIT [bin/use, q.go] [test/data/a.json] 0 0",
		"o/lib [5] MIT [README.md, q.go] [q_test.go] 0 0"}, w.strings(`
		SELECT t.repository || ' ' || t.pulls::VARCHAR || ' ' || t.license || ' ' || tt.gold_files::VARCHAR || ' ' || tt.hidden_files::VARCHAR || ' ' || f2p || ' ' || p2p
		FROM targets t JOIN task_targets tt USING (task_id, repository) ORDER BY 1`)); d != "" {
		t.Error(d)
	}
	// The base is where the pull branched off, not what main was when it was merged.
	if d := cmp.Diff([]string{w.git("o/lib", "merge-base", "topic5", "main")},
		w.strings("SELECT base_commit FROM targets WHERE repository = 'o/lib'")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"gold 0 gold q.go", "tests 1 pull-tests q_test.go"},
		w.strings(`SELECT kind || ' ' || layer || ' ' || name || ' ' ||
		CASE WHEN kind = 'gold' THEN 'q.go' ELSE 'q_test.go' END FROM task_patches WHERE repository = 'o/lib' AND contains(decode(patch), CASE WHEN kind = 'gold' THEN 'b/q.go' ELSE 'b/q_test.go' END) ORDER BY 1`)); d != "" {
		t.Error(d)
	}
	want := []string{"X is missing | o/lib#4 title", "We need X. | o/lib#4 body", "Adds X. | o/lib#5 body",
		"Uses X everywhere. | o/app#6 body"}
	if d := cmp.Diff(want, w.strings("SELECT text || ' | ' || source FROM prompt_paragraphs ORDER BY "+
		"paragraph")); d != "" {
		t.Error(d)
	}
	if c := w.run(); c.Unchanged != 1 || c.Done > 0 {
		t.Errorf("a second run did %+v", c)
	}
}

func TestAPersonsPromptWinsAndADraftFollows(t *testing.T) {
	w := newWorld(t)
	w.member(1, w.squash("o/lib", 5, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"}), "lib", "Adds X.")
	w.member(2, w.squash("o/app", 6, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"}), "app", "Uses X.")
	w.accept()
	w.run()
	path := filepath.Join(w.stage.Prompts, id, "prompt.md")
	read := func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if want := "Lib.\n\nAdds X.\n\nApp.\n\nUses X.\n"; read() != want {
		t.Errorf("the draft is %q, want %q", read(), want)
	}
	// The pull's text changes: the draft follows.
	w.put("pull_versions", row{"repository_id": int64(1), "number": 5, "source": "linked", "title": "lib",
		"body": "Adds X, and Z.", "fetched_at": day.Add(time.Hour),
		"merge_commit_sha": w.strings("SELECT merge_commit_sha FROM pull_versions WHERE repository_id = 1")[0],
		"head_sha":         w.git("o/lib", "rev-parse", "topic5")})
	if c := w.run(); c.Done != 1 || !strings.Contains(read(), "and Z.") {
		t.Errorf("%+v, the draft is %q", c, read())
	}
	// A person edits it: theirs stands, whatever the draft becomes.
	edited := "Add X to both.\n\nUses X.\n"
	if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	if c := w.run(); c.Done != 1 || read() != edited {
		t.Errorf("%+v, the prompt is %q", c, read())
	}
	if d := cmp.Diff([]string{"edited " + edited},
		w.strings("SELECT prompt_state || ' ' || prompt FROM task_list")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Add X to both. person true", "Uses X. o/app#6 body false"},
		w.strings("SELECT text || ' ' || source || ' ' || edited FROM prompt_paragraphs ORDER BY paragraph")); d != "" {
		t.Error(d)
	}
	if c := w.run(); c.Unchanged != 1 {
		t.Errorf("nothing changed, and it did %+v", c)
	}
	// Deleted: the draft comes back.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w.run()
	if !strings.Contains(read(), "and Z.") {
		t.Errorf("the prompt is %q", read())
	}
}

func TestSkips(t *testing.T) {
	for name, c := range map[string]struct {
		files row
		want  string
	}{
		"no test":        {row{"q.go": "package q // a\n"}, "o/app: no test change"},
		"tests alone":    {row{"q_test.go": "package q // a\n"}, "o/app: no change outside tests"},
		"nothing at all": {row{}, "o/app: no test change"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.member(1, w.squash("o/lib", 5, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"}), "lib", "")
			w.member(2, w.squash("o/app", 6, c.files), "app", "")
			w.accept()
			w.run()
			if d := cmp.Diff([]string{"skipped " + c.want}, w.strings("SELECT status || ' ' || reason FROM outcomes")); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]string{"0"}, w.strings("SELECT count(*)::VARCHAR FROM task_list")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRejectedAfterwardsLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.member(1, w.squash("o/lib", 5, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"}), "lib", "")
	w.member(2, w.squash("o/app", 6, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"}), "app", "")
	w.accept()
	w.run()
	w.tx(func(ctx context.Context, tx pipeline.Tx) error { return tx.Exec(ctx, "DELETE FROM candidate_verdicts") })
	w.run()
	for _, table := range []string{"task_list", "task_targets", "task_patches", "prompt_paragraphs", "task_notes"} {
		if d := cmp.Diff([]string{"0"}, w.strings("SELECT count(*)::VARCHAR FROM "+table)); d != "" {
			t.Errorf("%s: %s", table, d)
		}
	}
}

func TestACompanionThatFailsItsChecksIsLeftOutWhereItConflicts(t *testing.T) {
	w := newWorld(t)
	one := w.squash("o/lib", 5, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"})
	w.member(1, one, "lib", "")
	w.git("o/lib", "checkout", "--quiet", "-b", "stale", one.MergeCommit+"~2")
	head := w.commit("o/lib", row{"q.go": "package q // b\n"})
	w.git("o/lib", "update-ref", "refs/pull/7/head", head)
	w.git("o/lib", "checkout", "--quiet", "-B", "main", "main")
	stale := assemble.Pull{Number: 7, MergedAt: day.Add(9 * time.Hour), Head: head, MergeCommit: one.MergeCommit}
	w.member(1, stale, "stale", "")
	w.tx(func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "UPDATE pull_facts SET reason = 'no test change' WHERE number = 7")
	})
	w.member(2, w.squash("o/app", 6, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"}), "app", "")
	w.accept()
	w.run()
	if d := cmp.Diff([]string{"o/app [6]", "o/lib [5]"},
		w.strings("SELECT repository || ' ' || pulls::VARCHAR FROM targets ORDER BY 1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Lib.", "App."}, w.strings("SELECT text FROM prompt_paragraphs ORDER BY "+
		"paragraph")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"#7 (no test change) is left out. With it: the pulls of o/lib can't be composed: #7 " +
		"conflicts in q.go. "},
		w.strings("SELECT note FROM task_notes WHERE subject = 'base'")); d != "" {
		t.Error(d)
	}
}

func TestRenameOverTheBorderIsProved(t *testing.T) {
	w := newWorld(t)
	w.commit("o/lib", row{"helper.go": strings.Repeat("// same line\n", 40)})
	p := w.squash("o/lib", 5, row{"helper.go": nil, "helper_test.go": strings.Repeat("// same line\n", 40),
		"q.go":     "package q // a\n",
		"logo.bin": "\x00\x01\x02", "testdata/x.bin": "\x00\x02"})
	s, err := assemble.Prove(t.Context(), w.mirror("o/lib", 5), p)
	if err != nil || !s.Proved() {
		t.Fatalf("%+v, %v", s, err)
	}
	if strings.Contains(string(s.GoldPatch)+string(s.TestPatch), "rename") {
		t.Error("a rename joins what must be apart")
	}
}

func TestPatchIDOfABackport(t *testing.T) {
	w := newWorld(t)
	p := w.squash("o/lib", 5, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"})
	w.git("o/lib", "checkout", "--quiet", "-b", "release", "main~2")
	w.commit("o/lib", row{"release.txt": "1\n"})
	w.git("o/lib", "checkout", "--quiet", "-b", "topic6")
	w.git("o/lib", "cherry-pick", p.Head)
	head := w.git("o/lib", "rev-parse", "HEAD")
	w.git("o/lib", "checkout", "--quiet", "release")
	w.git("o/lib", "merge", "--quiet", "--no-ff", "-m", "backport", head)
	backport := assemble.Pull{Number: 6, Head: head, MergeCommit: w.git("o/lib", "rev-parse", "HEAD")}
	r := w.mirror("o/lib")
	a, err := assemble.PatchID(t.Context(), r, p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := assemble.PatchID(t.Context(), r, backport)
	if err != nil || a == "" || a != b {
		t.Errorf("%q and %q, %v", a, b, err)
	}
	none, err := assemble.PatchID(t.Context(), r, assemble.Pull{Number: 7, MergeCommit: strings.Repeat("1", 40)})
	if err != nil || none != "" {
		t.Errorf("%q, %v for commits that nobody has", none, err)
	}
}

func TestHeadGoneFallsBackToTheMergeCommit(t *testing.T) {
	w := newWorld(t)
	p := w.squash("o/lib", 5, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"})
	w.git("o/lib", "update-ref", "-d", "refs/pull/5/head")
	w.git("o/lib", "branch", "-D", "topic5")
	w.git("o/lib", "reflog", "expire", "--expire=now", "--all")
	w.git("o/lib", "gc", "--prune=now", "--quiet")
	s, err := assemble.Prove(t.Context(), w.mirror("o/lib"), p)
	if err != nil || !s.Proved() {
		t.Fatalf("%+v, %v", s, err)
	}
	if s.Gold != p.MergeCommit || s.Base != w.git("o/lib", "rev-parse", p.MergeCommit+"^") || !strings.Contains(s.Note,
		"head is gone") {
		t.Errorf("base %s, gold %s, note %q", s.Base, s.Gold, s.Note)
	}
	if d := cmp.Diff([]string{"q.go"}, s.GoldFiles); d != "" {
		t.Error(d)
	}
}

func TestSeveralPullsOfOneRepositoryAreComposed(t *testing.T) {
	w := newWorld(t)
	one := w.squash("o/lib", 5, row{"a.go": "package a\n", "a_test.go": "package a\n"})
	two := w.squash("o/lib", 6, row{"b.go": "package b\n"})
	clash := w.squash("o/lib", 7, row{"a.go": "package other\n"})
	r := w.mirror("o/lib", 5, 6, 7)
	s, err := assemble.ProveAll(t.Context(), r, []assemble.Pull{two, one}) // given in the wrong order
	if err != nil || !s.Proved() || !s.Composed {
		t.Fatalf("%+v, %v", s, err)
	}
	if d := cmp.Diff([]int{5, 6}, s.Pulls); d != "" {
		t.Error(d)
	}
	// What others did in between is in neither patch.
	if d := cmp.Diff([]string{"a.go", "b.go"}, s.GoldFiles); d != "" {
		t.Error(d)
	}
	// A pull whose base lacks the first one's change can't be laid over it.
	w.git("o/lib", "checkout", "--quiet", "-b", "stale", one.MergeCommit+"^")
	head := w.commit("o/lib", row{"a.go": "package third\n"})
	w.git("o/lib", "update-ref", "refs/pull/8/head", head)
	_ = clash
	stale := assemble.Pull{Number: 8, MergedAt: day.Add(9 * time.Hour), Head: head, MergeCommit: clash.MergeCommit}
	_, err = assemble.ProveAll(t.Context(), w.mirror("o/lib", 8), []assemble.Pull{one, stale})
	if reason, ok := pipeline.SkipReason(err); !ok || !strings.Contains(reason, "#8 conflicts in a.go") {
		t.Errorf("got %v, want a skip that names the conflict", err)
	}
}
