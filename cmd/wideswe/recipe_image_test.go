package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/clitest"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

// A recipe names an image that Docker does not have and can't pull: what is missing is
// said, with what to do, and the exit code is the one for what a person has to bring.
func TestRecipeWhoseImageIsMissing(t *testing.T) {
	testscope.NotShort(t, "it runs the whole program")
	clitest.DockerImage(t)
	dir := filepath.Join(t.TempDir(), "d")
	demo := func(args ...string) (int, string, string) {
		return words(t, append([]string{"-C", dir, "-q"}, args...)...)
	}
	if code, o, e := words(t, "init", dir, "--ecosystem", "lanternworks=lanternworks"); code != exit.Done {
		t.Fatalf("%d %s %s", code, o, e)
	}
	config := filepath.Join(dir, "wideswe.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, l := range lines {
		for _, key := range []string{"  api_url: ", "  url_template: "} {
			if strings.HasPrefix(l, key) {
				lines[i] = key + "demo"
			}
		}
	}
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	// Nothing answers there: the pull ends at once.
	const image = "127.0.0.1:1/acme/own:1"
	if err := os.WriteFile(filepath.Join(dir, "recipes", "lanternworks__wick.yaml"), []byte("image: "+image+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"rank", "crawl"} {
		if code, o, e := demo(stage); code != exit.Done {
			t.Fatalf("%s: %d %s %s", stage, code, o, e)
		}
	}
	for _, what := range []string{"lanternworks/wick#7", "lanternworks/wick"} {
		code, _, e := demo("recipe", "test", what, "--sandbox", "docker")
		if code != exit.Missing {
			t.Errorf("%s: exit %d", what, code)
		}
		for _, want := range []string{"Docker has no image " + image, "pull it, or build one with scripts/base-image",
			"images in wideswe.yaml", "lanternworks/wick"} {
			if !strings.Contains(e, want) {
				t.Errorf("%s: no %q in %s", what, want, e)
			}
		}
	}
}
