package peerreport

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/evaluatetest"
	"github.com/wideswe/wideswe/stages/evaluate/harbor"
)

// when is a time at which a report was written.
var when = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// report makes a report with a run of joint predictions, in which t1 is disputed and t2
// in some state, and one of independent ones.
func report(rel *release.Release, status string) schema.Report {
	target := func(status string, submitted, strict bool) schema.TargetReport {
		return schema.TargetReport{Status: status, AsSubmitted: submitted, Resolved: strict, Reason: "the disk is full"}
	}
	disputed := schema.TaskReport{Status: schema.StatusDisputed, AsSubmitted: true,
		Targets: map[string]schema.TargetReport{
			"o/lib": target(schema.StatusDisputed, true, false), "o/tool": target(schema.StatusResolved, true, true)}}
	other := schema.TaskReport{Status: status, Reason: "the disk is full", Targets: map[string]schema.TargetReport{
		"o/lib": target(status, false, false), "o/tool": target(schema.StatusMissing, false, false)}}
	return schema.Report{Rules: "8", Release: schema.ReportRelease{SHA256: rel.SHA256}, Runs: []schema.ReportRun{
		{Model: "some/model", Mode: schema.Joint, Attempt: 1, Tasks: map[string]schema.TaskReport{"t1": disputed,
			"t2": other}},
		{Model: "../x y", Mode: schema.Independent, Attempt: 2, Tasks: map[string]schema.TaskReport{"t1": disputed,
			"t2": other}},
	}}
}

