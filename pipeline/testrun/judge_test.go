package testrun

import (
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

func TestJudge(t *testing.T) {
	const ok = "TAP version 13\n1..2\nok 1 - a\nok 2 - b\n"
	const bad = "TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\n"
	at := func(phase string, files ...string) map[string][]byte {
		m := map[string][]byte{phaseFile: []byte(phase + "\n")}
		for i := 0; i < len(files); i += 2 {
			m[files[i]] = []byte(files[i+1])
		}
		return m
	}
	for _, c := range []struct {
		name   string
		res    sandbox.Result
		plan   kit.Plan
		want   Status
		detail string
	}{
		{name: "passes", res: sandbox.Result{Files: at("test", "x.tap", ok)}, want: OK},
		{name: "fails", res: sandbox.Result{ExitCode: 1, Files: at("test", "x.tap", bad)}, want: OK},
		{name: "exit says failure, report says none", res: sandbox.Result{ExitCode: 1, Files: at("test", "x.tap", ok)},
			want: Inconsistent, detail: "no failed test"},
		{name: "no report", res: sandbox.Result{ExitCode: 2, Files: at("test"), Output: []byte("sh: not found\n")},
			want: NoReport, detail: "sh: not found"},
		{name: "a report the runner did not write", res: sandbox.Result{Files: at("test", "forged.tap", ok)},
			plan: kit.Plan{Files: []string{"001.tap"}}, want: NoReport},
		{name: "a forged one beside the runner's", res: sandbox.Result{ExitCode: 1, Files: at("test", "001.tap", bad,
			"forged.tap", ok)},
			plan: kit.Plan{Files: []string{"001.tap"}}, want: OK},
		{name: "build", res: sandbox.Result{ExitCode: 2, Files: at("build"), Output: []byte("make: no rule\n")},
			want: BuildFailed, detail: "build ended with 2: make: no rule"},
		{name: "a report from before the tests began", res: sandbox.Result{ExitCode: 1, Files: at("wire", "x.tap", ok)},
			want: BuildFailed},
		{name: "time", res: sandbox.Result{TimedOut: true, ExitCode: 137, Files: at("test", "x.tap", ok)}, want: Timeout},
		{name: "a report over the bound", res: sandbox.Result{Files: at("test", "x.tap", ok), Dropped: []string{"y.tap"}},
			want: Inconsistent, detail: "y.tap"},
		{name: "the phase file removed", res: sandbox.Result{Files: map[string][]byte{"x.tap": []byte(ok)}}, want: NoReport,
			detail: "what it had written is gone"},
		{name: "memory", res: sandbox.Result{OOM: true, ExitCode: 137, Files: at("test")}, want: NoReport,
			detail: "the limit of memory was met"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.plan.Report = "tap"
			a := Attempt{ExitCode: c.res.ExitCode, Duration: time.Second}
			if err := judge(&a, c.res, c.plan); err != nil {
				t.Fatal(err)
			}
			if a.Status != c.want || !strings.Contains(a.Detail, c.detail) {
				t.Errorf("%s (%s), want %s (…%s…)", a.Status, a.Detail, c.want, c.detail)
			}
			if c.name == "a forged one beside the runner's" && a.Parsed.Counts.Pass != 1 {
				t.Errorf("the forged file was read: %+v", a.Parsed.Counts)
			}
		})
	}
}

// TestJudgeKnowsTheRunnersOwnLimit: go test ends tests that take too long itself,
// which is a hang as much as the sandbox's limit.
func TestJudgeKnowsTheRunnersOwnLimit(t *testing.T) {
	event := func(rest string) string { return `{"Package":"u",` + rest + "}\n" }
	died := func(words string) string {
		return event(`"Action":"run","Test":"TestA"`) + event(`"Action":"output","Test":"TestA","Output":"panic: `+words+
			`\n"`) + event(`"Action":"fail"`)
	}
	for name, c := range map[string]struct {
		res  sandbox.Result
		hung bool
	}{
		"the runner's": {sandbox.Result{ExitCode: 1, Files: map[string][]byte{phaseFile: []byte("test"),
			"001.json": []byte(died("test timed out after 10m0s"))}}, true},
		"the sandbox's": {sandbox.Result{ExitCode: 137, TimedOut: true, Files: map[string][]byte{phaseFile: []byte("test")}},
			true},
		"a crash": {sandbox.Result{ExitCode: 1, Files: map[string][]byte{phaseFile: []byte("test"),
			"001.json": []byte(died("no"))}}, false},
	} {
		var a Attempt
		if err := judge(&a, c.res, kit.Plan{Report: "gotest"}); err != nil || a.Hung != c.hung {
			t.Errorf("%s: hung %v, status %s, problems %+v, %v", name, a.Hung, a.Status, a.Parsed.Problems, err)
		}
	}
}
