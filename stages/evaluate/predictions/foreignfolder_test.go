package predictions

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wideswe/wideswe/schema"
)

// trialRecord is what Harbor writes of a trial, as far as it is read.
func trialRecord(task, name string) string {
	return `{"task_name": "` + task + `", "trial_name": "` + name + `", "trial_uri": "file:///x", ` +
		`"agent_info": {"name": "codex", "version": "1", "model_info": {"name": "gpt", "provider": "openai"}}, ` +
		`"task_id": {"org": "o", "name": "t"}, "config": {"task": {"name": "o/t"}, "trial_name": "x"}`
}

// summary is an authors' diffs.json of o/lib and o/tool.
func summary(scope, single, more string) string {
	return `{"task_id": "/opt/tasks/t1", "workspace_scope": "` + scope + `", "single_repo": ` + single + `, "repos": [` +
		`{"repo": "lib", "path": "repos/o/lib", "patch": "/x/lib.patch", "changed": true, "changed_files": []},` +
		`{"repo": "tool", "path": "repos/o/tool", "changed": false}` + more + `], "edit_policy_ok": true}`
}

func TestFoldersOfOthers(t *testing.T) {
	rel := makeRelease(t)
	one := func(mode, target string, attempt int, kv ...string) schema.Prediction {
		return schema.Prediction{Task: "t1", Model: "codex/gpt", Mode: mode, Target: target, Attempt: attempt,
			Patches: patches(kv...)}
	}
	timedOut := one(schema.Joint, "", 1)
	timedOut.Task = "t2"
	for name, tc := range map[string]struct {
		files map[string]string
		want  []schema.Prediction
	}{
		"a job of Harbor's": {map[string]string{"result.json": `{"id": "x", "n_total_trials": 3}`, "config.json": "{}",
			"t1__aa/result.json": trialRecord("o/t1", "t1__aa") + "}",
			"t1__aa/artifacts/logs/artifacts/patches/o__lib.patch": goldLib,
			"t1__aa/artifacts/manifest.json":                       "[]",
			"t1__bb/result.json":                                   trialRecord("t1", "t1__bb") + `, "exception_info": {}}`,
			"t1__cc/result.json":                                   trialRecord("o/t1", "t1__cc") + "}",
			"t2__aa/result.json": trialRecord("o/t2", "t2__aa") +
				`, "exception_info": {"exception_type": "AgentTimeoutError"}}`,
			"t1__cc/artifacts/patches/o__notes.patch":     odd,
			"t1-tool__aa/result.json":                     trialRecord("o/t1__o__tool", "t") + "}",
			"t1-tool__aa/artifacts/patches/o__tool.patch": goldTool},
			[]schema.Prediction{one(schema.Independent, "o/tool", 1, "o/tool", goldTool),
				one(schema.Joint, "", 1, "o/lib", goldLib), one(schema.Joint, "", 3, "o/notes", odd), timedOut}},
		"a trial of steps": {map[string]string{"result.json": trialRecord("o/t1", "x") + "}",
			"steps/1/artifacts/patches/o__lib.patch": "d", "steps/2/artifacts/patches/o__lib.patch": goldLib},
			[]schema.Prediction{one(schema.Joint, "", 1, "o/lib", goldLib)}},
		"the authors' results": {map[string]string{
			"t1/codex/gpt/r1/diffs/diffs.json": summary("ecosystem", "null", `,{"repo":"notes","path":"repos/o/notes"}`),
			"t1/codex/gpt/r1/diffs/lib.patch":  goldLib, "t1/codex/gpt/r1/diffs/tool.patch": "",
			"t1/codex/gpt/r1/agent_workspace/repos/o/lib/result.json": "{",
			"t1/codex/gpt/r2__o/diffs/diffs.json":                     summary("single-repo", `"lib"`, ""),
			"t1/codex/gpt/r2__o/diffs/lib.patch":                      odd,
			"t1/codex/gpt/r3/diffs/diffs.json":                        summary("involved", "null", ""),
			"t1/codex/gpt/r3/diffs/lib.patch":                         "\n"},
			[]schema.Prediction{one(schema.Joint, "", 1, "o/lib", goldLib),
				one(schema.Independent, "o/lib", 1, "o/lib", odd), one(schema.Joint, "", 2)}},
	} {
		got, err := Load(rel, writeTree(t, tc.files), Options{})
		if d := cmp.Diff(tc.want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}

func TestFoldersOfOthersThatAreRefused(t *testing.T) {
	rel := makeRelease(t)
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no patches": {map[string]string{"t/result.json": trialRecord("o/t1", "t") + "}"},
			"t: no artifacts/logs/artifacts/patches: the trial's patches were not collected"},
		"unknown task": {map[string]string{"t/result.json": trialRecord("o/t9", "t") + "}"}, `t: unknown task "t9"`},
		"unknown repository": {map[string]string{"t/result.json": trialRecord("o/t1", "t") + "}",
			"t/artifacts/patches/o__x.patch": ""}, "o__x.patch: unknown repository"},
		"no diff": {map[string]string{"a/m/r/diffs/diffs.json": summary("ecosystem", "null", "")}, "a/m/r: lib.patch of t1"},
		"a diff that failed": {map[string]string{"r/diffs/lib.patch": "x", "r/diffs/tool.patch": "",
			"r/diffs/diffs.json": summary("ecosystem", "null",
				`,{"repo": "tool", "path": "repos/o/tool", "invalid_diff_summary": true, "diff_error": "no git"}`)},
			"the diff of tool could not be collected (no git)"},
		"a path": {map[string]string{"r/diffs/lib.patch": "x", "r/diffs/diffs.json": summary("ecosystem", "null",
			`,{"repo": "../../x", "path": "repos/o/lib"}`)}, "which is no plain name"},
		"another single repository": {map[string]string{"r/diffs/lib.patch": "x",
			"r/diffs/diffs.json": summary("single-repo", `"what"`, "")}, `"what" names 0 repositories of t1`},
		"not JSON": {map[string]string{"r/diffs/diffs.json": "["}, "r: diffs/diffs.json: not a prediction"},
	} {
		if _, err := Load(rel, writeTree(t, tc.files), Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tc.want)
		}
	}
}

