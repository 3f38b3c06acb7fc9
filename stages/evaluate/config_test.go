package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// TestWhatAPatchPutsInTheRunnersWay: files that are told by where they lie, what
// gold does, and what goes back with them.
func TestWhatAPatchPutsInTheRunnersWay(t *testing.T) {
	put := func(file, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	st := &stand{dir: t.TempDir(), task: &release.Task{Hidden: []release.Target{{TaskTarget: schema.TaskTarget{Repository: "o/r",
		GoldFiles: []string{"go.mod", "sub/go.mod"}, HiddenFiles: []string{"p/hidden_test.go"}}, Recipe: schema.Recipe{Path: []string{"cmd/tool/"}}}}}}
	tr := &trial{st: st, ws: t.TempDir(), config: map[string][]string{}}
	put(st.pristine()+"/o/r/go.mod", "module m\n", 0o644)
	put(st.gold()+"/o/r/go.mod", "module m\n\nreplace a.org/kept => ./kept\n", 0o644)
	put(st.gold()+"/o/r/sub/go.mod", "module m/sub\n\nreplace a.org/kept => ./kept\n", 0o644)
	in := tr.ws + "/o/r/"
	put(in+"go.mod", "module m\n\nreplace a.org/kept => ./kept\n\nreplace a.org/assert => ./assert\n", 0o644)
	put(in+"sub/go.mod", "module m/sub\n\nreplace a.org/kept => ./kept\n", 0o644)
	put(in+"cmd/tool/go", "#!/bin/sh\nexit 0\n", 0o755)
	put(in+"cmd/tool/main.go", "package main\n", 0o644)
	put(in+"cmd/other/run", "", 0o755)
	put(in+"p/hidden_test.go", "package p\n\nfunc init() {}\n", 0o644)
	put(in+"p/helper_test.go", "package p\n\nvar x = 1\n", 0o644)
	put(in+"p/main_test.go", "package p\n\nfunc TestMain(m *testing.M) {}\n", 0o644)
	put(in+"q/helper_test.go", "package q\n", 0o644)
	tr.noteConfig("o/r", []string{"cmd/other/run", "cmd/tool/go", "cmd/tool/main.go", "go.mod", "p/gone_test.go", "p/helper_test.go", "p/hidden_test.go", "p/main_test.go", "q/helper_test.go", "sub/go.mod"})
	want := []string{"cmd/tool/go", "go.mod", "p/main_test.go", "p/gone_test.go", "p/helper_test.go"}
	if d := cmp.Diff(want, tr.config["o/r"]); d != "" {
		t.Error(d)
	}
}

// TestAVerdictNamesNotEveryFile: a patch of thousands of files makes no report of as many lines.
func TestAVerdictNamesNotEveryFile(t *testing.T) {
	st := &stand{dir: t.TempDir(), task: &release.Task{}}
	tr := &trial{st: st, ws: t.TempDir(), config: map[string][]string{}}
	var files []string
	for n := range 3 * maxConfigNotes {
		files = append(files, fmt.Sprintf("node_modules/%03d.js", n))
	}
	tr.noteConfig("o/r", files)
	if len(tr.config["o/r"]) != len(files) || len(tr.flags) != maxConfigNotes+1 || len(tr.deviations) != maxConfigNotes+1 {
		t.Errorf("%d files, %d flags, %d deviations; the last is %s", len(tr.config["o/r"]), len(tr.flags), len(tr.deviations), tr.flags[len(tr.flags)-1])
	}
}
