package evaluate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// asideIs wants exactly these of o/lib's tests named as set aside.
func asideIs(files ...string) func(*testing.T, schema.TaskReport) {
	return func(t *testing.T, r schema.TaskReport) {
		t.Helper()
		var got []string
		for _, d := range r.Targets["o/lib"].Deviations {
			if d.Kind == schema.DeviationAside {
				got = append(got, d.Files...)
			}
		}
		if d := cmp.Diff(files, got, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
	}
}

func TestVerdicts(t *testing.T) {
	testscope.NotShort(t, "it runs go test and sh a dozen times")
	rel := makeRelease(t)
	breaks := diff("lib.go", libGo,
		"package lib\n\nfunc Add(a, b int) int {\n\tif a == 0 {\n\t\treturn 1\n\t}\n\treturn a + b\n}\n")
	tests := map[string]struct {
		p      schema.Prediction
		want   map[string]string
		check  func(*testing.T, schema.TaskReport)
		reason string
	}{
		"gold": {p: schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool", goldTool)},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved")},
		"empty": {p: schema.Prediction{Patches: patches()},
			want: patches("", "empty", "o/lib", "empty", "o/tool", "empty")},
		"blank": {p: schema.Prediction{Patches: patches("o/lib", "\n")},
			want: patches("", "empty", "o/lib", "empty", "o/tool", "empty")},
		"one alone": {p: schema.Prediction{Patches: patches("o/lib", goldLib)},
			want: patches("", "unresolved", "o/lib", "resolved", "o/tool", "unresolved")},
		"context patched too": {p: schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool", goldTool, "o/notes",
			diff("notes.txt", "one\n", "two\n"))},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved")},
		"breaks an old test": {p: schema.Prediction{Patches: patches("o/lib", breaks, "o/tool", goldTool)},
			want: patches("", "unresolved", "o/lib", "unresolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				x := r.Targets["o/lib"]
				if x.F2P != (schema.Tally{Passed: 1, Total: 1}) || x.P2P != (schema.Tally{Total: 1}) ||
					x.Failing[0].ID != "example.com/lib::TestZero" {
					t.Errorf("%+v", x)
				}
			}},
		"does not compile": {p: schema.Prediction{Patches: patches("o/lib",
			diff("lib.go", libGo, "package lib\n\nfunc Add("), "o/tool", goldTool)},
			want: patches("", "unresolved", "o/lib", "unresolved", "o/tool", "resolved"), reason: "build failed"},
		"does not apply": {p: schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool",
			diff("tool.sh", "something else\n", "x\n"))},
			want: patches("", "patch_failed", "o/lib", "patch_failed", "o/tool", "patch_failed"), reason: "tool.sh"},
		"upwards": {p: schema.Prediction{Patches: patches("o/lib", diff("../evil", "", "x\n"))},
			want: patches("", "patch_unsafe", "o/lib", "patch_unsafe", "o/tool", "patch_unsafe"), reason: "../evil"},
		"a hook": {p: schema.Prediction{Patches: patches("o/notes", diff(".git/hooks/x", "", "x\n"))},
			want:   patches("", "patch_unsafe", "o/lib", "patch_unsafe", "o/tool", "patch_unsafe"),
			reason: ".git/hooks/x"},
		"newline lost": {p: schema.Prediction{Patches: patches("o/lib", strings.TrimSuffix(goldLib, "\n"), "o/tool",
			goldTool)},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				if d := cmp.Diff([]string{"normalised: o/lib: " + workspace.NormNewline}, r.Flags); d != "" {
					t.Error(d)
				}
			}},
		"rewrote the test": {p: schema.Prediction{Patches: patches("o/lib",
			diff("lib_test.go", libTest, "package lib\n"), "o/tool", goldTool)},
			want: patches("", "unresolved", "o/lib", "unresolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				if d := cmp.Diff([]string{"lib_test.go"}, r.Targets["o/lib"].Replaced); d != "" {
					t.Error(d)
				}
			}},
		"TestMain says all is well": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			diff("main_test.go", "",
				"package lib\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n"))},
			want: patches("", "inconsistent", "o/lib", "inconsistent", "o/tool", "resolved")},
		"TestMain mends what is broken": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			diff("lib.go", libGo,
				"package lib\n\nvar add = func(a, b int) int { return a - b }\n\nfunc Add(a, b int) int { return "+
					"add(a, b) }\n")+
				diff("main_test.go", "",
					"package lib\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tadd = "+
						"func(a, b int) int { return a + b }\n\tos.Exit(m.Run())\n}\n"))},
			want: patches("", "disputed", "o/lib", "disputed", "o/tool", "resolved"), reason: "main_test.go"},
		"a link in place of a test file mends it": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			diff("lib.go", libGo,
				"package lib\n\nvar add = func(a, b int) int { return a - b }\n\nfunc Add(a, b int) int { return "+
					"add(a, b) }\n")+
				diff("mend.txt", "", "package lib\n\nfunc init() { add = func(a, b int) int { return a + b } }\n")+
				"diff --git a/mend_test.go b/mend_test.go\nnew file mode 120000\n--- /dev/null\n+++ "+
				"b/mend_test.go\n@@ -0,0 +1 @@\n+mend.txt\n\\ No newline at end of file\n")},
			want: patches("", "disputed", "o/lib", "disputed", "o/tool", "resolved"), reason: "mend_test.go"},
		"a stub module in place of a library": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			goldLib+
				diff("go.mod", libMod, libMod+"\nreplace example.org/assert => ./assert\n"))},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				if d := cmp.Diff([]string{"runner configuration: o/lib: go.mod"}, r.Flags); d != "" {
					t.Error(d)
				}
			}},
		"a stub beside what the solution needs of the same file": {p: schema.Prediction{Patches: patches("o/tool",
			goldTool, "o/lib",
			diff("lib.go", libGo,
				"package lib\n\nfunc Add(a, b int) (sum int) {\n\tfor range 1 {\n\t\tsum = a + b\n\t}\n\treturn "+
					"sum\n}\n")+
				diff("go.mod", libMod,
					"module example.com/lib\n\ngo 1.22\n\nreplace example.org/assert => ./assert\n"))},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				if !hasDeviation(r.Targets["o/lib"].Deviations, schema.DeviationGuarded) {
					t.Errorf("no second run: %+v", r.Targets["o/lib"])
				}
			}},
		"results written as the program loads": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			diff("lib.go", libGo,
				"package lib\n\nimport \"os\"\n\nfunc init() {\n\tfor _, n := range []string{\"TestZero\", "+
					"\"TestAdd\"} {\n\t\tos.Stdout.WriteString(\"\\x16=== RUN   \" + n + \"\\n\\x16--- PASS: \" + n "+
					"+ \" (0.00s)\\n\")\n\t}\n\tos.Stdout.WriteString(\"\\x16PASS\\n\")\n\tos.Exit(0)\n}\n\nfunc "+
					"Add(a, b int) int { return 0 }\n"))},
			want: patches("", "inconsistent", "o/lib", "inconsistent", "o/tool", "resolved")},
		"the test helper says ok": {p: schema.Prediction{Patches: patches("o/lib", goldLib, "o/tool",
			diff("tests/lib.sh", tapLib,
				"n=0\nplan() { echo \"1..$1\"; }\ncheck() { n=$((n+1)); echo \"ok $n - $1\"; }\n"))},
			want: patches("", "disputed", "o/lib", "resolved", "o/tool", "disputed"), reason: "tests/lib.sh"},
		"an honest change of configuration": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			goldLib+diff("tox.ini", "", "[tox]\n")+diff("Makefile", "", "all:\n"))},
			want: patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved"),
			check: func(t *testing.T, r schema.TaskReport) {
				if d := cmp.Diff([]string{"runner configuration: o/lib: tox.ini"}, r.Flags); d != "" {
					t.Error(d)
				}
			}},
		"own tests of the hidden ones' names": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			goldLib+
				diff("more_test.go", "", "package lib\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {}\n")+
				diff("fine_test.go", "", "package lib\n\nimport \"testing\"\n\nfunc TestFine(t *testing.T) {}\n"))},
			want:  patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved"),
			check: asideIs("more_test.go")},
		"own tests on helpers that the hidden ones replaced": {p: schema.Prediction{Patches: patches("o/tool", goldTool,
			"o/lib", goldLib+
				diff("lib_test.go", libTest, libTest+"\nfunc must(t *testing.T, ok bool) {}\n")+
				diff("more_test.go", "",
					"package lib\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) { must(t, true) }\n"))},
			want:  patches("", "resolved", "o/lib", "resolved", "o/tool", "resolved"),
			check: asideIs("more_test.go")},
		"own tests that break nothing of theirs": {p: schema.Prediction{Patches: patches("o/tool", goldTool, "o/lib",
			diff("lib.go", libGo, "package lib\n\nfunc Add(")+
				diff("more_test.go", "", "package lib\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) {}\n"))},
			want:  patches("", "unresolved", "o/lib", "unresolved", "o/tool", "resolved"),
			check: asideIs()},
		"independent, good": {p: schema.Prediction{Mode: schema.Independent, Target: "o/lib",
			Patches: patches("o/lib", goldLib)},
			want: patches("", "missing", "o/lib", "resolved", "o/tool", "missing")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rel, tc.p)
			if _, err := r.run(t); err != nil {
				t.Fatal(err)
			}
			rep := r.report(t)
			got := rep.Tasks["t1"]
			if d := cmp.Diff(tc.want, states(got)); d != "" {
				t.Errorf("%s\n%+v", d, got)
			}
			if all := got.Reason + got.Targets["o/lib"].Reason; !strings.Contains(all, tc.reason) {
				t.Errorf("the reason %q does not name %q", all, tc.reason)
			}
			if rep.Tasks["t2"].Status != schema.StatusMissing || rep.Summary.Tasks != 2 || rep.Summary.Targets != 4 ||
				!rep.Summary.Incomplete {
				t.Errorf("a task without prediction: %+v, %+v", rep.Tasks["t2"], rep.Summary)
			}
			if tc.check != nil {
				tc.check(t, got)
			}
		})
	}
}
