package predictions

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// converted writes predictions in a shape and reads them again.
func converted(t *testing.T, rel *release.Release, list []schema.Prediction, s Shape, o Options) []schema.Prediction {
	t.Helper()
	name := filepath.Join(t.TempDir(), "predictions")
	var b bytes.Buffer
	err := error(nil)
	if s.Folder() {
		err = ConvertFolder(name, rel, list, s)
	} else if err = Convert(&b, rel, list, s); err == nil {
		err = os.WriteFile(name, b.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(rel, name, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return got
}

// TestEveryShapeGivesTheSamePredictions: what is read of each shape has the digest, and so
// the verdict's key, of the native lines.
func TestEveryShapeGivesTheSamePredictions(t *testing.T) {
	rel := makeRelease(t)
	prediction := func(task, mode, target string, kv ...string) schema.Prediction {
		return schema.Prediction{Task: task, Model: "some/model", Mode: mode, Target: target, Attempt: 1,
			Patches: patches(kv...)}
	}
	for name, list := range map[string][]schema.Prediction{
		"joint": {prediction("t1", schema.Joint, "", "o/lib", goldLib, "o/tool", goldTool),
			prediction("t2", schema.Joint, "", "o/lib", "I <could> not & did not\n")},
		"independent": {prediction("t1", schema.Independent, "o/lib", "o/lib", goldLib),
			prediction("t1", schema.Independent, "o/tool", "o/tool", ""),
			prediction("t2", schema.Independent, "o/tool", "o/tool", goldTool)},
	} {
		for _, s := range Shapes() {
			t.Run(name+" "+s.Name, func(t *testing.T) {
				got := converted(t, rel, list, s, Options{Model: "some/model", Mode: list[0].Mode})
				if d := cmp.Diff(list, got); d != "" || Digest(list) != Digest(got) {
					t.Error(d)
				}
			})
		}
	}
}

// TestNothingIsNothingInEveryShape: a prediction without patches is read as one that
// changes nothing.
func TestNothingIsNothingInEveryShape(t *testing.T) {
	rel := makeRelease(t)
	list := []schema.Prediction{{Task: "t1", Model: "m", Mode: schema.Joint, Attempt: 1, Patches: patches()}}
	for _, s := range Shapes() {
		got := converted(t, rel, list, s, Options{Model: "m"})
		if len(got) != 1 || got[0].Task != "t1" || !ChangesNothing(got[0]) {
			t.Errorf("%s: %+v", s.Name, got)
		}
	}
}

// TestModelsAreKeptWhereThereIsRoom: without --model, shapes that name it keep it.
func TestModelsAreKeptWhereThereIsRoom(t *testing.T) {
	rel := makeRelease(t)
	list := []schema.Prediction{{Task: "t1", Model: "a/b c", Mode: schema.Joint, Attempt: 1,
		Patches: patches("o/lib", goldLib)}}
	for _, s := range Shapes() {
		if s.room.model || s.Name == "native" {
			if d := cmp.Diff(list, converted(t, rel, list, s, Options{})); d != "" {
				t.Errorf("%s: %s", s.Name, d)
			}
		}
	}
}

func TestConvertRefusesWhatAShapeCantHold(t *testing.T) {
	rel := makeRelease(t)
	of := func(model string, attempt int, kv ...string) schema.Prediction {
		return schema.Prediction{Task: "t1", Model: model, Mode: schema.Joint, Attempt: attempt, Patches: patches(kv...)}
	}
	lib := []string{"o/lib", goldLib}
	alone := of("m", 1, "o/tool", "")
	alone.Mode, alone.Target, alone.Task = schema.Independent, "o/tool", "t2"
	for name, tc := range map[string]struct {
		shape, want string
		list        []schema.Prediction
	}{
		"two models": {"swe-bench-live", "one prediction for an instance, and there are several of t1 (m joint, n joint)",
			[]schema.Prediction{of("m", 1, lib...), of("n", 1, lib...)}},
		"an attempt": {"multi-swe-bench", "convert a file for each model and attempt",
			[]schema.Prediction{of("m", 2, lib...)}},
		"two modes": {"swe-rebench", "names no mode", []schema.Prediction{of("m", 1, lib...), alone}},
		"bytes":     {"openhands", "the patch of o/notes is not UTF-8", []schema.Prediction{of("m", 1, "o/notes", odd)}},
		"context":   {"multi-swe-bench", "o/notes is no target", []schema.Prediction{of("m", 1, "o/notes", "x")}},
	} {
		s, err := ShapeNamed(tc.shape)
		if err == nil {
			err = Convert(&bytes.Buffer{}, rel, tc.list, s)
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tc.want)
		}
	}
	if _, err := ShapeNamed("swebench"); err == nil || !strings.Contains(err.Error(), `did you mean "swe-bench"?`) {
		t.Error(err)
	}
	var b bytes.Buffer
	bytesAndAttempts := []schema.Prediction{of("m", 1, "o/notes", odd), of("m", 2, lib...), of("n", 1, lib...)}
	if err := Convert(&b, rel, bytesAndAttempts, sweBenchShape()); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(rel, "p", &b); err != nil || cmp.Diff(bytesAndAttempts, got) != "" {
		t.Errorf("%v %s", err, cmp.Diff(bytesAndAttempts, got))
	}
}
