package predictions

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/evaluatetest"
)

// The small release that these tests read predictions of; see evaluatetest.
var (
	diff        = evaluatetest.Diff
	patches     = evaluatetest.Patches
	makeRelease = evaluatetest.Release
	writeTree   = evaluatetest.WriteTree
	goldLib     = evaluatetest.GoldLib
	goldTool    = evaluatetest.GoldTool
)

// odd is a patch that transport likes to change: CRLF, bytes that are no UTF-8, a
// space at the end, no newline at the end.
const odd = "--- a/notes.txt\r\n+++ b/notes.txt\r\n@@ -1,2 +1 @@\r\n-caf\xe9 \r\n+x\r\n "

// prefixed writes a diff as one over the whole workspace.
func prefixed(repository, diff string) string {
	out := diff
	for _, p := range []string{"diff --git a/", "--- a/", "+++ b/", "rename from ", "rename to "} {
		out = strings.ReplaceAll(out, "\n"+p, "\n"+p+repository+"/")
		if strings.HasPrefix(out, p) {
			out = p + repository + "/" + out[len(p):]
		}
	}
	var lines []string
	for _, l := range strings.SplitAfter(out, "\n") {
		if strings.HasPrefix(l, "diff --git ") {
			l = strings.Replace(l, " b/", " b/"+repository+"/", 1)
		}
		lines = append(lines, l)
	}
	return strings.Join(lines, "")
}

func line(t *testing.T, kv map[string]any) string {
	t.Helper()
	b, err := json.Marshal(kv)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func TestPredictionsInEveryShape(t *testing.T) {
	rel := makeRelease(t)
	both := goldLib + goldTool
	joint := func(p map[string]string) []schema.Prediction {
		return []schema.Prediction{{Task: "t1", Model: "m", Mode: schema.Joint, Attempt: 1, Patches: p}}
	}
	row := func(kv ...any) map[string]any {
		m := map[string]any{"instance_id": "t1", "model_name_or_path": "m"}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	b64 := base64.StdEncoding.EncodeToString([]byte(odd))
	tests := map[string]struct {
		text string
		want []schema.Prediction
	}{
		"bytes": {line(t, map[string]any{"task_id": "t1", "model_name_or_path": "m",
			"patches": map[string]string{"o/lib": goldLib}, "patch_b64": map[string]string{"o/notes": b64}}),
			joint(patches("o/lib", goldLib, "o/notes", odd))},
		"bytes alone": {line(t,
			map[string]any{"task_id": "t1", "model_name_or_path": "m", "patch_b64": map[string]string{"o/notes": b64}}),
			joint(patches("o/notes", odd))},
		"a row a target": {line(t, row("repo", "o/lib", "model_patch", goldLib)) +
			line(t, row("instance_id", "t1__o__tool", "model_patch", goldTool, "cost", 1.5)),
			joint(patches("o/lib", goldLib, "o/tool", goldTool))},
		"a row's bytes": {line(t, row("repo", "o/notes", "patch_b64", b64)), joint(patches("o/notes", odd))},
		"independent rows": {line(t, row("repo", "o/lib", "mode", "independent", "model_patch", goldLib)) +
			line(t, row("target", "o/tool", "mode", "independent", "model_patch", "")),
			[]schema.Prediction{{Task: "t1", Model: "m", Mode: schema.Independent, Target: "o/lib", Attempt: 1,
				Patches: patches("o/lib", goldLib)},
				{Task: "t1", Model: "m", Mode: schema.Independent, Target: "o/tool", Attempt: 1,
					Patches: patches("o/tool", "")}}},
		"one diff of all": {line(t,
			row("model_patch", prefixed("o/lib", goldLib)+prefixed("o/tool", goldTool))),
			joint(patches("o/lib", goldLib, "o/tool", goldTool))},
		"nothing": {line(t, row("model_patch", nil)), joint(patches())},
		"text that is no diff, from a model": {line(t, row("model_patch", "I could not do it")),
			joint(patches("o/lib", "I could not do it"))},
		"an array": {"[\n" + line(t, row("repo", "o/lib", "model_patch", goldLib)) + ",\n" +
			line(t, row("repo", "o/tool", "model_patch", goldTool)) + "]",
			joint(patches("o/lib", goldLib, "o/tool", goldTool))},
		"native array": {"[" + line(t,
			map[string]any{"task_id": "t1", "model_name_or_path": "m", "patches": map[string]string{"o/lib": both}}) +
			"]", joint(patches("o/lib", both))},
		"an object by id": {`{"t1": {"model_name_or_path": "m", "instance_id": "t1", "model_patch": ""}, ` +
			`"t2": {"model_name_or_path": "m", "model_patch": ""}}`,
			append(joint(patches()),
				schema.Prediction{Task: "t2", Model: "m", Mode: schema.Joint, Attempt: 1, Patches: patches()})},
		"a pair of escapes": {`{"task_id":"t1","model_name_or_path":"m","patches":{"o/lib":"\ud83d\ude00 \\ud83d \\\\"}}`,
			joint(patches("o/lib", "😀 \\ud83d \\\\"))},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for how, text := range map[string]string{"plain": tc.text, "gzip": zipped(t, tc.text)} {
				got, err := Read(rel, "p", strings.NewReader(text))
				if d := cmp.Diff(tc.want, got); d != "" || err != nil {
					t.Errorf("%s: %v\n%s", how, err, d)
				}
			}
			var again bytes.Buffer
			if err := Write(&again, tc.want); err != nil {
				t.Fatal(err)
			}
			if got, err := Read(rel, "p", &again); err != nil || cmp.Diff(tc.want, got) != "" {
				t.Errorf("written and read again: %v\n%s", err, cmp.Diff(tc.want, got))
			}
		})
	}
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return z.String()
}