// written writes a report and returns the folder.
func written(t *testing.T, rel *release.Release, format, status string) string {
	t.Helper()
	f, err := FormatNamed(format)
	dir := filepath.Join(t.TempDir(), "out")
	if err == nil {
		err = Write(dir, f, rel, report(rel, status), when)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// read reads a file of JSON that has no other names than v.
func read(t *testing.T, v any, parts ...string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err == nil {
		d := json.NewDecoder(strings.NewReader(string(b)))
		d.DisallowUnknownFields()
		err = d.Decode(v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// names lists a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		all = append(all, f.Name())
	}
	return all
}

func TestSWEBenchReport(t *testing.T) {
	rel := evaluatetest.Release(t)
	dir := written(t, rel, "swe-bench", schema.StatusInfra)
	if got := names(t, dir); len(got) != 2 || got[1] != "some__model.joint.json" ||
		!strings.HasPrefix(got[0], "__x-y-") || !strings.HasSuffix(got[0], ".independent-2.json") {
		t.Errorf("%q", got)
	}
	var joint, independent sweBenchReport
	read(t, &joint, dir, "some__model.joint.json")
	want := sweBenchReport{Total: 2, Submitted: 2, Completed: 1, Resolved: 1, Infra: 1, Error: 1,
		CompletedIDs: []string{"t1"}, IncompleteIDs: []string{}, EmptyIDs: []string{}, SubmittedIDs: []string{"t1", "t2"},
		ResolvedIDs: []string{"t1"}, UnresolvedIDs: []string{}, InfraIDs: []string{"t2"}, AmbiguousIDs: []string{},
		Reasons: map[string]string{"t2": "the disk is full"}, ErrorIDs: []string{"t2"}, Schema: 2, Rule: "as submitted",
		StrictIDs: []string{}}
	if d := cmp.Diff(want, joint); d != "" {
		t.Error(d)
	}
	read(t, &independent, dir, names(t, dir)[0])
	if d := cmp.Diff([]any{4, 3, []string{"t1__o__lib", "t1__o__tool"}, []string{"t1__o__tool"}, []string{"t2__o__tool"}},
		[]any{independent.Total, independent.Submitted, independent.ResolvedIDs, independent.StrictIDs,
			independent.IncompleteIDs}); d != "" {
		t.Error(d)
	}
}

func TestEveryStateHasItsPlace(t *testing.T) {
	for status, want := range map[string]outcome{schema.StatusResolved: resolved, schema.StatusDisputed: resolved,
		schema.StatusUnbuilt: resolved, schema.StatusUnresolved: unresolved, schema.StatusInconsistent: unresolved,
		schema.StatusEmpty: empty, schema.StatusMissing: incomplete, schema.StatusPatchFailed: failed,
		schema.StatusPatchUnsafe: failed, schema.StatusInjectionFailed: failed, schema.StatusTimeout: failed,
		schema.StatusRejected: failed, schema.StatusInfra: failed} {
		submitted := status == schema.StatusResolved || status == schema.StatusDisputed || status == schema.StatusUnbuilt
		x := instance{Status: status, AsSubmitted: submitted}
		if got := x.outcome(); got != want {
			t.Errorf("%s: %v, want %v", status, got, want)
		}
		all := newSWEBenchReport([]instance{x})
		if n := all.Resolved + all.Unresolved + all.Empty + all.Error + len(all.IncompleteIDs); n != 1 {
			t.Errorf("%s is in %d places", status, n)
		}
	}
}

func TestMultiSWEReport(t *testing.T) {
	dir := written(t, evaluatetest.Release(t), "multi-swe-bench", schema.StatusEmpty)
	var rep, strict multiSWEReport
	read(t, &rep, dir, "some__model.joint", "final_report.json")
	read(t, &strict, dir, "some__model.joint", "final_report.strict.json")
	want := multiSWEReport{Total: 4, Submitted: 3, Completed: 2, Incomplete: 1, Resolved: 2, Empty: 1,
		SubmittedIDs: []string{"o/lib:pr-11", "o/tool:pr-12", "o/lib:pr-21"},
		CompletedIDs: []string{"o/lib:pr-11", "o/tool:pr-12"}, IncompleteIDs: []string{"o/tool:pr-22"},
		ResolvedIDs: []string{"o/lib:pr-11", "o/tool:pr-12"}, UnresolvedIDs: []string{},
		EmptyIDs: []string{"o/lib:pr-21"}, ErrorIDs: []string{}}
	if d := cmp.Diff(want, rep); d != "" {
		t.Error(d)
	}
	want.Resolved, want.ResolvedIDs = 1, []string{"o/tool:pr-12"}
	want.Unresolved, want.UnresolvedIDs = 1, []string{"o/lib:pr-11"}
	if d := cmp.Diff(want, strict); d != "" {
		t.Error(d)
	}
}

func TestHarborReport(t *testing.T) {
	dir := filepath.Join(written(t, evaluatetest.Release(t), "harbor", schema.StatusInfra), "some__model.joint")
	var job harbor.Job
	read(t, &job, dir, "result.json")
	if job.Trials != 2 || job.Stats.Errored != 1 || len(job.ID) != 36 || !job.StartedAt.Equal(when) {
		t.Errorf("%+v", job)
	}
	var scored, broken harbor.Trial
	read(t, &scored, dir, "t1__joint", "result.json")
	want := map[string]float64{"reward": 1, "strict": 0, "o/lib": 1, "o/tool": 1}
	if d := cmp.Diff(want, scored.Verifier.Rewards); d != "" || scored.Exception != nil {
		t.Error(d, scored.Exception)
	}
	var rewards map[string]float64
	read(t, &rewards, dir, "t1__joint", "verifier", "reward.json")
	if d := cmp.Diff(want, rewards); d != "" {
		t.Error(d)
	}
	read(t, &broken, dir, "t2__joint", "result.json")
	if broken.Verifier != nil || broken.Exception == nil || broken.Exception.Message != "the disk is full" {
		t.Errorf("%+v", broken)
	}
}

func TestReportsThatAreRefused(t *testing.T) {
	rel := evaluatetest.Release(t)
	rep := report(rel, schema.StatusEmpty)
	old, foreign := rep, rep
	old.Rules, foreign.Release.SHA256 = "", "x"
	for want, r := range map[string]schema.Report{"older than counts as submitted": old,
		"the release given is another": foreign} {
		if err := Write(filepath.Join(t.TempDir(), "x"), harborFormat(), rel, r, when); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if err := Write(t.TempDir(), harborFormat(), rel, rep, when); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a folder that is there: %v", err)
	}
	if _, err := FormatNamed("harbour"); err == nil || !strings.Contains(err.Error(), `did you mean "harbor"?`) {
		t.Error(err)
	}
}
