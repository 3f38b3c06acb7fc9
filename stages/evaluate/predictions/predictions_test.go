package predictions

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

func TestRead(t *testing.T) {
	rel := makeRelease(t)
	ok := `{"task_id":"t1","model_name_or_path":"m","patches":{"o/lib":"d"}}`
	tests := map[string]struct{ text, want string }{
		"not JSON":     {ok + "\n{", "line 2: not a prediction"},
		"unknown task": {strings.Replace(ok, "t1", "t9", 1), `line 1: unknown task "t9"`},
		"unknown repository": {"\n\n" + strings.Replace(ok, "o/lib", "o/other", 1),
			`line 3: unknown repository "o/other"`},
		"twice":         {ok + "\n" + strings.Replace(ok, "t1", "t2", 1) + "\n" + ok, "line 3: repeats line 1"},
		"unknown field": {strings.Replace(ok, `"patches"`, `"x":1,"patches"`, 1), `unknown field "x"`},
		"no patches":    {`{"task_id":"t1","model_name_or_path":"m"}`, "no patches"},
		"no model":      {`{"task_id":"t1","patches":{}}`, "model_name_or_path"},
		"bad mode":      {strings.Replace(ok, `"patches"`, `"mode":"odd","patches"`, 1), `mode "odd"`},
		"no target": {strings.Replace(ok, `"patches"`, `"mode":"independent","patches"`, 1),
			"names its target"},
		"context as target": {strings.Replace(ok, `"patches"`, `"mode":"independent","target":"o/notes","patches"`, 1),
			"is none of t1"},
		"target of joint": {strings.Replace(ok, `"patches"`, `"target":"o/lib","patches"`, 1),
			"mode independent only"},
		"another repository": {strings.Replace(ok, `"patches"`, `"mode":"independent","target":"o/tool","patches"`, 1),
			`unknown repository "o/lib"`},
		"a key twice": {strings.Replace(ok, `"o/lib":"d"`, `"o/lib":"d","o/tool":"","o/lib":"e"`, 1),
			`"o/lib" is there twice`},
		"a key twice at top": {strings.Replace(ok, `"patches"`,
			`"run":{"limits":{"a":[1,{"b":2}]}},"task_id":"t1","patches"`, 1), `"task_id" is there twice`},
		"two values": {ok + ok, "more than one JSON value"},
		"an array on a line": {ok + "\n[" + ok + "]",
			"line 2: not a prediction: an array; write one prediction a line"},
		"spread over lines": {"{\n" + ok[1:], "line 1: not a prediction: it ends too early; a prediction is one line"},
		"text as attempt": {strings.Replace(ok, `"patches"`, `"attempt":"1","patches"`, 1),
			"attempt is a string; it must be a number"},
		"a list of patches": {strings.Replace(ok, `{"o/lib":"d"}`, `["d"]`, 1),
			"patches is an array; it must be an object"},
		"nothing":     {"\n", "holds no prediction"},
		"bad attempt": {strings.Replace(ok, `"patches"`, `"attempt":-1,"patches"`, 1), "attempt -1"},
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
	same := strings.Replace(ok, `"patches"`, `"run":{"model":"m","limits":{"model":["model",{"model":1}]}},"patches"`,
		1)
	if _, err := Read(rel, "p", strings.NewReader(same)); err != nil {
		t.Errorf("one name in several objects: %v", err)
	}
	if _, err := Read(rel, "p", strings.NewReader("\ufeff"+ok)); err != nil {
		t.Errorf("a byte order mark: %v", err)
	}
	got, err := Read(rel, "p",
		strings.NewReader(ok+"\r\n"+strings.Replace(ok, `"patches"`, `"attempt":2,"patches"`, 1)))
	want := []schema.Prediction{{Task: "t1", Model: "m", Mode: "joint", Attempt: 1, Patches: patches("o/lib", "d")},
		{Task: "t1", Model: "m", Mode: "joint", Attempt: 2, Patches: patches("o/lib", "d")}}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
		t.Error(d, err)
	}
}
