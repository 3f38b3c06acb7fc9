package testreport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// rspecReport is what rspec's json formatter writes.
type rspecReport struct {
	Examples *[]rspecExample `json:"examples"`
	Summary  *struct {
		Examples int `json:"example_count"`
		Failures int `json:"failure_count"`
		Pending  int `json:"pending_count"`
		Outside  int `json:"errors_outside_of_examples_count"`
	} `json:"summary"`
	Messages []string `json:"messages"`
}

type rspecExample struct {
	ID          string  `json:"id"`
	Description string  `json:"description"`
	Full        string  `json:"full_description"`
	Status      string  `json:"status"`
	File        string  `json:"file_path"`
	Seconds     float64 `json:"run_time"`
	Pending     string  `json:"pending_message"`
	Exception   *struct {
		Class     string   `json:"class"`
		Message   string   `json:"message"`
		Backtrace []string `json:"backtrace"`
	} `json:"exception"`
}

// parseRSpec reads a report of rspec, and what the toolchain laid beside it.
func parseRSpec(b *builder, name string, data []byte) {
	report, aside, absent := b.aside(name)
	if aside && !absent {
		return
	}
	if aside {
		data = nil
	}
	s := b.beside(report, ".json")
	results, problems := len(b.report.Results), len(b.report.Problems)
	switch running := rspecRunning(s.running); {
	case len(bytes.TrimSpace(data)) > 0:
		b.rspec(s, data)
	case running != "":
		b.died(s, running)
	default:
		b.silent(s)
	}
	b.judge(s, results, problems)
}

func (b *builder) rspec(s beside, data []byte) {
	unit := s.of()
	var r rspecReport
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r); err != nil {
		kind := Unreadable
		if errors.Is(err, io.ErrUnexpectedEOF) {
			kind = Cut
		}
		b.problem(unit, kind, err.Error())
		return
	}
	if r.Examples == nil || r.Summary == nil {
		b.problem(unit, Unreadable, "the report is not rspec's")
		return
	}
	if d.More() {
		b.problem(unit, Contradiction, "the file goes on behind the report")
	}
	failed, pending, open := 0, 0, false
	for _, x := range *r.Examples {
		outcome, message := x.outcome()
		id := b.id(x.unit(s.unit), x.name())
		b.add(id, outcome, x.Seconds, message)
		switch x.Status {
		case "failed":
			failed++
		case "pending":
			pending++
		case "": // began, and the process ended in it
			open = true
			b.report.Crashed, b.report.Running = append(b.report.Crashed, id), append(b.report.Running, id)
			b.problem(x.unit(s.unit), Crashed, s.log)
		}
	}
	said := strings.Join(r.Messages, "\n")
	switch n := len(*r.Examples); {
	case r.Summary.Examples != n || r.Summary.Failures != failed || r.Summary.Pending != pending:
		b.problem(unit, Contradiction, fmt.Sprintf("the report counts %d examples, %d failures and %d pending, and lists %d, %d and %d", r.Summary.Examples, r.Summary.Failures, r.Summary.Pending, n, failed, pending))
	case r.Summary.Outside > 0 && n == 0:
		b.problem(unit, CollectionError, said)
	case r.Summary.Outside > 0:
		b.problem(unit, UnitFailed, said)
	case n == 0 && !open:
		b.problem(unit, NoTests, said)
	}
}

// outcome: what an expectation says is a failure, any other exception an error.
func (x rspecExample) outcome() (schema.TestOutcome, string) {
	message := x.Pending
	if e := x.Exception; e != nil {
		message = strings.TrimSpace(e.Class + "\n" + e.Message + "\n" + strings.Join(e.Backtrace[:min(5, len(e.Backtrace))], "\n"))
	}
	switch x.Status {
	case "passed":
		return schema.Pass, ""
	case "pending":
		return schema.Skip, message
	case "failed":
		if x.Exception != nil && !strings.HasPrefix(x.Exception.Class, "RSpec::") {
			return schema.Error, message
		}
		return schema.Fail, message
	case "":
		return schema.Error, "the process ended in it"
	}
	return schema.Error, "unknown status " + bound(x.Status, 100)
}

// unit is the file that the example was run from: shared examples stand in another.
// The report's own name has the folder of the package before it.
func (x rspecExample) unit(ours string) string {
	file, _, ok := strings.Cut(x.ID, "[")
	if !ok {
		file = x.File
	}
	file = strings.TrimPrefix(file, "./")
	if ours != "" && (file == "" || path.IsAbs(file) || ours == file || strings.HasSuffix(ours, "/"+file)) {
		return ours
	}
	return file
}

// name is the description with its groups'; an example without one has its place.
func (x rspecExample) name() string {
	full := strings.TrimSpace(x.Full)
	if x.Description == "" || !strings.HasSuffix(x.Full, x.Description) {
		if _, place, ok := strings.Cut(x.ID, "["); ok {
			full = strings.TrimSpace(full + " [" + place)
		}
	}
	return rubyName(full)
}

var rubyObject = regexp.MustCompile(`(#<[\w:]+):0x[0-9a-f]{8,16}`)

// rubyName takes out of a name where in memory an object lay.
func rubyName(s string) string {
	return rubyObject.ReplaceAllString(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "), "$1:0xADDR")
}

// rspecRunning is the example that was begun last and not ended.
func rspecRunning(text string) string {
	running := ""
	for line := range strings.SplitSeq(text, "\n") {
		switch name, begins := strings.CutPrefix(line, "> "); {
		case begins:
			running = rubyName(strings.TrimSpace(name))
		case line == "<":
			running = ""
		}
	}
	return running
}
