package settle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/settled"
	"github.com/wideswe/wideswe/schema"
)

// writeEvaluation writes a report of one disputed, one unbuilt and one resolved target,
// in as many runs as there are models.
func writeEvaluation(t *testing.T, models ...string) string {
	t.Helper()
	out := t.TempDir()
	rep := schema.Report{Format: 1, Rules: "6"}
	for _, m := range models {
		task := schema.TaskReport{Status: schema.StatusDisputed, AsSubmitted: true, Model: m, Mode: schema.Joint,
			Attempt: 1, Patches: []schema.KeptPatch{{Repository: "o/a", File: "patches/a.patch"}},
			Targets: map[string]schema.TargetReport{"o/a": {Status: schema.StatusDisputed, AsSubmitted: true},
				"o/b": {Status: schema.StatusUnbuilt, AsSubmitted: true},
				"o/c": {Status: schema.StatusResolved, Resolved: true, AsSubmitted: true}}}
		rep.Tasks = map[string]schema.TaskReport{"t1": task}
		rep.Runs = append(rep.Runs, schema.ReportRun{Model: m, Mode: schema.Joint, Attempt: 1, Tasks: rep.Tasks})
	}
	b, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"report.json": b, "patches/a.patch": []byte("diff\n")} {
		file := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestRecord(t *testing.T) {
	out := writeEvaluation(t, "m")
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, d := range []Decision{
		{Task: "t1", Target: "o/b", Reason: "only a test helper is missing", By: "ann", Resolved: true},
		{Task: "t1", Target: "o/a", Reason: "first thought", By: "bob", Resolved: true},
		{Task: "t1", Target: "o/a", Reason: "the stub does the work", By: "ann"},
	} {
		if _, err := Record(out, d, day); err != nil {
			t.Fatal(err)
		}
	}
	got, err := settled.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := settled.Digest(out, []schema.KeptPatch{{Repository: "o/a", File: "patches/a.patch"}}, "o/a")
	if err != nil {
		t.Fatal(err)
	}
	want := []settled.Decision{
		{Task: "t1", Target: "o/a", Model: "m", Mode: "joint", Attempt: 1, Reason: "the stub does the work", By: "ann",
			Verdict: "disputed", Rules: "6", Patches: digest, Date: "2026-01-02"},
		{Task: "t1", Target: "o/b", Model: "m", Mode: "joint", Attempt: 1, Resolved: true,
			Reason: "only a test helper is missing", By: "ann", Verdict: "unbuilt", Rules: "6", Patches: digest,
			Date: "2026-01-02"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRecordRefuses(t *testing.T) {
	one, two := writeEvaluation(t, "m"), writeEvaluation(t, "m", "n")
	good := Decision{Task: "t1", Target: "o/a", Reason: "r", By: "b"}
	for name, tc := range map[string]struct {
		out    string
		change func(*Decision)
		want   string
	}{
		"no reason":     {one, func(d *Decision) { d.Reason = " " }, "--reason and --by are needed"},
		"nobody":        {one, func(d *Decision) { d.By = "" }, "--reason and --by are needed"},
		"no evaluation": {t.TempDir(), func(*Decision) {}, "is no evaluation"},
		"no task":       {one, func(d *Decision) { d.Task = "t9" }, `no task "t9"`},
		"no target":     {one, func(d *Decision) { d.Target = "o/z" }, `no target "o/z"`},
		"resolved":      {one, func(d *Decision) { d.Target = "o/c" }, "only disputed and unbuilt"},
		"several runs":  {two, func(*Decision) {}, "name one of them with --run: m joint; n joint"},
	} {
		t.Run(name, func(t *testing.T) {
			d := good
			tc.change(&d)
			if _, err := Record(tc.out, d, time.Now()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if _, err := os.Stat(filepath.Join(tc.out, settled.FileName)); err == nil {
				t.Error("a file was written")
			}
		})
	}
	d := good
	d.Run = "n"
	if s, err := Record(two, d, time.Now()); err != nil || s.Model != "n" {
		t.Errorf("%+v %v", s, err)
	}
}
