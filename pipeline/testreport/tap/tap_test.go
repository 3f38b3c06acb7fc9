package tap

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

func TestTAP(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"version 12, plan first", "1..3\nok 1 - reads\nnot ok 2 - writes\nok - unnumbered\n", `
t/a::reads pass
t/a::unnumbered pass
t/a::writes fail`},
		{"version 13 with a YAML block, plan last",
			"TAP version 13\nnot ok 1 - x\n  ---\n  message: ok 2 - not a test\n  ...\nok 2 - y\n1..2\n", `
t/a::x fail
t/a::y pass`},
		{"directives", "1..6\nok 1 - a # SKIP no net\nnot ok 2 - b # TODO later\nok 3 - c # todo\nnot ok 4 - d # skip\nok " +
			"5 - e \\# SKIP is text\nok 6 # skip all\n", `
t/a::a skip
t/a::b skip
t/a::c pass
t/a::d fail
t/a::e # SKIP is text pass
t/a::test 6 skip`},
		{"subtests, named by their line", "TAP version 14\n# Subtest: outer\n    # Subtest: inner\n        ok 1 - deep\n   " +
			"     1..1\n    ok 1 - inner\n    1..1\nok 1 - outer\n1..1\n", `
t/a::outer pass
t/a::outer/inner pass
t/a::outer/inner/deep pass`},
		{"subtests without a comment, and with the comment inside",
			"    ok 1 - x\n    1..1\nok 1 - one\n    # Subtest: two\n    not ok 1 - x\n    1..1\nnot ok 2 - two\n1..2\n", `
t/a::one pass
t/a::one/x pass
t/a::two fail
t/a::two/x fail`},
		{"no description", "1..2\nok 1\nnot ok 2\n", `
t/a::test 1 pass
t/a::test 2 fail`},
		{"times differ from run to run", "1..3\nok 1 - a # time=12.5ms\nok 2 - b (3 ms)\nok 3 - c in 0.2sec\n", `
t/a::a pass
t/a::b pass
t/a::c pass`},
		{"the same description again", "1..2\nok 1 - a\nnot ok 2 - a\n", `
t/a::a pass
t/a::a #2 fail`},
		{"a description that looks like a repeat", "1..3\nok 1 - a #2\nok 2 - a\nnot ok 3 - a\n", `
t/a::a pass
t/a::a #2 pass
t/a::a #3 fail`},
		{"fewer than planned", "1..3\nok 1 - a\n", `
t/a::a pass
! t/a plan_mismatch`},
		{"more than planned", "1..1\nok 1 - a\nok 2 - b\n", `
t/a::a pass
t/a::b pass
! t/a contradiction`},
		{"a number twice is believed neither time", "1..1\nok 1 - hidden\nnot ok 1 - hidden\n", `
t/a::hidden error
t/a::hidden #2 error
! t/a contradiction
! t/a contradiction`},
		{"no plan", "ok 1 - a\n", `
t/a::a pass
! t/a cut`},
		{"bail out", "1..3\nok 1 - a\nBail out! no database\nok 2 - b\n", `
t/a::a pass
! t/a bailed_out`},
		{"everything skipped", "1..0 # SKIP not on Linux\n", `! t/a no_tests`},
		{"two plans", "1..1\nok 1 - a\n1..1\n", `
t/a::a pass
! t/a plan_mismatch`},
		{"colours, carriage returns, other text", "\x1b[32mok 1 - green\x1b[0m\r\nsome output\r\nokay then\n1..1\r\n", `
t/a::green pass`},
		{"glued to unfinished output it is no result", "1..2\nloading...ok 1 - a\nok 2 - b\n", `
t/a::b pass
! t/a plan_mismatch`},
		{"a YAML block that never ends", "ok 1 - a\n  ---\n  x: y\nok 2 - b\n1..2\n", `
t/a::a pass
t/a::b pass`},
		{"empty", "", `! t/a cut`},
		{"bytes that are no text", "1..1\nok 1 - \xff\n", "t/a::\uFFFD pass"},
	} {
		t.Run(c.name, func(t *testing.T) { reporttest.CheckLines(t, Format(), map[string]string{"t/a.tap": c.text}, c.want) })
	}
}

func TestTAPMessage(t *testing.T) {
	r := reporttest.CheckLines(t, Format(), map[string]string{"t/a.tap": "1..1\nnot ok 1 - a\n# expected 1\n  ---\n  " +
		"got: 2\n  ...\n"}, "t/a::a fail")
	if got := r.Results[0].Message; !strings.Contains(got, "expected 1") || !strings.Contains(got, "got: 2") {
		t.Errorf("got %q", got)
	}
}

// TestCorpus: bats. What a test prints into its report is in no plan.
func TestCorpus(t *testing.T) { reporttest.Corpus(t, Format(), "bats-*-tap*", 2) }

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, Format(), "node-tap", "a.tap",
		"not ok 1 - a # time=‹3.2›ms\n1..1\n# failed 1 test\n# time=‹73.011›ms\n", "# failed 1 test")
}

func FuzzTAP(f *testing.F) {
	f.Add([]byte("TAP version 14\n# Subtest: a\n    ok 1 - b\n    1..1\nok 1 - a\n  ---\n  x: y\n  ...\n1..1\n"))
	reporttest.Seed(f, "bats-*/*.tap")
	reporttest.Fuzz(f, Format(), "t/a.tap")
}
