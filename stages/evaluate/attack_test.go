package evaluate

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// cases chooses patches by their names, to work on a few.
var cases = flag.String("cases", "", "run only the patches whose names match this regular expression, on their grounds")

// attack is a patch of testdata/attacks/NAME.txtar, what it must come to, and how it
// would be taken for a solution where nobody looked closely. Its folders: tree/ has
// whole files, link/ what symbolic links hold, exec/ executable files; the file
// "deleted" has a path a line, and "patch" is handed in as it stands. with/tree/ has
// files of the ground's second target.
type attack struct {
	Name   string `yaml:"-"`
	What   string `yaml:"what"`
	Ground string `yaml:"ground"`
	Status string `yaml:"status"`
	Says   string `yaml:"says"` // a part of the reason or of a flag
	// Naive is the careless reader whom it deceives: one of "exit code", "report",
	// "as submitted", or "nobody" with the reason in Why.
	Naive string `yaml:"naive"`
	Why   string `yaml:"why"`
	patch string
	with  string // the patch of the second target
}

// attacks reads the archives of a folder: patches and what they must come to.
func attacks(t *testing.T, folder string, list map[string]*ground) []*attack {
	t.Helper()
	var out []*attack
	read := map[string]*txtar.Archive{}
	archives(t, folder, func(name string, a *txtar.Archive) any {
		read[name] = a
		out = append(out, &attack{Name: name})
		return out[len(out)-1]
	})
	for _, x := range out {
		a, g := read[x.Name], list[x.Ground]
		if g == nil {
			t.Fatalf("%s: no ground %q", x.Name, x.Ground)
		}
		whole := map[string]string{}
		for _, f := range a.Files {
			whole[f.Name] = string(f.Data)
		}
		if x.patch = whole["patch"]; x.patch == "" {
			links := section(a, "link")
			for p := range links {
				links[p] = strings.TrimSuffix(links[p], "\n")
			}
			x.patch = g.patch(t, change{section(a, "tree"), links, section(a, "exec"),
				strings.Fields(whole["deleted"])})
		}
		if g.With != "" {
			x.with = list[g.With].patch(t, change{files: section(a, "with/tree")})
		}
	}
	return out
}

// arena evaluates patches on the grounds' release in Docker. The image of a ground is
// made before, so that one that can't be made here skips that ground alone.
type arena struct {
	*Stage
	db      *store.DB
	all     map[string]*ground
	grounds map[string]*ground // those of the patches that are run
	without map[string]string  // the grounds that have no image here, and why
}

func newArena(t *testing.T) *arena {
	t.Helper()
	backend, _ := dockertest.Open(t)
	db := storetest.Open(t)
	list := chosenGrounds(t)
	env, files := buildInputs(t)
	out := t.TempDir()
	runner := &testrun.Runner{Backend: backend, BuildEnv: env, BuildFiles: files,
		Budget: testrun.MachineBudget(backend), BuildLogs: filepath.Join(out, "images")}
	a := &arena{db: db, all: grounds(t), grounds: list, without: map[string]string{},
		Stage: &Stage{DB: db, Release: groundsRelease(t, list), Out: out, Images: backend, Runner: runner,
			Wait: time.Millisecond}}
	if !testscope.All() {
		a.leaveOut("make test-all runs it", func(g *ground) bool { return slices.Contains(quickToolchains, g.toolchain()) })
	}
	a.gold(t)
	return a
}

// quickToolchains are those whose attacks make test runs: their images are soon made.
var quickToolchains = []string{"go", "python", "shell"}

// leaveOut leaves the grounds out that are not kept.
func (a *arena) leaveOut(why string, keep func(*ground) bool) {
	for name, g := range a.grounds {
		if !keep(g) {
			a.without[name] = why
		}
	}
}

// gold evaluates the gold patches: a ground whose image can't be made here is left
// out, by name, and every other one must be resolved.
func (a *arena) gold(t *testing.T) {
	t.Helper()
	var list []*attack
	for name, g := range a.grounds {
		if a.without[name] != "" {
			continue
		}
		list = append(list, &attack{Name: "gold " + name, Ground: name, patch: g.patch(t, change{files: g.gold})})
		if g.With != "" {
			list[len(list)-1].with = a.grounds[g.With].patch(t, change{files: a.grounds[g.With].gold})
		}
	}
	for name, r := range a.run(t, list) {
		switch ground := strings.TrimPrefix(name, "gold "); r.Status {
		case schema.StatusResolved:
		case schema.StatusInfra:
			t.Logf("%s has no image here, its attacks are left out: %s", ground, r.Reason)
			a.without[ground] = "no image: " + r.Reason
		default:
			t.Fatalf("%s is %s: %s; %+v; reported are %q", name, r.Status, r.Reason, r.Targets, a.reported(t, name))
		}
	}
}

