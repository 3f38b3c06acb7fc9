package synthetic

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
)

// perUnit is how many tests a class, a file or a package of a generated report has.
const perUnit = 100

// test is one test of a generated report: most pass, one in 25 fails with a trace,
// one in 100 is left out.
type test struct{ unit, n int }

func (t test) name() string   { return fmt.Sprintf("handles case %d of the input", t.n) }
func (t test) word() string   { return fmt.Sprintf("handles_case_%d", t.n) }
func (t test) class() string  { return fmt.Sprintf("org.example.area%d.Part%dTest", t.unit%7, t.unit) }
func (t test) file() string   { return fmt.Sprintf("test/area%d/part%d", t.unit%7, t.unit) }
func (t test) fails() bool    { return t.n%25 == 7 }
func (t test) left() bool     { return t.n%100 == 50 }
func (t test) trace() string  { return t.lines("    at example.part(src/part.x:%d:13)") }
func (t test) output() string { return t.lines("level=info step=%d msg=\"did a thing\"") }

func (t test) lines(form string) string {
	lines := make([]string, 12)
	for i := range lines {
		lines[i] = fmt.Sprintf(form, t.n+i)
	}
	return "expected 4, got 5 <" + t.word() + ">\n" + strings.Join(lines, "\n") + "\n"
}

// Report writes a report of so many tests in a format of pipeline/testreport, file by
// file, as the format's writers do: the same bytes everywhere. ok says whether the
// format is known.
func Report(format string, tests int) (files map[string][]byte, ok bool) {
	write := map[string]func(unit []test) (name string, data []byte){
		"gotest": goReport, "junit": junitReport, "surefire": junitReport, "gradle": junitReport, "phpunit": junitReport,
		"tap": tapReport, "ruby": tapReport,
		"jest": jestReport, "vitest": jestReport, "mocha": mochaReport, "node": nodeReport, "rspec": rspecReport,
		"trx": trxReport, "libtest": cargoReport, "cpp": cppReport,
	}[format]
	if write == nil {
		return nil, false
	}
	files = map[string][]byte{}
	for unit := 0; unit*perUnit < tests; unit++ {
		var list []test
		for n := unit * perUnit; n < min(tests, (unit+1)*perUnit); n++ {
			list = append(list, test{unit, n})
		}
		name, data := write(list)
		files[name] = data
	}
	return files, true
}

func goReport(unit []test) (string, []byte) {
	var b bytes.Buffer
	pkg := "example.org/" + unit[0].file()
	line := func(action, test, output string) {
		e := map[string]any{"Time": "2026-01-01T00:00:00.123456789Z", "Action": action, "Package": pkg}
		if test != "" {
			e["Test"] = test
		}
		if output != "" {
			e["Output"] = output
		} else if action != "run" {
			e["Elapsed"] = 0.01
		}
		b.Write(append(encode(e), '\n'))
	}
	end := "pass"
	for _, t := range unit {
		name, word := "TestCase"+fmt.Sprint(t.n), "pass"
		line("run", name, "")
		line("output", name, "=== RUN   "+name+"\n")
		switch {
		case t.fails():
			word, end = "fail", "fail"
			for l := range strings.Lines(t.trace()) {
				line("output", name, "    "+l)
			}
		case t.left():
			word = "skip"
		}
		line("output", name, "--- "+strings.ToUpper(word)+": "+name+" (0.01s)\n")
		line(word, name, "")
	}
	line("output", "", strings.ToUpper(end)+"\n")
	line(end, "", "")
	return strings.ReplaceAll(unit[0].file(), "/", "-") + ".json", b.Bytes()
}

func junitReport(unit []test) (string, []byte) {
	var b bytes.Buffer
	failed, left := tally(unit)
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"%s\" time=\"1.5\" tests=\"%d\" "+
		"errors=\"0\" skipped=\"%d\" failures=\"%d\">\n", unit[0].class(), len(unit), left, failed)
	for _, t := range unit {
		fmt.Fprintf(&b, "  <testcase name=\"%s\" classname=\"%s\" time=\"0.015\"", t.word(), t.class())
		switch {
		case t.fails():
			fmt.Fprintf(&b, ">\n    <failure message=\"expected 4, got 5\" type=\"AssertionError\">%s</failure>\n    "+
				"<system-out>%s</system-out>\n  </testcase>\n", escape(t.trace()), escape(t.output()))
		case t.left():
			b.WriteString(">\n    <skipped/>\n  </testcase>\n")
		default:
			b.WriteString("/>\n")
		}
	}
	b.WriteString("</testsuite>\n")
	return "TEST-" + unit[0].class() + ".xml", b.Bytes()
}

func tapReport(unit []test) (string, []byte) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "TAP version 13\n1..%d\n", len(unit))
	for i, t := range unit {
		switch {
		case t.fails():
			fmt.Fprintf(&b, "not ok %d - %s\n  ---\n  message: 'expected 4, got 5'\n  stack: |\n%s  ...\n", i+1, t.name(),
				indent(t.trace()))
		case t.left():
			fmt.Fprintf(&b, "ok %d - %s # SKIP not here\n", i+1, t.name())
		default:
			fmt.Fprintf(&b, "ok %d - %s\n", i+1, t.name())
		}
	}
	return unit[0].file() + ".tap", b.Bytes()
}

func cargoReport(unit []test) (string, []byte) {
	var b, shown bytes.Buffer
	failed, left := tally(unit)
	fmt.Fprintf(&b, "     Running %s.rs (target/debug/deps/part%d-0123456789abcdef)\n\nrunning %d tests\n", unit[0].file(),
		unit[0].unit, len(unit))
	for _, t := range unit {
		word := "ok"
		switch {
		case t.fails():
			word = "FAILED"
			fmt.Fprintf(&shown, "---- %s stdout ----\n%s\n", t.word(), t.trace())
		case t.left():
			word = "ignored"
		}
		fmt.Fprintf(&b, "test %s ... %s\n", t.word(), word)
	}
	result := "ok"
	if failed > 0 {
		result = "FAILED"
		b.WriteString("\nfailures:\n\n" + shown.String())
	}
	fmt.Fprintf(&b, "\ntest result: %s. %d passed; %d failed; %d ignored; 0 measured; 0 filtered out; finished in 0.05s\n",
		result, len(unit)-failed-left, failed, left)
	return strings.ReplaceAll(unit[0].file(), "/", "-") + ".out", b.Bytes()
}

func cppReport(unit []test) (string, []byte) {
	_, xml := junitReport(unit)
	record := map[string]any{"unit": unit[0].file(), "kind": "gtest", "xml": "<testsuites>" + strings.SplitN(string(xml),
		"\n", 2)[1] + "</testsuites>"}
	if failed, _ := tally(unit); failed > 0 {
		record["code"] = 1
	}
	return fmt.Sprintf("%03d.jsonl", unit[0].unit), append(append(encode(record), '\n'), "{\"end\":true}\n"...)
}

func tally(unit []test) (failed, left int) {
	for _, t := range unit {
		if t.fails() {
			failed++
		} else if t.left() {
			left++
		}
	}
	return failed, left
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain maps of plain values
	}
	return b
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // never fails on a buffer
	return b.String()
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n    ") + "\n"
}
