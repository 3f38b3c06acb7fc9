package bench

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/clitest"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

// figures reads what a bench printed, by figure and format.
func figures(t *testing.T, out *bytes.Buffer) map[string]map[string]any {
	t.Helper()
	of := map[string]map[string]any{}
	for dec := json.NewDecoder(out); dec.More(); {
		var f map[string]any
		if err := dec.Decode(&f); err != nil {
			t.Fatal(err)
		}
		name, _ := f["figure"].(string)
		if format, ok := f["format"].(string); ok {
			name += " " + format
		}
		of[name] = f
	}
	return of
}

func TestBenchValidate(t *testing.T) {
	image := clitest.DockerImage(t)
	testscope.Programs(t, "docker")
	before := benchImages(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var out bytes.Buffer
	a := &env.Env{In: strings.NewReader(""), Out: &out, Err: &bytes.Buffer{}, Quiet: true}
	defer a.Close()
	c := newValidateCommand(a)
	c.SetArgs([]string{"--image", image, "--rounds", "1", "--seconds", "0.05", "--tasks", "2", "--reports", "500"})
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	of := figures(t, &out)
	for figure, keys := range map[string][]string{
		"one run of a target's tests":                 {"seconds", "docker_seconds", "overhead_seconds", "overhead_ratio"},
		"two workers against one, tests that sleep":   {"ratio", "docker_ratio"},
		"two workers against one, tests that compute": {"ratio", "docker_ratio"},
		"reports read gotest":                         {"mb_per_second", "beside_mb_per_second"},
		"reports read junit":                          {"mb_per_second", "ratio"},
	} {
		for _, key := range keys {
			if n, ok := of[figure][key].(float64); !ok || n <= 0 && !strings.HasPrefix(key, "overhead") {
				t.Errorf("%s: %s is %v", figure, key, of[figure][key])
			}
		}
	}
	// The tasks agree in their manifests: the second builds nothing.
	images := of["images found rather than built"]
	if images["first_built"] != 1.0 || images["second_built"] != 0.0 || images["second_hit_rate"] != 1.0 {
		t.Errorf("images: %v", images)
	}
	if left, _ := filepath.Glob(tmp + "/*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, id := range benchImages(t) {
		if !slices.Contains(before, id) {
			t.Errorf("an image is left behind: %s", id)
		}
	}
}

// benchImages are the engine's images of the bench's repository. One that was killed
// earlier may have left some.
func benchImages(t *testing.T) []string {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "docker", "image", "ls", "-q", "--filter", "label=wideswe.repository="+
		repositoryName).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(list))
}

func TestBenchEvaluate(t *testing.T) {
	image := clitest.DockerImage(t)
	testscope.Programs(t, "docker")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var out bytes.Buffer
	a := &env.Env{In: strings.NewReader(""), Out: &out, Err: &bytes.Buffer{}, Quiet: true}
	defer a.Close()
	c := newEvaluateCommand(a)
	c.SetArgs([]string{"--image", image, "--rounds", "1", "--seconds", "0.05", "--tasks", "2"})
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	of := figures(t, &out)
	for figure, runs := range map[string]float64{"the same evaluation again": 0,
		"the same predictions in another folder": 0, "one prediction more": 1} {
		if n, ok := of[figure]["runs"].(float64); !ok || n != runs {
			t.Errorf("%s: %v", figure, of[figure])
		}
	}
	if n, ok := of["one target of an evaluation"]["docker_seconds"].(float64); !ok || n <= 0 {
		t.Errorf("%v", of["one target of an evaluation"])
	}
	if left, _ := filepath.Glob(tmp + "/*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
