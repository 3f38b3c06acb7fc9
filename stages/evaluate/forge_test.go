package evaluate

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// forger is a library that, loaded into a test program, reads what the runner laid in
// beside the tests and writes the report that an honest run would have.
const forger = `package lib

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func say(format string, args ...any) { os.Stdout.WriteString(fmt.Sprintf("\x16"+format+"\n", args...)) }

func init() {
	var laid string
	files, _ := filepath.Glob(filepath.Join(os.Getenv("WIDESWE_TMP"), "canary", "*.go"))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		laid += string(b)
	}
	for _, a := range os.Args {
		p, ok := strings.CutPrefix(a, "-test.run=")
		if !ok {
			continue
		}
		for _, name := range strings.FieldsFunc(p, func(r rune) bool { return strings.ContainsRune("^()|$", r) }) {
			end := "PASS"
			if _, body, ok := strings.Cut(laid, "func "+name+"("); ok && strings.Contains(strings.SplitN(body, "\n", 2)[0], "Skip()") {
				end = "SKIP"
			}
			say("=== RUN   %s", name)
			say("--- %s: %s (0.00s)", end, name)
		}
		say("PASS")
		os.Exit(0)
	}
}

func Add(a, b int) int { return 0 }
`

// waits is a library that waits until the runner's first tests are through, and writes
// the rest of the report in the middle of a test: the runner's last tests are missing.
const waits = `package lib

import (
	"os"
	"syscall"
)

func Add(a, b int) int {
	for _, l := range []string{"--- PASS: TestZero (0.00s)", "=== RUN   TestAdd", "--- PASS: TestAdd (0.00s)", "PASS"} {
		os.Stdout.WriteString("\x16" + l + "\n")
	}
	syscall.Exit(0)
	return 0
}
`

// TestWhatCodeInTheTestProcessCanStillForge shows the limit that README names: code
// that runs inside the test program has all that the program has. Where this fails the
// limit is gone, and the sentence in README with it.
func TestWhatCodeInTheTestProcessCanStillForge(t *testing.T) {
	testscope.NotShort(t, "it runs go test")
	rel := makeRelease(t)
	for text, want := range map[string]string{forger: schema.StatusResolved, waits: schema.StatusInconsistent} {
		r := newRig(t, rel, schema.Prediction{Patches: patches("o/lib", diff("lib.go", libGo, text))})
		if _, err := r.run(t); err != nil {
			t.Fatal(err)
		}
		if got := r.report(t).Tasks["t1"].Targets["o/lib"]; got.Status != want {
			t.Errorf("%+v, want %s of\n%s", got, want, text)
		}
	}
}

// TestABuildStepThatRewritesHiddenTests: a step of the recipe that runs the repository's
// own sources before the tests runs the patch's, but what it makes of them is seen.
func TestABuildStepThatRewritesHiddenTests(t *testing.T) {
	testscope.NotShort(t, "it runs go test")
	rel := makeReleaseWith(t, "", func(r *schema.Recipe, _ *schema.TestsFile) {
		r.Build = []string{"if [ -e generate.sh ]; then sh generate.sh; fi"}
	})
	r := newRig(t, rel, schema.Prediction{Patches: patches("o/lib",
		diff("generate.sh", "", "sed -i 's/if Add.*{/if false {/' lib_test.go\n"))})
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	if got := r.report(t).Tasks["t1"].Targets["o/lib"]; got.Status != schema.StatusInconsistent {
		t.Errorf("%+v", got)
	}
}
