package predictions

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// reading reads a text of predictions of model m.
func reading(t *testing.T, text string) ([]schema.Prediction, error) {
	t.Helper()
	c := newCollector(makeRelease(t))
	c.options.Model = "m"
	return c.read("p", strings.NewReader(text))
}

func TestForeignShapesAsTheirToolsWriteThem(t *testing.T) {
	for name, text := range map[string]string{
		"a number as text":            `{"org": "o", "repo": "lib", "number": "11", "fix_patch": "d"}`,
		"a second pull of the target": `{"org": "O", "repo": "Lib", "number": 11, "fix_patch": "d"}` + "\n\n",
		"SWE-bench's id":              `{"instance_id": "o__lib-11", "model_name_or_path": "m", "model_patch": "d"}`,
		"in lower case":               `[{"instance_id": "t1__O__LIB", "patch": "d"}]`,
		"Multi-SWE-bench's id":        `{"o/lib:pr-11": {"model_patch": "d"}}`,
		"Pro's model_patch":           `[{"instance_id": "t1__o__lib", "model_patch": "d", "prefix": "run-7"}]`,
		"OpenHands with a history": `{"instance_id": "t1__o__lib", "attempt": 3, "instruction": "…", "error": null, ` +
			`"metadata": {"llm_config": {"model": "gpt"}}, "history": ["\udce9"], "test_result": {"git_patch": "d"}}`,
		"OpenHands, begun by an object": `{"metadata": {"llm": {"model": "gpt"}}, "instance_id": "t1__o__lib", ` +
			`"test_result": {"git_patch": "d"}}`,
	} {
		got, err := reading(t, text)
		want := []schema.Prediction{{Task: "t1", Model: "m", Mode: schema.Joint, Attempt: 1,
			Patches: patches("o/lib", "d")}}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
	for _, text := range []string{`{"instance_id": "t1", "test_result": {"git_patch": null}}`,
		`{"instance_id": "t1", "test_result": {}, "error": "stuck in a loop"}`} {
		if got, err := reading(t, text); err != nil || len(got) != 1 || !ChangesNothing(got[0]) {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
}

func TestForeignShapesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"org": "o", "repo": "lib", "fix_patch": "d"}`: "line 1: no number: the nearest shape is " +
			"multi-swe-bench",
		`{"org": "o", "repo": "lib", "number": 99, "fix_patch": "d"}`: "unknown pull o/lib#99: the release has #11, #13, #21",
		`{"org": "o", "repo": "else", "number": 1, "fix_patch": "d"}`: "has none of that repository",
		`{"org": "o", "repo": "lib", "number": 13, "fix_patch": "d"}`: "o/lib#13 is a pull of t1 and of t2; " +
			"name the one by instance_id, as t1__o__lib",
		`{"org": "o", "repo": "lib", "number": {}, "fix_patch": "d"}`:               "it must be a pull's number",
		`{"org": "", "repo": "lib", "number": 1, "fix_patch": "d"}`:                 "org or repo is empty",
		`{"org":"o","repo":"lib","number":11,"fix_patch":"d","test_patch":"t"}`:     "an instance of a data set",
		`[{"instance_id": "t1", "patch": "d", "test_patch": "t", "repo": "o/lib"}]`: "an instance of a data set",
		`{"instance_id": "t1", "test_result": {"patch": "d"}}`:                      "no test_result.git_patch",
		`{"instance_id": "t1", "git_patch": "d", "error": null}`:                    "no test_result: the nearest shape",
		`[{"instance_id": "t1", "prefix": "m", "patch": "d", "model_patch": "d"}]`:  "both patch and model_patch",
		`{"answer": 42}`:             "no prediction of any known shape; wideswe predictions --help",
		`{"t1": {"model_patch": 5}}`: "model_patch is a number; it must be a string",
	} {
		_, err := reading(t, text)
		var usage *pipeline.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
	_, err := Read(makeRelease(t), "p", strings.NewReader(`{"t1": {"model_patch": ""}}`))
	if err == nil || !strings.Contains(err.Error(), "give the model by --model") {
		t.Error(err)
	}
}
