package java

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
	"github.com/wideswe/wideswe/schema"
)

// TestCorpus reads what real runs of surefire 3.5.2 and 2.22.2 left, under
// JUnit 4.13.2 and 5.11.4, TestNG 7.10.2 and Spock 2.3, with Maven 3.8.7, and Gradle 4.4.1.
func TestCorpus(t *testing.T) {
	reporttest.Corpus(t, Surefire(), "surefire-*", 7)
	reporttest.Corpus(t, Gradle(), "gradle-*", 1)
}

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, Gradle(), "gradle", "p/build.log",
		"wideswe: Running own.T leaves\nbegan 1s ago\nBUILD FAILED in ‹6›s\n", "")
}

func TestSurefire(t *testing.T) {
	suite := func(class string, tests int, cases string) string {
		return fmt.Sprintf(`<?xml version="1.0"?><testsuite name=%q tests="%d" errors="0" skipped="0" `+
			`failures="0">%s</testsuite>`, class, tests, cases)
	}
	pass := `<testcase name="a" classname="p.ATest"/>`
	ran := "[INFO] Running p.ATest\n[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in " +
		"p.ATest\n[INFO] BUILD SUCCESS\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"two modules": {map[string]string{"x/TEST-p.ATest.xml": suite("p.ATest", 1, pass), "x/maven.log": ran,
			"y/TEST-p.ATest.xml": suite("p.ATest", 1, pass), "y/maven.log": ran},
			"pass x/p.ATest::a\npass y/p.ATest::a\n"},
		"root": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass), "maven.log": ran},
			"pass p.ATest::a\n"},
		"repeated": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass+pass),
			"maven.log": ran}, "pass p.ATest::a\npass p.ATest::a #2\n"},
		"report deleted": {map[string]string{"maven.log": ran}, "! cut p.ATest\n"},
		"report laid in": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass),
			"TEST-p.BTest.xml": suite("p.BTest", 1, `<testcase name="b" classname="p.BTest"/>`), "maven.log": ran},
			"pass p.ATest::a\nnot_run p.BTest::b\n! distrusted p.BTest\n"},
		"report replaced": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass),
			"maven.log": strings.ReplaceAll(ran, "Failures: 0", "Failures: 1")}, "not_run p.ATest::a\n! distrusted p.ATest\n"},
		"cut": {map[string]string{"TEST-p.ATest.xml": strings.TrimSuffix(suite("p.ATest", 1, pass),
			"</testsuite>"), "maven.log": ran}, "pass p.ATest::a\n! cut TEST-p.ATest.xml\n"},
		"announced more": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 2, pass),
			"maven.log": strings.ReplaceAll(ran, "run: 1", "run: 2")}, "pass p.ATest::a\n! plan_mismatch TEST-p.ATest.xml\n"},
		"flaky": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1,
			`<testcase name="a" classname="p.ATest"><flakyFailure message="m"/></testcase>`), "maven.log": ran},
			"fail p.ATest::a\n"},
		"rerun": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1,
			`<testcase name="a" classname="p.ATest"><rerunFailure/></testcase>`), "maven.log": ran}, "fail p.ATest::a\n"},
		"a tree of its own": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass),
			"maven.log": "[INFO] T E S T S\n[INFO] +--p.ATest - 0.1 s\n[INFO] | '-- [OK] a - 0.1 s\n[INFO] Results:\n[INFO] " +
				"Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n"}, "pass p.ATest::a\n"},
		"a tree that counts otherwise": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass),
			"maven.log": "[INFO] +--p.ATest - 0.1 s\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD " +
				"SUCCESS\n"}, "pass p.ATest::a\n! contradiction pom.xml\n"},
		"a tree whose JVM died": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass),
			"maven.log": "[INFO] +--p.ATest - 0.1 s\n[ERROR] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n[ERROR] " +
				"Crashed tests:\n[ERROR] p.BTest\n[INFO] BUILD FAILURE\n"}, "pass p.ATest::a\n! crashed p.BTest\n"},
		"old surefire": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass),
			"maven.log": "Running p.ATest\nTests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 sec\n[INFO] " +
				"BUILD SUCCESS\n"}, "pass p.ATest::a\n"},
		"nothing ran": {map[string]string{"maven.log": "[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n"},
			"! no_tests pom.xml\n"},
		"Maven was killed": {map[string]string{"m/maven.log": "[INFO] Running p.ATest\n"}, "! cut m/p.ATest\n"},
		"killed before":    {map[string]string{"m/maven.log": "[INFO] Scanning\n"}, "! cut m/pom.xml\n"},
		"not resolved": {map[string]string{"m/maven.log": "[ERROR] Failed to execute goal on project m: Could not " +
			"resolve dependencies\n[INFO] BUILD FAILURE\n"}, "! build_failed m/pom.xml\n"},
		"POM is not one": {map[string]string{"m/maven.log": "[INFO] Scanning\n[ERROR] Non-parseable POM /x/pom.xml\n"},
			"! build_failed m/pom.xml\n"},
		"Kotlin": {map[string]string{"m/maven.log": "[ERROR] Failed to execute goal " +
			"org.jetbrains.kotlin:kotlin-maven-plugin:1.9.0:test-compile (test-compile) on project m: Compilation " +
			"failure\n[INFO] BUILD FAILURE\n"}, "! build_failed m/pom.xml\n"},
		"colours": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1,
			"<testcase name=\"\x1b[31ma\x1b[0m\" classname=\"p.ATest\"/>"), "maven.log": strings.ReplaceAll(ran, "[INFO]",
			"[\x1b[1;34mINFO\x1b[m]")}, "pass p.ATest::a\n"},
		"Windows' ends": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1, pass),
			"maven.log": strings.ReplaceAll(ran, "\n", "\r\n")}, "pass p.ATest::a\n"},
		"a whole class": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1,
			`<testcase name="" classname="p.ATest"><error/></testcase>`), "maven.log": ran}, "error p.ATest::(class)\n"},
		"unknown outcome": {map[string]string{"TEST-p.ATest.xml": suite("p.ATest", 1,
			`<testcase name="a" classname="p.ATest"><maybe/></testcase>`), "maven.log": ran}, "error p.ATest::a\n"},
		"an entity's bombs": {map[string]string{"TEST-p.ATest.xml": `<!DOCTYPE x [<!ENTITY a "b">]><testsuite ` +
			`name="p.ATest"><testcase name="&a;"/></testsuite>`, "maven.log": ran},
			"! unreadable TEST-p.ATest.xml\n! contradiction p.ATest\n"},
	} {
		r := Surefire().Parse(reporttest.Bytes(c.files))
		if diff := cmp.Diff(c.want, reporttest.Text(r)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// TestSurefireLong: a log that names many classes costs no more than it is long.
func TestSurefireLong(t *testing.T) {
	var log strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&log, "[INFO] Running p.T%d\n", i)
	}
	r := Surefire().Parse(map[string][]byte{"maven.log": []byte(log.String())})
	if len(r.Problems) != testreport.MaxProblems {
		t.Fatal(len(r.Problems))
	}
}

// FuzzJava: no bytes bring the readers down, and a log gives no test a pass.
func FuzzJava(f *testing.F) {
	for _, files := range reporttest.Runs(f, "surefire-*") {
		var log, xml []byte
		for name, data := range files {
			if strings.HasSuffix(name, testreport.LogExt) {
				log = data
			} else {
				xml = data
			}
		}
		f.Add(log, xml)
	}
	f.Fuzz(func(t *testing.T, log, xml []byte) {
		reporttest.CheckBounds(t, Gradle(), map[string][]byte{"m/gradle.log": log, "m/TEST-x.xml": xml})
		if r := reporttest.CheckBounds(t, Surefire(), map[string][]byte{"m/maven.log": log}); r.Counts.Pass > 0 {
			t.Error(r.Counts)
		}
		files := map[string][]byte{"m/maven.log": log, "m/TEST-own.four.MixTest.xml": xml}
		for _, x := range reporttest.CheckBounds(t, Surefire(), files).Results {
			if _, name := schema.SplitTestID(x.ID); strings.ContainsAny(name, "\x1b\n") {
				t.Errorf("id %q", x.ID)
			}
		}
	})
}
