package testrun_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testrun"
)

// TestWatchedFilesAreReadBack: what a run makes of the files that it was given, by one
// and by the folder.
func TestWatchedFilesAreReadBack(t *testing.T) {
	for _, folder := range []string{"", "data/"} {
		t.Run(folder, func(t *testing.T) { watched(t, folder) })
	}
}

func watched(t *testing.T, folder string) {
	workspace := suite(t, `func TestA(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	const folder = "`+folder+`"
	must(os.WriteFile(folder+"written.txt", []byte("other"), 0o644))
	must(os.WriteFile(folder+"same.txt", []byte("text"), 0o644))
	must(os.Remove(folder+"removed.txt"))
	must(os.Remove(folder+"linked.txt"))
	must(os.Symlink("same.txt", folder+"linked.txt"))
	must(os.WriteFile(folder+"added.txt", nil, 0o644))
	must(os.Remove(folder+"folder.txt"))
	must(os.Mkdir(folder+"folder.txt", 0o755))
	must(os.Symlink("loop", folder+"loop"))
	must(os.RemoveAll(folder+"gone"))
	must(os.WriteFile(folder+"gone", nil, 0o644))
}`)
	tree := filepath.Join(workspace, "o", "q", folder)
	if err := os.MkdirAll(filepath.Join(tree, "gone"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"written.txt", "same.txt", "removed.txt", "linked.txt", "folder.txt", "gone/x.txt"} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("same.txt", filepath.Join(tree, "link.txt")); err != nil {
		t.Fatal(err)
	}
	rep := run(t, workspace, func(q *testrun.Request) {
		for _, name := range []string{"written.txt", "same.txt", "removed.txt", "linked.txt", "added.txt", "folder.txt",
			"link.txt", "never.txt", "same.txt/below.txt", "loop/x.txt", "gone/x.txt"} {
			q.Watched = append(q.Watched, folder+name)
		}
		q.Watched = append(q.Watched, "q_test.go")
		q.Foreign = true // which this sandbox does not keep apart
	})
	var want []string
	for _, name := range []string{"added.txt", "folder.txt", "gone/x.txt", "linked.txt", "removed.txt", "written.txt"} {
		want = append(want, folder+name)
	}
	if d := cmp.Diff(want, rep.Changed()); d != "" || rep.First().Status != testrun.OK {
		t.Errorf("%s: %s", rep.First().Status, d)
	}
	rep.Distrust("a file was changed")
	if a := rep.First(); a.Status != testrun.Inconsistent || a.Detail != "a file was changed" {
		t.Errorf("%+v", a)
	}
}
