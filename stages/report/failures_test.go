package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/schema"
)

// change is a diff of one file that takes lines away and puts lines in.
func change(name, minus, plus string) string {
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1 @@\n-%[2]s\n+%[3]s\n", name, minus,
		plus)
}

func TestSubstantive(t *testing.T) {
	for name, tt := range map[string]struct {
		diff string
		gold string
		want bool
	}{
		"code":                {change("lib/a.go", "x := 1", "x := 2"), "", true},
		"nothing":             {"", "", false},
		"a test":              {change("lib/a_test.go", "x := 1", "x := 2"), "", false},
		"documentation":       {change("README.md", "one", "two"), "", false},
		"configuration":       {change("config.yml", "a: 1", "a: 2"), "", false},
		"a comment":           {change("lib/a.go", "// one", "// two"), "", false},
		"a comment of Python": {change("lib/a.py", "# one", "# two"), "", false},
		"a directive of C":    {change("lib/a.c", "#define A 1", "#define A 2"), "", true},
		"a comment of SQL":    {change("lib/a.sql", "-- one", "-- two"), "", false},
		"space alone":         {change("lib/a.go", "", "   "), "", false},
		"a comment and code":  {change("lib/a.go", "// one", "f()"), "", true},
		"a rename alone": {"diff --git a/lib/a.go b/lib/b.go\nsimilarity index 100%\nrename from " +
			"lib/a.go\nrename to lib/b.go\n", "", false},
		"a mode alone":             {"diff --git a/lib/a.go b/lib/a.go\nold mode 100644\nnew mode 100755\n", "", false},
		"configuration as in gold": {change("config.yml", "a: 1", "a: 2"), change("config.yml", "a: 1", "a: 3"), true},
		"configuration, gold is code": {change("config.yml", "a: 1", "a: 2"), change("config.yml", "a: 1", "a: 3") +
			change("lib/a.go", "x", "y"), false},
		"a minus that looks like a head": {change("lib/a.lua", "-- a/lib", "-- b"), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := patch.Parse([]byte(tt.diff))
			if err != nil {
				t.Fatal(err)
			}
			roles := []filerole.Role{filerole.Source}
			if tt.gold != "" {
				gold, err := patch.Parse([]byte(tt.gold))
				if err != nil {
					t.Fatal(err)
				}
				roles = codeRoles(gold)
			}
			if got := substantive(files, roles); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// failing is an evaluation with its files: t1 changes one target, t3 all, of which one
// by a comment alone.
func failing(t *testing.T) (string, *schema.Report) {
	t.Helper()
	dir := t.TempDir()
	r := sampleReport()
	keep := func(task, repository, text string) {
		name := filepath.Join("patches", task, schema.FileName(repository)+".patch")
		write(t, filepath.Join(dir, name), text)
		set(r, task, func(v *schema.TaskReport) {
			v.Patches = append(v.Patches, schema.KeptPatch{Repository: repository, File: filepath.ToSlash(name),
				Bytes: len(text)})
			if v.Patched = append([]string{}, v.Patched...); !strings.Contains(strings.Join(v.Patched, " "), repository) {
				v.Patched = append(v.Patched, repository)
			}
		})
	}
	write(t, filepath.Join(dir, "logs/t1.log"), strings.Repeat("noise\n", 5000)+"the last words "+hostile+"\n")
	keep("t1", "o/lib", change("lib.go", "a()", "b()"))
	for _, x := range []string{"p/a", "p/b"} {
		keep("t3", x, change("main.go", "a()", "b()"))
	}
	keep("t3", "p/c", change("main.go", "// a", "// b "+hostile))
	set(r, "t3", func(v *schema.TaskReport) {
		v.Status, v.Resolved = schema.StatusUnresolved, false
		v.Targets["p/c"] = schema.TargetReport{Status: schema.StatusUnresolved, F2P: tally(0, 1), P2P: tally(1, 1)}
	})
	return dir, r
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTheRuleProposes(t *testing.T) {
	dir, r := failing(t)
	get := func() []Failure {
		res, err := compile(sampleData(), []evaluation{{Source{Folder: dir, Label: "m"}, nil, r}}, options{})
		if err != nil {
			t.Fatal(err)
		}
		return res.Failures.Runs
	}
	want := []Failure{{Configuration: "m", Task: "t1", Attempt: 1, Unchanged: []string{"o/app"}}, {Configuration: "m",
		Task: "t3", Attempt: 1, Unchanged: []string{"p/c"}}}
	if d := cmp.Diff(want, get()); d != "" {
		t.Error(d)
	}
	write(t, filepath.Join(dir, "patches/t3/p__c.patch"), change("main.go", "a()", "b()"))
	if got := get()[1]; got.Proposed != PostEdit || got.Unchanged != nil {
		t.Errorf("%+v", got)
	}
	// A patch that is not there proposes nothing, nor does one outside the folder.
	set(r, "t3", func(v *schema.TaskReport) { v.Patches[2].File = "../" + filepath.Base(dir) + "/patches/t3/p__c.patch" })
	if got := get()[1]; got.Proposed != "" || !got.Unread {
		t.Errorf("%+v", got)
	}
}

// annotate fills in one sheet.
func annotate(t *testing.T, dir, run, who, category string) {
	t.Helper()
	name := filepath.Join(dir, "m", run, who+".yaml")
	b, err := os.ReadFile(name)
	if err != nil {
		b, err = os.ReadFile(filepath.Join(dir, "m", run, "ann.yaml"))
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "category:") {
			lines[i] = "category: " + category
		}
	}
	write(t, name, strings.Join(lines, "\n"))
}

func TestAnnotatorsDecide(t *testing.T) {
	rel := writeRelease(t)
	report := &schema.Report{Rules: "6", Tasks: map[string]schema.TaskReport{"t1": {Status: schema.StatusUnresolved,
		Patched: []string{"o/a"}, Targets: map[string]schema.TargetReport{
			"o/a": {Status: schema.StatusUnresolved, F2P: tally(0, 1), P2P: tally(2, 2),
				Failing: []schema.FailingTest{{ID: "u::" + hostile, Class: schema.F2P, Outcome: schema.Fail}}},
			"o/b": {Status: schema.StatusUnresolved, F2P: tally(0, 1), P2P: tally(2, 2)}}}}}
	out := writeReport(t, report)
	runs := t.TempDir()
	write(t, filepath.Join(runs, "runs/t1/m-joint-1/trajectory/steps.jsonl"), "{}")
	write(t, filepath.Join(runs, "runs/t2/m-joint-1/trajectory/other.jsonl"), "{}")
	s := Stage{Release: rel, Evaluations: []Source{{Folder: out, Label: "m", Runs: runs}},
		Annotations: filepath.Join(t.TempDir(), "annotations")}
	if _, err := s.read(); err == nil || !strings.Contains(err.Error(), "report annotate") {
		t.Errorf("no folder: %v", err)
	}
	for _, who := range []string{"ann", "bob"} {
		if sheets, blank, err := s.Annotate(s.Annotations, who); err != nil || sheets != 1 || blank != 1 {
			t.Fatal(sheets, blank, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(s.Annotations, "m/t1/evidence.md"))
	if err != nil || !strings.Contains(string(text), "did not keep the patch") || !strings.Contains(string(text),
		"Fix it.") ||
		!strings.Contains(string(text), "steps.jsonl") || strings.Contains(string(text), "other.jsonl") ||
		strings.ContainsAny(string(text), "\x1b\u202e") {
		t.Errorf("evidence: %v\n%s", err, text)
	}
	category := func() string {
		t.Helper()
		res, err := s.read()
		if err != nil {
			t.Fatal(err)
		}
		return res.Failures.Runs[0].Category
	}
	for _, step := range []struct{ who, category, want string }{
		{"ann", "", ""}, {"ann", Scope, ""}, {"bob", Delivery, ""}, {decision, Delivery, Delivery}, {decision, `""`, ""},
		{"bob", Scope, Scope},
	} {
		annotate(t, s.Annotations, "t1", step.who, step.category)
		if got := category(); got != step.want {
			t.Errorf("after %s says %q: %q, want %q", step.who, step.category, got, step.want)
		}
	}
	// What was written stays.
	if sheets, blank, err := s.Annotate(s.Annotations, "ann"); err != nil || sheets != 1 || blank != 0 ||
		category() != Scope {
		t.Error(sheets, blank, err)
	}
	res, err := s.read()
	if err != nil {
		t.Fatal(err)
	}
	if note := res.table("table2").Note; !strings.Contains(note,
		"ann and bob agree on 100.0 % of 1 run (Cohen's kappa is not defined)") {
		t.Errorf("note %q", note)
	}
	annotate(t, s.Annotations, "t1", "bob", "scpoe")
	if _, err := s.read(); err == nil || !strings.Contains(err.Error(), `did you mean "scope"`) {
		t.Errorf("got %v", err)
	}
	annotate(t, s.Annotations, "t1", "bob", PostEdit)
	name := filepath.Join(s.Annotations, "m/t1/bob.yaml")
	b, _ := os.ReadFile(name)
	write(t, name, strings.Replace(string(b), "task: t1", "task: t9", 1))
	if res, err := s.read(); err != nil || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0],
		"is of another run") || res.Failures.Runs[0].Category != "" {
		t.Errorf("%v %v", res.Warnings, err)
	}
	for _, who := range []string{"", decision, "../x", "a b"} {
		if _, _, err := s.Annotate(s.Annotations, who); err == nil {
			t.Errorf("%q may annotate", who)
		}
	}
}

// Twenty runs, of which the annotators agree on 17: kappa by hand.
func TestAgreementOfAnnotators(t *testing.T) {
	var runs []Failure
	add := func(n int, a, b string) {
		for range n {
			runs = append(runs, Failure{Answers: map[string]string{"ann": a, "bob": b}})
		}
	}
	add(8, Scope, Scope)
	add(2, Delivery, Delivery)
	add(7, PostEdit, PostEdit)
	add(2, Scope, Delivery)
	add(1, PostEdit, Scope)
	runs = append(runs, Failure{Answers: map[string]string{"ann": Scope}}) // bob has not looked
	got := agreements(runs)
	// Agreement 17/20; by chance (10·9 + 2·4 + 8·7)/400 = 154/400.
	want := (17.0/20 - 154.0/400) / (1 - 154.0/400)
	if len(got) != 1 || got[0].Items != 20 || got[0].Share != 0.85 || got[0].Kappa < want-1e-9 || got[0].Kappa > want+
		1e-9 {
		t.Errorf("%+v, want kappa %v", got, want)
	}
}
