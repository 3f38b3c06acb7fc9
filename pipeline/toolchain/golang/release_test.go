package golang

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

func TestGoRelease(t *testing.T) {
	ci := func(v string) string { return "go-version: '" + v + "'\n" }
	for _, c := range []struct {
		name    string
		tree    kit.Map
		release string
		because string
	}{
		{"the distribution's own", kit.Map{"go.mod": "module m\n\ngo 1.24.4\n"}, "local", "new enough"},
		{"a toolchain line is a wish", kit.Map{"go.mod": "module m\n\ngo 1.24\n\ntoolchain go1.26.1\n"}, "local",
			"new enough"},
		{"one patch newer", kit.Map{"go.mod": "module m\n\ngo 1.24.5\n"}, "go1.24.5", "(go line)"},
		{"a version without a patch", kit.Map{"go.mod": "module m\n\ngo 1.25\n"}, "go1.25.0", "(go line)"},
		{"a candidate for a release", kit.Map{"go.mod": "module m\n\ngo 1.25rc1\n"}, "go1.25rc1", "(go line)"},
		{"the toolchain line where one has to be fetched", kit.Map{"go.mod": "module m\n\ngo 1.25\n\ntoolchain go1.25.3\n"},
			"go1.25.3", "(toolchain line)"},
		{"a toolchain that nobody gives out", kit.Map{"go.mod": "module m\n\ngo 1.25\n\ntoolchain go1.25.3-acme\n"},
			"go1.25.0", "(go line)"},
		{"the newest of several modules without a root", kit.Map{"lib/go.mod": "module m\n\ngo 1.22\n",
			"tools/go.mod": "module m/tools\n\ngo 1.25.2\n"}, "go1.25.2", "(go line)"},
		{"CI where no go line is", kit.Map{"go.mod": "module m\n", ".github/workflows/t.yml": ci("1.9") + ci("1.25")},
			"go1.25.0", "(.github/workflows/t.yml)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := Toolchain{}.Detect(c.tree)
			why := strings.Join(r.Why, "\n")
			if r.Image != kit.DistroImage || r.Packages[2] != "golang-1.24" || r.Env["GOTOOLCHAIN"] != c.release ||
				!strings.Contains(why, c.because) {
				t.Errorf("image %s, packages %q, GOTOOLCHAIN=%s, want %s\n%s", r.Image, r.Packages, r.Env["GOTOOLCHAIN"], c.release,
					why)
			}
		})
	}
}

// TestGoReleaseLines runs the lines with a go command that notes how it is asked.
func TestGoReleaseLines(t *testing.T) {
	recipe := func(release string) schema.Recipe {
		return schema.Recipe{Packages: []string{"git"}, Env: map[string]string{"GOTOOLCHAIN": release}}
	}
	for _, c := range []struct {
		name, have string
		recipe     schema.Recipe
		want       string
	}{
		{"an older go fetches it", "go1.24.4", recipe("go1.25.0"), "fetched local"},
		{"versions are no text", "go1.9.7", recipe("go1.25.0"), "fetched local"},
		{"the same stays", "go1.25.0", recipe("go1.25.0"), "own local"},
		{"a newer one of the image stays", "go1.26.1", recipe("go1.25.0"), "own local"},
		{"local stays local", "go1.24.4", recipe("local"), "own local"},
		{"a person's word is no release", "go1.24.4", recipe("auto"), "own auto"},
		{"what can't be fetched ends the phase", "go1.24.4", recipe("go1.99.0"), "go: no such release"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			root := filepath.Join(dir, "release")
			own := "#!/bin/sh\ncase \"$GOTOOLCHAIN $*\" in\n'local env GOVERSION') echo " + c.have + ";;\n" +
				"'go1.25.0 env GOROOT') echo '" + root + "';;\n'go1.99.0 env GOROOT') echo go: no such release >&2; exit 1;;\n*) " +
				"echo own $GOTOOLCHAIN;;\nesac\n"
			for name, script := range map[string]string{"bin/go": own,
				"release/bin/go": "#!/bin/sh\necho fetched $GOTOOLCHAIN\n"} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-e", "-c", strings.Join(append(releaseLines(c.recipe),
				"go version"), "\n"))
			cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "GOTOOLCHAIN="+
				c.recipe.Env["GOTOOLCHAIN"])
			out, _ := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