// TestAttemptsInFolders: folders number attempts from 1, so that others are refused.
func TestAttemptsInFolders(t *testing.T) {
	rel := makeRelease(t)
	of := func(model string, attempt int) schema.Prediction {
		return schema.Prediction{Task: "t1", Model: model, Mode: schema.Joint, Attempt: attempt,
			Patches: patches("o/lib", odd)}
	}
	for _, s := range []Shape{harborShape(), authorsShape()} {
		list := []schema.Prediction{of("m", 1), of("m", 2), of("n", 1)}
		got := converted(t, rel, list, s, Options{})
		less := func(a, b schema.Prediction) bool { return key(a) < key(b) }
		if d := cmp.Diff(list, got, cmpopts.SortSlices(less)); d != "" {
			t.Errorf("%s: %s", s.Name, d)
		}
		err := ConvertFolder(t.TempDir()+"/x", rel, []schema.Prediction{of("m", 2)}, s)
		if err == nil || !strings.Contains(err.Error(), "attempt 2 of m at t1 is there and attempt 1 is not") {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if err := ConvertFolder(t.TempDir(), rel, nil, harborShape()); err == nil {
		t.Error("a folder that exists was written")
	}
	var b bytes.Buffer
	if err := Convert(&b, rel, nil, rebenchShape()); err != nil || b.String() != "[]\n" {
		t.Errorf("%q %v", b.String(), err)
	}
}

// FuzzFoldersOfOthers: whatever the record of a trial or of a run says, only files of the
// folder are read, and what is read is a prediction.
func FuzzFoldersOfOthers(f *testing.F) {
	f.Add([]byte(trialRecord("o/t1", "t") + "}"))
	f.Add([]byte(summary("single-repo", `"lib"`, "")))
	f.Add([]byte(summary("ecosystem", `null`, `,{"repo":"..","path":"repos/../../x","changed":true}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, record := range []string{"result.json", "diffs/diffs.json"} {
			dir := writeTree(t, map[string]string{record: string(b), "diffs/lib.patch": "d",
				"artifacts/patches/o__lib.patch": "d"})
			got, err := known().folder(dir)
			if err != nil {
				continue
			}
			for _, p := range got {
				if err := known().check(&p); err != nil || p.Patches["o/lib"] != "d" && len(p.Patches) > 0 {
					t.Errorf("%+v %v", p, err)
				}
			}
		}
	})
}
