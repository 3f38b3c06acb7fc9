package synthetic

import (
	"bytes"
	"fmt"
	"path"
)

func jestReport(unit []test) (string, []byte) {
	failed, left := tally(unit)
	tests := make([]any, len(unit))
	for i, t := range unit {
		x := map[string]any{"ancestorTitles": []string{"part", "input"}, "title": t.name(), "fullName": "part input " +
			t.name(), "status": "passed", "duration": 3, "failureMessages": []string{}}
		switch {
		case t.fails():
			x["status"], x["failureMessages"] = "failed", []string{t.trace()}
		case t.left():
			x["status"] = "pending"
		}
		tests[i] = x
	}
	status := "passed"
	if failed > 0 {
		status = "failed"
	}
	return unit[0].file() + ".test.js.json", encode(map[string]any{"numFailedTests": failed,
		"numPassedTests": len(unit) - failed - left, "numPendingTests": left, "success": failed == 0,
		"testResults": []any{map[string]any{"name": "/workspace/example/part/" + unit[0].file() + ".test.js",
			"status": status, "message": "", "assertionResults": tests}}})
}

func mochaReport(unit []test) (string, []byte) {
	failed, left := tally(unit)
	lists := map[string][]any{"tests": {}, "passes": {}, "failures": {}, "pending": {}}
	for _, t := range unit {
		x := map[string]any{"title": t.name(), "fullTitle": "part input " + t.name(), "file": "/workspace/example/part/" +
			t.file() + ".js", "duration": 3, "currentRetry": 0, "err": map[string]any{}}
		list := "passes"
		switch {
		case t.fails():
			x["err"], list = map[string]any{"message": "expected 4, got 5", "stack": t.trace()}, "failures"
		case t.left():
			list = "pending"
			delete(x, "duration")
		}
		lists["tests"], lists[list] = append(lists["tests"], x), append(lists[list], x)
	}
	return unit[0].file() + ".js.json", encode(map[string]any{"stats": map[string]any{"suites": 2, "tests": len(unit),
		"passes": len(unit) - failed - left, "pending": left, "failures": failed},
		"tests": lists["tests"], "passes": lists["passes"], "failures": lists["failures"], "pending": lists["pending"]})
}

// nodeReport is of each of Node's runners in turn.
func nodeReport(unit []test) (string, []byte) {
	return []func([]test) (string, []byte){tapReport, jestReport, mochaReport}[unit[0].unit%3](unit)
}

func rspecReport(unit []test) (string, []byte) {
	failed, left := tally(unit)
	examples := make([]any, len(unit))
	for i, t := range unit {
		x := map[string]any{"id": fmt.Sprintf("./%s_spec.rb[1:%d]", t.file(), i+1), "description": t.name(),
			"full_description": "Part " + t.name(), "status": "passed",
			"file_path": "./" + t.file() + "_spec.rb", "line_number": t.n, "run_time": 0.001, "pending_message": nil}
		switch {
		case t.fails():
			x["status"], x["exception"] = "failed", map[string]any{"class": "RSpec::Expectations::ExpectationNotMetError",
				"message": t.trace(), "backtrace": []string{t.output()}}
		case t.left():
			x["status"], x["pending_message"] = "pending", "not here"
		}
		examples[i] = x
	}
	return unit[0].file() + "_spec.rb.json", encode(map[string]any{"version": "3.13.0", "examples": examples,
		"summary": map[string]any{"duration": 0.1, "example_count": len(unit), "failure_count": failed, "pending_count": left,
			"errors_outside_of_examples_count": 0}})
}

func trxReport(unit []test) (string, []byte) {
	var b, definitions bytes.Buffer
	failed, left := tally(unit)
	b.WriteString("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<TestRun " +
		"xmlns=\"http://microsoft.com/schemas/VisualStudio/TeamTest/2010\">\n <Results>\n")
	for _, t := range unit {
		id := fmt.Sprintf("00000000-0000-0000-0000-%012d", t.n)
		fmt.Fprintf(&b, "  <UnitTestResult testId=\"%s\" testName=\"%s\" duration=\"00:00:00.0150000\" outcome=", id,
			t.word())
		switch {
		case t.fails():
			fmt.Fprintf(&b, "\"Failed\"><Output><ErrorInfo><Message>expected 4, got "+
				"5</Message><StackTrace>%s</StackTrace></ErrorInfo></Output></UnitTestResult>\n", escape(t.trace()))
		case t.left():
			b.WriteString("\"NotExecuted\" />\n")
		default:
			b.WriteString("\"Passed\" />\n")
		}
		fmt.Fprintf(&definitions, "  <UnitTest name=\"%s\" id=\"%s\"><TestMethod codeBase=\"Part.dll\" className=\"%s\" "+
			"name=\"%s\" /></UnitTest>\n", t.word(), id, t.class(), t.word())
	}
	outcome := "Completed"
	if failed > 0 {
		outcome = "Failed"
	}
	fmt.Fprintf(&b, " </Results>\n <TestDefinitions>\n%s </TestDefinitions>\n <ResultSummary outcome=\"%s\"><Counters "+
		"total=\"%d\" executed=\"%d\" passed=\"%d\" failed=\"%d\" /></ResultSummary>\n</TestRun>\n",
		definitions.String(), outcome, len(unit), len(unit)-left, len(unit)-failed-left, failed)
	return path.Base(unit[0].file()) + ".trx", b.Bytes()
}