func TestPredictionsThatAreRefused(t *testing.T) {
	rel := makeRelease(t)
	lib := `{"instance_id":"t1","model_name_or_path":"m","repo":"o/lib","model_patch":"d"}`
	whole := `{"instance_id":"t1","model_name_or_path":"m","model_patch":""}`
	tests := map[string]struct{ text, want string }{
		"both forms on a line": {`{"task_id":"t1","model_name_or_path":"m","patches":{},"model_patch":""}`,
			"line 1: both forms at once: model_patch is SWE-bench's, task_id is of a native line"},
		"a whole and a part": {whole + "\n" + lib,
			"line 2: both forms at once: line 1 holds the whole prediction of t1"},
		"a part and a whole": {lib + "\n" + whole, "line 2: repeats line 1"},
		"a part and a native line": {lib + "\n" + `{"task_id":"t1","model_name_or_path":"m","patches":{}}`,
			"line 2: repeats line 1"},
		"a target twice":     {lib + "\n\n" + lib, "line 3: repeats line 1: t1 has a patch of m for o/lib already"},
		"unknown task":       {strings.Replace(lib, "t1", "t9", 1), `line 1: unknown task "t9"`},
		"unknown repository": {strings.Replace(lib, "o/lib", "o/x", 1), `line 1: unknown repository "o/x"`},
		"unknown in the id": {`{"instance_id":"t1__o__x","model_name_or_path":"m","model_patch":""}`,
			`line 1: unknown repository "o__x" of task t1`},
		"two repositories": {`{"instance_id":"t1__o__lib","repo":"o/tool","model_name_or_path":"m","model_patch":""}`,
			"line 1: its id names o/lib, and it says o/tool"},
		"no patch": {`{"instance_id":"t1","model_name_or_path":"m"}`, "no model_patch"},
		"path of no repository": {line(t,
			map[string]any{"instance_id": "t1", "model_name_or_path": "m", "model_patch": goldLib}),
			`line 1: unknown repository: the path "lib.go" of the diff begins with none of o/lib/, o/notes/, o/tool/`},
		"moved out of a repository": {line(t, map[string]any{"instance_id": "t1", "model_name_or_path": "m",
			"model_patch": "diff --git a/o/lib/x b/o/tool/x\nsimilarity index 100%\nrename from o/lib/x\nrename to " +
				"o/tool/x\n"}), `line 1: the diff moves "o/lib/x" into another repository`},
		"second of an array": {"[\n" + lib + ",\n" + strings.Replace(lib, "t1", "t9", 1) + "]",
			`entry 2 (line 3): unknown task "t9"`},
		"array cut short":      {"[" + lib, "line 1: it ends too early"},
		"more after the array": {"[" + lib + "]\n{}", "line 2: something stands after the end"},
		"another name": {`{"t2": {"model_name_or_path": "m", "instance_id": "t1", "model_patch": ""}}`,
			`entry 1 (line 1): it stands under "t2"`},
		"a native line by name": {`{"t1": {"model_name_or_path": "m", "task_id": "t1", "patches": {}}}`,
			"a native line stands alone"},
		"a name twice": {`{"t1": {"model_name_or_path": "m", "model_patch": ""}, ` +
			`"t1": {"model_name_or_path": "m", "model_patch": ""}}`, "entry 2 (line 1): repeats entry 1"},
		"other bytes": {"{\"task_id\":\"t1\",\"model_name_or_path\":\"m\",\"patches\":{\"o/lib\":\"caf\xe9\"}}",
			"line 1: not UTF-8; write a patch of other bytes in base64"},
		"half a character": {`{"task_id":"t1","model_name_or_path":"m","patches":{"o/lib":"caf\udce9"}}`,
			`line 1: the escape \udce9 is half a character`},
		"the first half": {`{"task_id":"t1","model_name_or_path":"m","patches":{"o/lib":"\ud83dx"}}`,
			`the escape \ud83d is half`},
		"patch twice": {`{"task_id":"t1","model_name_or_path":"m","patches":{"o/lib":""},"patch_b64":{"o/lib":""}}`,
			`"o/lib" is in both patches and patch_b64`},
		"not base64": {`{"task_id":"t1","model_name_or_path":"m","patch_b64":{"o/lib":"%"}}`,
			`patch_b64 of "o/lib" is not base64`},
		"gzip cut short": {"\x1f\x8b\x08", "is not whole"},
		"gzip cut later": {zipped(t, whole)[:60],
			"p.jsonl is not whole: what gzip packed ends too early; copy it again"},
		"UTF-16":        {"\xff\xfe{\x00", "p.jsonl is UTF-16; write it as UTF-8"},
		"a task nearly": {`{"task_id":"t11","model_name_or_path":"m","patches":{}}`, `(did you mean "t1"?)`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Read(rel, "p.jsonl", strings.NewReader(tc.text))
			var usage *pipeline.UsageError
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestPredictionsOfAFolder(t *testing.T) {
	rel := makeRelease(t)
	dir := writeTree(t, map[string]string{"t1/o__lib.patch": goldLib, "t1/o__notes.patch": odd, "t1/.note": "x",
		"t2/.keep": "", ".git/x": ""})
	got, err := Load(rel, dir, Options{Model: "mine"})
	want := []schema.Prediction{{Task: "t1", Model: "mine", Mode: schema.Joint, Attempt: 1,
		Patches: patches("o/lib", goldLib, "o/notes", odd)},
		{Task: "t2", Model: "mine", Mode: schema.Joint, Attempt: 1, Patches: patches()}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	if got, err = Load(rel, dir, Options{}); err != nil || got[0].Model != filepath.Base(dir) {
		t.Errorf("%v %v", got, err)
	}
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"unknown task": {map[string]string{"t9/o__lib.patch": ""}, `t9: unknown task "t9"`},
		"unknown repository": {map[string]string{"t1/o__x.patch": ""},
			"t1/o__x.patch: unknown repository: it is none of o__lib.patch"},
		"a file": {map[string]string{"readme": ""},
			"readme: a folder of predictions holds TASK/OWNER__NAME.patch"},
		"nothing":   {nil, "holds no prediction"},
		"a release": {map[string]string{"release.json": ""}, "is a release; --predictions takes"},
		"a workspace": {map[string]string{"workspace.json": "", "o/lib/x": ""},
			"is a workspace; write what git diff says"},
		"an agent's runs": {map[string]string{"predictions.jsonl": "", "runs/x": ""}, "predictions.jsonl"},
		"an evaluation":   {map[string]string{"evaluation.duckdb": ""}, "is an evaluation"},
		"mini-swe-agent":  {map[string]string{"preds.json": "{}", "t1/t1.traj.json": ""}, "preds.json"},
		"a folder":        {map[string]string{"t1/o__lib.patch/x": ""}, "o__lib.patch: no regular file"},
	} {
		dir := writeTree(t, tc.files)
		var usage *pipeline.UsageError
		if _, err := Load(rel, dir, Options{}); !errors.As(err, &usage) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tc.want)
		}
	}
	link := writeTree(t, map[string]string{"t1/.x": ""})
	if err := os.Symlink("/etc/hostname", filepath.Join(link, "t1", "o__lib.patch")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(rel, link, Options{}); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a link: %v", err)
	}
}

// TestEveryByteDecidesTheKey: two patches that differ in bytes JSON can't hold are two.
func TestEveryByteDecidesTheKey(t *testing.T) {
	one := []schema.Prediction{{Task: "t1", Patches: patches("o/lib", "\xe9")}}
	two := []schema.Prediction{{Task: "t1", Patches: patches("o/lib", "\xea")}}
	if Digest(one) == Digest(two) {
		t.Error("one key for two patches")
	}
	if one[0].Patches["o/lib"] != "\xe9" {
		t.Error("the key changed the prediction")
	}
}

func TestUnpackingIsBounded(t *testing.T) {
	r := &bounded{strings.NewReader("12345"), 4}
	if b, err := io.ReadAll(r); err == nil || len(b) > 4 {
		t.Errorf("%q %v", b, err)
	}
	if b, err := io.ReadAll(&bounded{strings.NewReader("1234"), 4}); err != nil || string(b) != "1234" {
		t.Errorf("%q %v", b, err)
	}
}

// known is a collector that knows one task, without a release on disk.
func known() *collector {
	task := &release.Task{TaskFile: schema.TaskFile{Task: "t1",
		Targets: []schema.TaskTarget{{Repository: "o/lib", Pulls: []int{11}}, {Repository: "o/tool"}}}}
	for _, r := range []string{"o/lib", "o/notes", "o/tool"} {
		task.Workspace.Repositories = append(task.Workspace.Repositories, schema.WorkspaceRepository{Repository: r})
	}
	c := newCollector(&release.Release{Release: schema.Release{Tasks: []schema.ReleaseTask{{ID: "t1"}}}})
	c.tasks["t1"] = task
	return c
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"task_id":"t1","model_name_or_path":"m","patches":{"o/lib":"d"}}`,
		`[{"instance_id":"t1","model_name_or_path":"m","model_patch":""}]`,
		`{"t1":{"model_name_or_path":"m","model_patch":"x"}}`,
		`{"instance_id":"t1","repo":"o/lib","model_name_or_path":"m","patch_b64":"6Q=="}`, "[[[", "{\"", "\x1f\x8b",
		`{"org":"o","repo":"lib","number":"11","fix_patch":"d"}`, `{"t1__o__lib":{"model_patch":"d"}}`,
		`[{"instance_id":"o__lib-11","patch":"d","prefix":"p"}]`, `[{"instance_id":"o/lib:pr-11","patch":"d"}]`,
		`{"instance_id":"t1","test_result":{"git_patch":null},"metadata":{"llm":{"model":"m"}},"history":[1]}`,
		`{"instance_id":"t1","mode":"independent","target":"o/tool","model_name_or_path":"m","model_patch":""}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := known().read("p", bytes.NewReader(b))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, got); err != nil {
			t.Fatal(err)
		}
		if second, err := known().read("p", &again); err != nil || cmp.Diff(got, second) != "" {
			t.Errorf("%v\n%s", err, cmp.Diff(got, second))
		}
		asRows(t, got)
	})
}

