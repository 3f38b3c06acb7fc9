package data_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline/githubtest"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

func TestEveryTrueCandidateIsATask(t *testing.T) {
	testscope.NotShort(t, "it runs the demo's tests")
	w := build(t)
	for _, r := range w.Reviews {
		base, gold := w.workspace(t, r.Pulls, false, nil), w.workspace(t, r.Pulls, true, nil)
		for _, pull := range r.Pulls {
			for _, shell := range w.shells(t, pull) {
				on := w.outcomes(t, gold, pull, shell)
				if id := failing(on); id != "" {
					t.Errorf("%s: %s fails on gold under %s", pull, id, shell)
				}
				f2p, p2p := lists(w.outcomes(t, base, pull, shell), on)
				if len(f2p) == 0 || len(p2p) == 0 {
					t.Errorf("%s under %s: F2P %q, P2P %q", pull, shell, f2p, p2p)
				}
				t.Logf("%s %s: %d F2P, %d P2P", pull, shell, len(f2p), len(p2p))
			}
		}
	}
}

// failing names one test that does not pass, "" where all do.
func failing(outcomes map[string]bool) string {
	for id, passes := range outcomes {
		if !passes {
			return id
		}
	}
	return ""
}

// Without wiring the service must not build: the version it asks for is nowhere.
func TestTheServiceNeedsItsSibling(t *testing.T) {
	w := build(t)
	root := w.workspace(t, []string{"lanternworks/beacon#9"}, true, nil)
	if got := w.outcomes(t, root, "lanternworks/beacon#9", "sh"); len(got) != 0 {
		t.Errorf("without the library these tests ran: %v", got)
	}
}

// The halves of a producer-consumer feature need each other.
func TestTheConsumerNeedsTheProducersChange(t *testing.T) {
	testscope.NotShort(t, "it runs the demo's tests")
	w := build(t)
	for _, pair := range [][2]string{{"lanternworks/wick#9", "lanternworks/beacon#9"}, {"lanternworks/snuff#5",
		"lanternworks/trim#6"}} {
		producer, consumer := pair[0], pair[1]
		root := w.workspace(t, []string{consumer}, true, nil)
		base, _ := w.ends(t, producer)
		w.checkout(t, root, w.pulls[producer].Repository, base)
		without := w.outcomes(t, root, consumer, "sh")
		with := w.outcomes(t, w.workspace(t, pair[:], true, nil), consumer, "sh")
		if lost, _ := lists(without, with); len(lost) == 0 {
			t.Errorf("%s passes without the change of %s", consumer, producer)
		}
	}
}

func TestPredictionsGetTheirVerdicts(t *testing.T) {
	testscope.NotShort(t, "it runs the demo's tests")
	w := build(t)
	task := w.Predictions[0].Task
	base, gold := w.workspace(t, task, false, nil), w.workspace(t, task, true, nil)
	f2p, p2p := map[string][]string{}, map[string][]string{}
	for _, pull := range task {
		f2p[pull], p2p[pull] = lists(w.outcomes(t, base, pull, "sh"), w.outcomes(t, gold, pull, "sh"))
	}
	var names []string
	for _, p := range w.Predictions {
		names = append(names, p.Name)
		t.Run(p.Name, func(t *testing.T) {
			if d := cmp.Diff(task, p.Task); d != "" {
				t.Fatal(d)
			}
			root := w.workspace(t, p.Task, p.Builtin == "gold", p.Patches)
			resolved, fixed := map[string]bool{}, map[string]bool{}
			for _, pull := range p.Task {
				on := w.outcomes(t, root, pull, "sh")
				lost := func(id string) bool { return !on[id] }
				repository := w.pulls[pull].Repository
				fixed[repository] = !slices.ContainsFunc(f2p[pull], lost)
				resolved[repository] = fixed[repository] && !slices.ContainsFunc(p2p[pull], lost)
			}
			if d := cmp.Diff(p.Expect.Targets, resolved); d != "" {
				t.Error(d)
			}
			if p.Name == "breaks-an-old-test" && (!fixed["lanternworks/wick"] || resolved["lanternworks/wick"]) {
				t.Error("the library must pass the new tests and fail an old one")
			}
		})
	}
	if d := cmp.Diff([]string{"gold", "empty", "one-repository", "breaks-an-old-test", "forges-its-results"},
		names); d != "" {
		t.Error(d)
	}
}

// Each pull is either part of one true candidate or a decoy, and nothing else.
func TestEveryPullHasItsPart(t *testing.T) {
	w := build(t)
	part := map[string]int{}
	for _, r := range w.Reviews {
		for _, pull := range r.Pulls {
			part[pull]++
			if !strings.HasPrefix(w.pulls[pull].Why, "true, ") {
				t.Errorf("%s says it is %q", pull, w.pulls[pull].Why)
			}
		}
	}
	for _, d := range w.Decoys {
		for _, pull := range d.Pulls {
			part[pull]++
			if !strings.HasPrefix(w.pulls[pull].Why, "decoy, ") {
				t.Errorf("%s says it is %q", pull, w.pulls[pull].Why)
			}
		}
	}
	for name := range w.pulls {
		if part[name] != 1 {
			t.Errorf("%s has %d parts", name, part[name])
		}
		delete(part, name)
	}
	if len(part) != 0 {
		t.Errorf("the script names pulls that are not there: %v", part)
	}
}