// reported are the ids in the reports of a patch's runs.
func (a *arena) reported(t *testing.T, name string) []string {
	t.Helper()
	rows, err := a.db.Query(t.Context(), `SELECT DISTINCT test_id FROM evaluation_outcomes WHERE model = ? ORDER BY 1`,
		name)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pipeline.Scan(rows, func(id *string) []any { return []any{id} })
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// run evaluates a patch a name, two at a time.
func (a *arena) run(t *testing.T, list []*attack) map[string]schema.TaskReport {
	t.Helper()
	a.Predictions = nil
	for _, x := range list {
		g := a.grounds[x.Ground]
		patches := map[string]string{g.repository(): x.patch}
		if x.with != "" {
			patches[a.grounds[g.With].repository()] = x.with
		}
		a.Predictions = append(a.Predictions,
			schema.Prediction{Task: x.Ground, Model: x.Name, Mode: schema.Joint, Attempt: 1, Patches: patches})
	}
	run := &pipeline.Run{Ledger: a.db, Workers: 2}
	if err := pipeline.Execute(t.Context(), a.Stage, run); err != nil {
		t.Fatal(err)
	}
	rep := rig{Stage: a.Stage}.report(t)
	out := map[string]schema.TaskReport{}
	if len(list) == 1 { // one run's tasks are the report's own
		out[list[0].Name] = rep.Tasks[list[0].Ground]
	}
	for _, r := range rep.Runs {
		for _, x := range list {
			if x.Name == r.Model {
				out[x.Name] = r.Tasks[x.Ground]
			}
		}
	}
	return out
}

// chosen are the patches that -cases names.
func chosen(list []*attack) []*attack {
	names := regexp.MustCompile(*cases)
	return slices.DeleteFunc(list, func(x *attack) bool { return !names.MatchString(x.Name) })
}

// chosenGrounds are the grounds of the patches that -cases names.
func chosenGrounds(t *testing.T) map[string]*ground {
	t.Helper()
	list := grounds(t)
	if *cases == "" {
		return list
	}
	used := map[string]*ground{}
	for _, folder := range []string{"attacks", "honest", "forgeable"} {
		for _, x := range chosen(attacks(t, folder, list)) {
			used[x.Ground] = list[x.Ground]
			if with := list[x.Ground].With; with != "" {
				used[with] = list[with]
			}
		}
	}
	return used
}

// here are those whose ground has an image; the others are skipped by name.
func (a *arena) here(t *testing.T, list []*attack) []*attack {
	list = chosen(list)
	return slices.DeleteFunc(list, func(x *attack) bool {
		why, without := a.without[x.Ground]
		if without {
			t.Run(x.Name, func(t *testing.T) { t.Skip(why) })
		}
		return without
	})
}

// TestPatches runs every patch of testdata/attacks, testdata/honest and
// testdata/forgeable, all on one engine.
func TestPatches(t *testing.T) {
	a := newArena(t)
	t.Run("attacks", a.attacks)
	t.Run("honest", func(t *testing.T) { a.resolves(t, "honest") })
	t.Run("forgeable", func(t *testing.T) { a.resolves(t, "forgeable") })
}

// attacks: none is resolved; each has the state that it must have, and deceives the
// careless reader that it names.
func (a *arena) attacks(t *testing.T) {
	host := a.hostState(t)
	list := a.here(t, append(attacks(t, "attacks", a.all), a.large()...))
	got := a.run(t, list)
	for _, x := range list {
		t.Run(x.Name, func(t *testing.T) {
			r := got[x.Name]
			if r.Status != x.Status || r.Resolved {
				t.Errorf("%s: %s (%s), want %s\n%s", x.What, r.Status, r.Reason, x.Status, strings.Join(r.Flags, "\n"))
			}
			target := r.Targets[a.grounds[x.Ground].repository()]
			said := strings.Join(slices.Concat([]string{r.Reason, target.Reason}, r.Flags, target.Flags), "\n")
			if !strings.Contains(said, x.Says) {
				t.Errorf("nothing says %q:\n%s", x.Says, said)
			}
			a.deceives(t, x)
		})
	}
	// An engine under load removes containers a little after it was told to.
	for end := time.Now().Add(time.Minute); time.Now().Before(end) &&
		len(a.hostState(t)) > len(host); time.Sleep(time.Second) {
	}
	if d := cmp.Diff(host, a.hostState(t)); d != "" {
		t.Errorf("the host is not as it was: %s", d)
	}
}

// resolves: honest are solutions that were written otherwise than gold and bring along
// what people do; forgeable are patches that the tests themselves take for solutions,
// since code inside their process decides what they see. README says so.
func (a *arena) resolves(t *testing.T, folder string) {
	list := a.here(t, attacks(t, folder, a.all))
	got := a.run(t, list)
	for _, x := range list {
		t.Run(x.Name, func(t *testing.T) {
			if r := got[x.Name]; r.Status != schema.StatusResolved {
				t.Errorf("%s: %s (%s)\n%s\n%+v", x.What, r.Status, r.Reason, strings.Join(r.Flags, "\n"), r.Targets)
			}
		})
	}
}

// large are attacks that are too long to be kept in files.
func (a *arena) large() []*attack {
	new := func(name, what, status, line string, lines int) *attack {
		head := fmt.Sprintf("diff --git a/big.txt b/big.txt\nnew file mode 100644\n--- /dev/null\n+++ b/big.txt\n@@ "+
			"-0,0 +1,%d @@\n", lines)
		return &attack{Name: name, What: what, Ground: "shell", Status: status, Naive: "nobody",
			Why:   "no patch of that size is applied, or it is a file as any other",
			patch: head + strings.Repeat(line, lines)}
	}
	return []*attack{
		new("patch-200-mb", "a patch of 200 MB", schema.StatusPatchFailed, "+"+strings.Repeat("x", 199)+"\n", 1<<20),
		new("patch-of-line-ends", "line ends of every kind, a million of them", schema.StatusUnresolved, "+\r\r\n",
			1<<20),
	}
}

// deceives proves that the patch is an attack: the reader whom it names would have
// taken it for a solution.
func (a *arena) deceives(t *testing.T, x *attack) {
	t.Helper()
	exit, runs := a.count(t,
		`SELECT coalesce(max(exit_code), -1), count(*) FROM evaluation_runs WHERE model = ? AND variant = 'submitted'`,
		x.Name)
	deciding, passed := a.count(t,
		`SELECT count(*), count(*) FILTER (outcome = 'pass') FROM evaluation_tests
		WHERE model = ? AND variant = 'submitted' AND class IN ('F2P', 'P2P')`, x.Name)
	deceived := map[string]bool{"exit code": runs == 1 && exit == 0, "report": deciding > 0 && passed == deciding,
		"as submitted": deciding > 0 && passed == deciding, "nobody": x.Why != ""}
	if ok, known := deceived[x.Naive]; !ok {
		t.Errorf("%q (known: %v) would not have been deceived: exit %d in %d runs, %d of %d tests pass; where the "+
			"patch is harmless here say nobody, and why", x.Naive, known, exit, runs, passed, deciding)
	}
}

// count asks for two numbers.
func (a *arena) count(t *testing.T, query string, args ...any) (int64, int64) {
	t.Helper()
	rows, err := a.db.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pipeline.Scan(rows, func(n *[2]int64) []any { return []any{&n[0], &n[1]} })
	if err != nil || len(list) != 1 {
		t.Fatal(err, len(list))
	}
	return list[0][0], list[0][1]
}

// hostState is what a patch could have left here: files where it tried to write, and
// containers of a run.
func (a *arena) hostState(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, f := range []string{"/tmp/evil", "/etc/cron.d/evil", filepath.Join(a.Out, "..", "evil")} {
		if _, err := os.Lstat(f); err == nil {
			out = append(out, f)
		}
	}
	for name := range a.grounds {
		left, err := exec.CommandContext(t.Context(), "docker", "ps", "-aq", "--filter", "label=wideswe.task="+
			name).Output()
		if err != nil {
			t.Fatal("docker ps: ", err)
		}
		out = append(out, strings.Fields(string(left))...)
	}
	return out
}
