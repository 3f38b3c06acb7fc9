package assemble_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/stages/assemble"
)

// push puts two commits of a pull on main, after one of another pull. The last commit
// changes a file of the first one's again.
func (w *world) push(repository string, number int) (p assemble.Pull, base string) {
	w.commit(repository, row{"other.go": "package q\n"})
	w.git(repository, "commit", "--quiet", "--amend", "-m", "Add other (#4)")
	base = w.git(repository, "rev-parse", "HEAD")
	w.commit(repository, row{"a.go": "package q\n", "q_test.go": "package q // 1\n"})
	merge := w.commit(repository, row{"a.go": "package q\n\nvar A = 1\n", "b.go": "package q\n"})
	return assemble.Pull{Number: number, MergedAt: day, MergeCommit: merge}, base
}

func (w *world) pushedFiles() []assemble.HostFile {
	return []assemble.HostFile{{Path: "a.go", Status: "added", Added: 3}, {Path: "b.go", Status: "added", Added: 1},
		{Path: "q_test.go", Status: "modified", Added: 1, Deleted: 1}}
}

// A push of several commits lands all of them, by whatever tells that they are the pull's.
func TestGoldIsAllThatAPushLanded(t *testing.T) {
	for name, tell := range map[string]func(w *world, p *assemble.Pull, base string){
		"commits that name the pull": func(w *world, p *assemble.Pull, _ string) {
			p.Landed = []string{p.MergeCommit, w.git("o/lib", "rev-parse", p.MergeCommit+"^")}
		},
		"the host's list, the head being gone": func(w *world, p *assemble.Pull, _ string) { p.Files = w.pushedFiles() },
		"the host's list, the head being pushed": func(w *world, p *assemble.Pull, _ string) {
			p.Head, p.Files = p.MergeCommit, w.pushedFiles()
		},
		"the host's base, the head being pushed": func(w *world, p *assemble.Pull, base string) {
			p.Head, p.HostBase = p.MergeCommit, base
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p, base := w.push("o/lib", 5)
			tell(w, &p, base)
			s, err := assemble.Prove(t.Context(), w.mirror("o/lib"), p)
			if err != nil || !s.Proved() {
				t.Fatalf("%+v, %v", s, err)
			}
			if s.Base != base || s.Gold != p.MergeCommit || !strings.Contains(s.Note, "the 2 commits that were pushed") {
				t.Errorf("base %s, gold %s, note %q", s.Base, s.Gold, s.Note)
			}
			if d := cmp.Diff([]string{"a.go", "b.go", "q_test.go"}, append(s.GoldFiles, s.HiddenFiles...)); d != "" {
				t.Error(d)
			}
			if len(s.Differences) > 0 {
				t.Errorf("%+v", s.Differences)
			}
		})
	}
}

// What others pushed before stays theirs, whatever base the host recorded.
func TestAPushEndsAtAnotherPullsCommit(t *testing.T) {
	w := newWorld(t)
	old := w.git("o/lib", "rev-parse", "HEAD")
	p, base := w.push("o/lib", 5)
	p.Head, p.HostBase = p.MergeCommit, old
	s, err := assemble.Prove(t.Context(), w.mirror("o/lib"), p)
	if err != nil || s.Base != base {
		t.Errorf("base %s, want %s: %v", s.Base, base, err)
	}
}

// The split is held against the host's list of the pull's files.
func TestOtherFilesThanTheHostListsStopTheTask(t *testing.T) {
	w := newWorld(t)
	w.member(1, w.squash("o/lib", 5, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"}), "lib", "")
	w.member(2, w.squash("o/app", 6, row{"q.go": "package q // a\n", "q_test.go": "package q // a\n"}), "app", "")
	w.accept()
	list := func(id, number int, from string, files ...string) {
		if err := w.exec(fmt.Sprintf("UPDATE pull_facts SET files_from = '%s', files_complete = true WHERE repository_id = "+
			"%d", from, id)); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			w.put("pull_files", row{"repository_id": int64(id), "number": number, "path": f, "status": "modified"})
		}
	}
	list(1, 5, "host", "q.go", "q_test.go")
	list(2, 6, "host", "q.go", "lost.go")
	w.run()
	if d := cmp.Diff([]string{"skipped o/app#6 changes other files than the host lists: lost.go and 1 more " +
		"(split_differences)"},
		w.strings("SELECT status || ' ' || reason FROM outcomes")); d != "" {
		t.Error(d)
	}
	rows := "SELECT concat_ws(' ', repository_id, number, path, '(' || host || ')', '(' || split || ')') FROM " +
		"split_differences ORDER BY path"
	if d := cmp.Diff([]string{"2 6 lost.go (modified) ()", "2 6 q_test.go () (modified)"}, w.strings(rows)); d != "" {
		t.Error(d)
	}
	list(2, 6, "mirror") // a list that is our own says nothing
	if c := w.run(); c.Done != 1 {
		t.Errorf("%+v %v", c, w.strings("SELECT reason FROM outcomes_latest"))
	}
	if d := cmp.Diff([]string(nil), w.strings(rows)); d != "" {
		t.Error(d)
	}
}