// TestDecoysAreWhatTheyClaim checks the facts a decoy's reason rests on.
func TestDecoysAreWhatTheyClaim(t *testing.T) {
	w := build(t)
	p := func(number string) githubtest.Pull { return w.pulls["lanternworks/"+number] }
	body := func(number, pattern string) bool {
		return regexp.MustCompile(`(?s)` + pattern).MatchString(p(number).Body)
	}
	other := regexp.MustCompile(`lanternworks/[a-z-]+(#|/pull/|/issues/)\d+`)
	once := func(number string) bool { return len(other.FindAllString(p(number).Body, -1)) == 1 }
	tests := func(number string) int { return len(w.hidden("lanternworks/" + number)) }
	for what, holds := range map[string]bool{
		"beacon#2 links in a fence only": once("beacon#2") && body("beacon#2",
			"```[^`]*lanternworks/wick#3[^`]*```"),
		"wick#3 links in a comment only": once("wick#3") && body("wick#3", "<!--.*lanternworks/beacon#2.*-->"),
		"trim#2 links to itself only":    once("trim#2") && body("trim#2", "Fixes lanternworks/trim#1,"),
		"beacon#4 is a bot's": strings.HasSuffix(p("beacon#4").Author, "[bot]") && body("beacon#4",
			"<details>.*lanternworks/wick/pull/3.*</details>"),
		"beacon#11 says unrelated": once("beacon#11") && body("beacon#11",
			"Unrelated to lanternworks/trim#4"),
		"wick#6 was never merged": !p("wick#6").Merged() && !p("wick#6").ClosedAt.IsZero() &&
			p("beacon#8").Merged(),
		"wick#5 changes no test, snuff#3 does": tests("wick#5") == 0 && tests("snuff#3") > 0,
		"glow-ios#2 is Swift only": !slices.ContainsFunc(p("glow-ios#2").Files,
			func(f githubtest.File) bool { return !strings.HasSuffix(f.Path, ".swift") }),
		"glow-ios#2 and beacon#6 change tests": tests("glow-ios#2") > 0 && tests("beacon#6") > 0,
		"the backports are on a release branch": p("wick#10").Base == "release-1.4" &&
			p("beacon#10").Base == "release-1.4",
		"the three fixes share an issue elsewhere": body("wick#7", "Fixes lanternworks/tracker#5") && body("trim#4",
			"Fixes lanternworks/tracker#5") && body("snuff#4", "Fixes https://github.com/lanternworks/tracker/issues/5"),
		"wick#7 is joined by the issue alone":        once("wick#7") && !body("trim#4", "wick") && !body("snuff#4", "wick"),
		"trim#6 names its companion by its old name": once("trim#6") && body("trim#6", "Needs lanternworks/snuffer#5"),
		"trim#7 has no head":                         p("trim#7").HeadGone,
	} {
		if !holds {
			t.Errorf("it is not so that %s", what)
		}
	}
	for _, pair := range [][2]string{{"lanternworks/wick#9", "lanternworks/wick#10"}, {"lanternworks/beacon#9",
		"lanternworks/beacon#10"}} {
		if a, b := w.patchID(t, pair[0]), w.patchID(t, pair[1]); a != b {
			t.Errorf("%v have the patch ids %s and %s", pair, a, b)
		}
	}
}

func (w world) patchID(t *testing.T, pull string) string {
	t.Helper()
	base, gold := w.ends(t, pull)
	text := must(t, "", "sh", "-c", `git --git-dir="$1" diff "$2" "$3" | git patch-id --stable | cut -d ' ' -f 1`, "sh",
		w.GitDir(w.pulls[pull].Repository), base, gold)
	return strings.TrimSpace(text)
}

// All the ways of merging are there, and a base branch that moved under an open pull.
func TestPullsEndInEveryWay(t *testing.T) {
	w := build(t)
	ways := map[githubtest.Merge]int{}
	moved := 0
	for name, p := range w.pulls {
		if !p.Merged() {
			continue
		}
		ways[p.Merge]++
		if c, _ := w.Commits(name); c.Base != c.Before {
			moved++
		}
	}
	for _, way := range []githubtest.Merge{githubtest.MergeCommit, githubtest.Squash, githubtest.Rebase} {
		if ways[way] < 2 {
			t.Errorf("%d pulls were merged by %s", ways[way], way)
		}
	}
	if moved == 0 {
		t.Error("no base branch moved while a pull was open")
	}
}

func TestTheDescriptionIsEmbeddedWhole(t *testing.T) {
	var names []string
	err := fs.WalkDir(data.Demo(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil || !slices.Contains(names, "README.md") || !slices.Contains(names, "pulls/wick-7.txtar") {
		t.Errorf("%v: %v", err, names)
	}
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, ".go") }) {
		t.Error("a Go file in the demo would be compiled into the program")
	}
}
