// Package reporttest holds what the tests of report formats share: golden corpora of
// what real runners left, cases written as lines, fuzzing, and messages without the
// runner's framing.
package reporttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// CheckLines reads files, name → text, and compares the report with lines: "ID OUTCOME",
// "! UNIT KIND", "crashed ID".
func CheckLines(t *testing.T, f testreport.Format, files map[string]string, want string) testreport.Report {
	t.Helper()
	r := f.Parse(Bytes(files))
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), lines(r)); diff != "" {
		t.Errorf("-want +got\n%s\nproblems: %+v", diff, r.Problems)
	}
	return r
}

// Bytes gives files as a run leaves them.
func Bytes(files map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for name, text := range files {
		all[name] = []byte(text)
	}
	return all
}

func lines(r testreport.Report) []string {
	var list []string
	for _, t := range r.Results {
		o := string(t.Outcome)
		if o == "" {
			o = "missing"
		}
		list = append(list, t.ID+" "+o)
	}
	for _, p := range r.Problems {
		list = append(list, fmt.Sprintf("! %s %s", p.Unit, p.Kind))
	}
	for _, id := range r.Crashed {
		list = append(list, "crashed "+id)
	}
	return list
}

// Text writes a report out: "OUTCOME ID" and "! KIND UNIT", a line each.
func Text(r testreport.Report) string {
	var b strings.Builder
	for _, x := range r.Results {
		fmt.Fprintf(&b, "%s %s\n", x.Outcome, x.ID)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "! %s %s\n", p.Kind, p.Unit)
	}
	return b.String()
}

// CheckFraming reads a run twice, with other figures of the runner's own, and compares
// the messages: they must hold no line and no figure of the runner's. text is what the
// runner wrote into the file, with its figures in ‹›; want is what the messages begin with.
func CheckFraming(t *testing.T, f testreport.Format, name, file, text, want string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		one, other := messages(f, file, text, ""), messages(f, file, text, "9")
		if one == "" && other == "" {
			t.Fatal("no message")
		}
		if d := cmp.Diff(one, other); d != "" {
			t.Errorf("two runs that said the same (-one +other):\n%s", d)
		}
		if !strings.HasPrefix(one, want) {
			t.Errorf("got  %q\nwant %q", one, want)
		}
	})
}

// messages reads a text with more before each figure in ‹›.
func messages(f testreport.Format, file, text, more string) string {
	text = strings.NewReplacer("‹", more, "›", "").Replace(text)
	r := f.Parse(map[string][]byte{file: []byte(text)})
	var all []string
	for _, x := range r.Results {
		all = append(all, x.Message)
	}
	for _, p := range r.Problems {
		all = append(all, p.Message)
	}
	return strings.Join(all, "\n")
}

// CheckBounds reads files twice and fails where an id appears twice, something is out
// of bounds, or the reports differ.
func CheckBounds(t *testing.T, f testreport.Format, files map[string][]byte) testreport.Report {
	t.Helper()
	r := f.Parse(files)
	seen := map[string]bool{}
	for _, x := range r.Results {
		if unit, _ := schema.SplitTestID(x.ID); seen[x.ID] || strings.HasPrefix(unit, "/") {
			t.Errorf("id %q", x.ID)
		}
		seen[x.ID] = true
		if len(x.ID) > schema.MaxTestID+10 || len(x.Message) > testreport.MaxMessage || x.Outcome == schema.Missing {
			t.Errorf("out of bounds: %+v", x)
		}
	}
	if diff := cmp.Diff(r, f.Parse(files)); diff != "" {
		t.Errorf("not the same twice: %s", diff)
	}
	f.Judge(r, 0)
	return r
}

// Fuzz holds a format to its bounds, whatever is in a file of this name.
func Fuzz(f *testing.F, format testreport.Format, name string) {
	f.Helper()
	f.Fuzz(func(t *testing.T, data []byte) {
		CheckBounds(t, format, map[string][]byte{name: data})
	})
}