// asRows converts predictions to SWE-bench's rows and back: all but how they were made
// and blank patches is kept.
func asRows(t *testing.T, list []schema.Prediction) {
	t.Helper()
	parts, err := known().parts(list, sweBenchShape())
	if err != nil {
		t.Fatal(err)
	}
	var rows bytes.Buffer
	if err := writeSWEBench(&rows, parts); err != nil {
		t.Fatal(err)
	}
	got, err := known().read("p", &rows)
	for _, l := range [][]schema.Prediction{list, got} {
		for i := range l {
			l[i].Run = nil
			maps.DeleteFunc(l[i].Patches, func(_, d string) bool { return d == "" })
		}
	}
	if d := cmp.Diff(list, got); d != "" || err != nil {
		t.Errorf("as rows: %v\n%s", err, d)
	}
}

func TestSplitWorkspace(t *testing.T) {
	for name, tc := range map[string]struct{ whole, lib string }{
		"a rename": {"diff --git a/o/lib/x b/o/lib/y\nsimilarity index 100%\nrename from o/lib/x\nrename to o/lib/y\n",
			"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"},
		"quoted": {"diff --git \"a/o/lib/caf\\303\\251\" \"b/o/lib/caf\\303\\251\"\nold mode 100644\nnew mode 100755\n",
			"diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"\nold mode 100644\nnew mode 100755\n"},
		"spaces": {"diff --git a/o/lib/a b/o/lib/a b/o/lib/a b/o/lib/a\nold mode 100644\nnew mode 100755\n",
			"diff --git a/a b/o/lib/a b/a b/o/lib/a\nold mode 100644\nnew mode 100755\n"},
		"a hunk like a header": {"diff --git a/o/lib/x b/o/lib/x\n--- a/o/lib/x\n+++ b/o/lib/x\n@@ -1 +1 @@\n--- " +
			"a/o/lib/x\n+++ b/o/lib/x\n",
			"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- a/o/lib/x\n+++ b/o/lib/x\n"},
		"lines that end in CR, and none at the end": {"--- a/o/lib/x\r\n+++ b/o/lib/x\r\n@@ -1 +1 " +
			"@@\r\n-a\r\n+b\r\n\\ No newline at end of file",
			"--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n\\ No newline at end of file"},
	} {
		got, err := splitWorkspace(known().tasks["t1"], tc.whole)
		if d := cmp.Diff(patches("o/lib", tc.lib), got); d != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
}

// FuzzSplitWorkspace: what is taken apart names the same files as the whole did.
func FuzzSplitWorkspace(f *testing.F) {
	task := known().tasks["t1"]
	for _, s := range []string{prefixed("o/lib", goldLib),
		"diff --git a/o/lib/a b b/o/lib/a b\nold mode 100644\nnew mode 100755\n",
		"diff --git \"a/o/lib/caf\\303\\251\" \"b/o/lib/caf\\303\\251\"\nnew file mode 100644\n--- /dev/null\n+++ " +
			"\"b/o/lib/caf\\303\\251\"\n@@ -0,0 +1 @@\n+x\n",
		"diff --git a/o/lib/o/lib/a b/o/lib/a b/o/lib/o/lib/a b/o/lib/a\nold mode 100644\nnew mode 100755\n",
		"diff --git a/o/lib/x b/o/lib/y\nsimilarity index 100%\nrename from o/lib/x\nrename to \"o/lib/y\"\n",
		"--- a/o/lib/x\n+++ b/o/lib/x\n@@ -1 +1 @@\n---- a/o/lib/x\n++++ b/o/lib/x\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		whole, err := patch.Parse([]byte(s))
		out, bad := splitWorkspace(task, s)
		if err != nil || bad != nil || out["o/lib"] == s {
			return
		}
		want, got := map[string][]string{}, map[string][]string{}
		for _, f := range whole {
			r := strings.Join(strings.SplitN(f.Path(), "/", 3)[:2], "/")
			want[r] = append(want[r], f.OldPath, f.NewPath)
		}
		for r, p := range out {
			parts, err := patch.Parse([]byte(p))
			if err != nil {
				t.Fatalf("%s of %q: %v", r, s, err)
			}
			for _, f := range parts {
				for _, name := range []string{f.OldPath, f.NewPath} {
					if name != "" {
						name = r + "/" + name
					}
					got[r] = append(got[r], name)
				}
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", s, d)
		}
	})
}

// TestAFloodIsReadLikeAnyOther: how large a patch may be is its application's to say.
func TestAFloodIsReadLikeAnyOther(t *testing.T) {
	c := newCollector(makeRelease(t))
	for task, text := range map[string]string{"t1": strings.Repeat("x", patch.MaxBytes+1), "t2": goldLib} {
		p := schema.Prediction{Task: task, Model: "m", Mode: schema.Joint, Attempt: 1, Patches: patches("o/lib", text)}
		if err := c.add(p, task); err != nil {
			t.Fatal(err)
		}
	}
}
