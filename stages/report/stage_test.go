package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
)

const goldDiff = "diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-package x\n+package y\n"

// writeRelease makes the release of one task with the release's own writer.
func writeRelease(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "release")
	w, err := release.Create(dir, release.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	task := schema.TaskFile{Format: 1, Task: "t1", Ecosystem: "e", Kind: schema.Bugfix, Title: "Fix it",
		Languages: []string{"Go"}}
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []string{"o/a", "o/b"} {
		task.Targets = append(task.Targets, schema.TaskTarget{Repository: r})
		hidden := "tasks/t1/hidden/" + schema.FileName(r) + "/"
		must(w.Bytes(hidden+"gold.patch", []byte(goldDiff)), w.JSON(hidden+"tests.json", schema.TestsFile{Format: 1,
			Repository: r, F2P: []string{"u::T"}, P2P: []string{"u::P", "u::Q"}}),
			w.YAML(hidden+"recipe.yaml", "", schema.Recipe{Repository: r}), w.YAML(hidden+"image.yaml", "",
				schema.ImageFile{Format: 1}))
	}
	must(w.Bytes("tasks/t1/prompt.md", []byte("Fix it.\n")), w.YAML("tasks/t1/task.yaml", "", task),
		w.JSON("tasks/t1/workspace.json", schema.WorkspaceFile{Format: 1, Task: "t1"}))
	must(w.YAML("selection.yaml", "", schema.Selection{Sets: map[string][]string{"small": {"t1", "t7"}, "other": {"t7"}}}))
	_, err = w.Finish(schema.Release{Name: "sample", Version: "1", Tasks: []schema.ReleaseTask{{ID: "t1", Ecosystem: "e",
		Kind: schema.Bugfix, Targets: []string{"o/a", "o/b"}}}})
	must(err)
	return dir
}

func writeReport(t *testing.T, r *schema.Report) string {
	t.Helper()
	dir := t.TempDir()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestStageReadsAReleaseAndAnEvaluation(t *testing.T) {
	rel := writeRelease(t)
	out := writeReport(t, &schema.Report{Tasks: map[string]schema.TaskReport{"t1": {Status: schema.StatusResolved,
		Resolved: true,
		Targets: map[string]schema.TargetReport{"o/a": {Status: "resolved", Resolved: true, F2P: tally(1, 1),
			P2P: tally(2, 2)}, "o/b": {Status: "resolved", Resolved: true, F2P: tally(1, 1), P2P: tally(2, 2)}}}}})
	db := storetest.Open(t)
	s := Stage{Release: rel, Evaluations: []Source{{Folder: out}}}
	for i := range 3 {
		run := &pipeline.Run{Ledger: db}
		if err := pipeline.Execute(t.Context(), s, run); err != nil {
			t.Fatal(err)
		}
		if i > 0 && run.Counts.Unchanged != 1 {
			t.Errorf("run %d: %+v", i, run.Counts)
		}
		text, err := os.ReadFile(filepath.Join(out, "report.md"))
		if err != nil || !bytes.Contains(text, []byte("100.00 % (2/2)")) || bytes.Contains(text, []byte("*Incomplete:*")) {
			t.Errorf("%v\n%s", err, text)
		}
		// A file that somebody removed is back after the next run.
		for _, p := range s.Paths() {
			if err := os.RemoveAll(p); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestReleaseAloneIsDescribed(t *testing.T) {
	r, err := Stage{Release: writeRelease(t)}.read()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Counts{Tasks: 1, Targets: 2, Repositories: 2, Ecosystems: 1, F2P: 2, P2P: 4},
		r.Data.Counts); d != "" || r.Scored {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"small"}, r.Data.Tasks[0].Sets); d != "" {
		t.Error(d)
	}
}

func TestWrongInputIsToldWithTheNextStep(t *testing.T) {
	rel := writeRelease(t)
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "report.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ release, evaluation, want string }{
		"no release":    {filepath.Join(rel, "no"), "", "wideswe export"},
		"no evaluation": {rel, t.TempDir(), "wideswe evaluate"},
		"broken":        {rel, broken, "not a report"},
		"other release": {rel, writeReport(t, &schema.Report{Release: schema.ReportRelease{Name: "other", SHA256: "00"}}),
			"not the release"},
		"newer format": {rel, writeReport(t, &schema.Report{Format: 2}), "format 2"},
	} {
		s := Stage{Release: tt.release}
		if tt.evaluation != "" {
			s.Evaluations = []Source{{Folder: tt.evaluation}}
		}
		_, err := s.read()
		var usage *pipeline.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
