package ruby

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
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

// RSpec is the report of rspec's JSON formatter.
func RSpec() testreport.Format {
	return format("rspec", "rspec --format json, a file per spec file, with the console beside it", readRSpec)
}

func readRSpec(b *testreport.Builder, name string, data []byte) {
	s, ok := b.Sidecar(name, data, ".json")
	if !ok {
		return
	}
	switch running := rspecRunning(s.Running); {
	case !s.Empty():
		readExamples(b, s)
		checkAnnounced(b, s)
	case running != "":
		b.Died(s, running)
	default:
		b.NoReport(s)
	}
	b.CheckExit(s)
}

// checkAnnounced leaves a file open of which rspec ran fewer examples than it loaded.
func checkAnnounced(b *testreport.Builder, s testreport.Sidecar) {
	for line := range strings.SplitSeq(s.Running, "\n") {
		text, announces := strings.CutPrefix(line, "= ")
		announced, err := strconv.Atoi(strings.TrimSpace(text))
		if listed := len(b.Read(s).Results); announces && err == nil && announced > listed {
			b.Open(s.Name(), fmt.Sprintf("rspec announced %d examples and reports %d", announced, listed))
		}
	}
}

// decodeRSpec decodes a report; what is wrong with it becomes a problem.
func decodeRSpec(b *testreport.Builder, s testreport.Sidecar) (r rspecReport, ok bool) {
	d := json.NewDecoder(bytes.NewReader(s.Data))
	if err := d.Decode(&r); err != nil {
		kind := testreport.Unreadable
		if errors.Is(err, io.ErrUnexpectedEOF) {
			kind = testreport.Cut
		}
		b.Problem(s.Name(), kind, err.Error())
		return r, false
	}
	if r.Examples == nil || r.Summary == nil {
		b.Problem(s.Name(), testreport.Unreadable, "the report is not rspec's")
		return r, false
	}
	if d.More() {
		b.Problem(s.Name(), testreport.Contradiction, "the file goes on behind the report")
	}
	return r, true
}

func readExamples(b *testreport.Builder, s testreport.Sidecar) {
	r, ok := decodeRSpec(b, s)
	if !ok {
		return
	}
	failed, pending, open := 0, 0, false
	for _, x := range *r.Examples {
		outcome, message := x.outcome()
		id := b.ID(x.unit(s.Unit), x.name())
		b.Add(id, outcome, x.Seconds, message)
		switch x.Status {
		case "failed":
			failed++
		case "pending":
			pending++
		case "": // began, and the process ended in it
			open = true
			b.MarkDied(id)
			b.Problem(x.unit(s.Unit), testreport.Crashed, s.Log)
		}
	}
	said := strings.Join(r.Messages, "\n")
	switch n := len(*r.Examples); {
	case r.Summary.Examples != n || r.Summary.Failures != failed || r.Summary.Pending != pending:
		b.Problem(s.Name(), testreport.Contradiction,
			fmt.Sprintf("the report counts %d examples, %d failures and %d pending, and lists %d, %d and %d",
				r.Summary.Examples, r.Summary.Failures, r.Summary.Pending, n, failed, pending))
	case r.Summary.Outside > 0 && n == 0:
		b.Problem(s.Name(), testreport.CollectionError, said)
	case r.Summary.Outside > 0:
		b.Problem(s.Name(), testreport.UnitFailed, said)
	case n == 0 && !open:
		b.Problem(s.Name(), testreport.NoTests, said)
	}
}

// outcome: what an expectation says is a failure, any other exception an error.
func (x rspecExample) outcome() (schema.TestOutcome, string) {
	message := x.Pending
	if e := x.Exception; e != nil {
		trace := strings.Join(e.Backtrace[:min(5, len(e.Backtrace))], "\n")
		message = strings.TrimSpace(e.Class + "\n" + e.Message + "\n" + trace)
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
	return schema.Error, "unknown status " + testreport.Truncate(x.Status, 100)
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
