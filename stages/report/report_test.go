package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

const hostile = "<script>alert(1)</script> | `a` [x](javascript:alert(2)) \x1b[31m\u202e & \"q\""

// The data set of the tests: three tasks, seven targets.
func sampleData() *Dataset {
	d := describe([]DataTask{
		{ID: "t3", Title: "Three at once", Ecosystem: "e2", Kind: schema.Bugfix, Pattern: schema.Parallel,
			Languages: []string{"Go", "Shell"}, Context: 2, Sets: []string{"large"},
			Targets: []DataTarget{target("p/a", 2, 0), target("p/b", 1, 3), target("p/c", 1, 1)}},
		{ID: "t1", Title: line(hostile, maxTitle), Ecosystem: "e1", Kind: schema.Feature, Pattern: schema.ProducerConsumer,
			ChangeType: "protocol", Languages: []string{"Go"},
			Targets: []DataTarget{target("o/app", 2, 5), target("o/lib", 1, 4)}},
		{ID: "t2", Title: "Not predicted", Ecosystem: "e1", Kind: schema.Feature, Languages: []string{"Go"},
			Targets: []DataTarget{target("o/app", 1, 1), target("o/cli", 1, 0)}},
	})
	d.Name, d.Version, d.SHA256 = "sample", "1", strings.Repeat("a", 64)
	return d
}

func target(repository string, f2p, p2p int) DataTarget {
	return DataTarget{Repository: repository, F2P: f2p, P2P: p2p, Size: Size{2, f2p * 10, p2p},
		code: []filerole.Role{filerole.Source}}
}

func tally(n, of int) schema.Tally { return schema.Tally{Passed: n, Total: of} }

func sampleReport() *schema.Report {
	return &schema.Report{Format: 1, Rules: "6", Tasks: map[string]schema.TaskReport{
		"t1": {Status: schema.StatusUnresolved, Model: "m", Mode: schema.Joint, Attempt: 1, APIRequests: 30,
			Flags:   []string{"runner configuration: conftest.py"},
			Patched: []string{"o/lib"}, Seconds: 12.34, Targets: map[string]schema.TargetReport{
				"o/app": {Status: schema.StatusUnresolved, F2P: tally(0, 2), P2P: tally(5, 5), Reason: "F2P fails",
					Log: "logs/t1.log",
					Failing: []schema.FailingTest{{ID: "x::" + hostile, Class: schema.F2P, Outcome: schema.Fail, Message: hostile +
						"\nboom"}, {ID: "x::gone", Class: schema.F2P}}},
				"o/lib": {Status: schema.StatusResolved, Resolved: true, AsSubmitted: true, F2P: tally(1, 1), P2P: tally(4, 4)},
			}},
		"t3": {Status: schema.StatusResolved, Resolved: true, AsSubmitted: true, APIRequests: 10,
			Targets: map[string]schema.TargetReport{
				"p/a": {Status: schema.StatusResolved, Resolved: true, AsSubmitted: true, F2P: tally(2, 2)},
				"p/b": {Status: schema.StatusResolved, Resolved: true, AsSubmitted: true, F2P: tally(1, 1), P2P: tally(3, 3)},
				"p/c": {Status: schema.StatusResolved, Resolved: true, AsSubmitted: true, F2P: tally(1, 1), P2P: tally(1, 1)},
			}},
	}}
}

// counted is the report of a data set and the evaluations of it.
func counted(t *testing.T, data *Dataset, reports ...*schema.Report) *Result {
	t.Helper()
	var list []evaluation
	for i, r := range reports {
		label := ""
		if len(reports) > 1 {
			label = fmt.Sprintf("e%d", i+1)
		}
		list = append(list, evaluation{Source{Label: label, Folder: t.TempDir()}, nil, r})
	}
	res, err := compile(data, list, options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestCountOverEveryReleasedTarget(t *testing.T) {
	res := counted(t, sampleData(), sampleReport())
	want := schema.ReportSummary{
		Tasks: 3, TasksResolved: 1, Targets: 7, TargetsResolved: 4, TasksAnyResolved: 2, Incomplete: true,
		TasksAsSubmitted: 1, TargetsAsSubmitted: 4,
		ByStatus: map[string]int{"resolved": 1, "unresolved": 1, "missing": 1},
		F2P:      tally(5, 9), P2P: tally(13, 14),
		// p/a and o/cli have no P2P; o/app of the task without a prediction has.
		F2PComplete: tally(4, 7), P2PPreserved: tally(4, 5),
	}
	run := res.Series[0].Attempts[0]
	if d := cmp.Diff(want, run.All()); d != "" {
		t.Error(d)
	}
	if res.Series[0].Title() != "m" || run.Slices[0].APIRequests != 20 || run.Unfinished != 1 {
		t.Errorf("%s, %v, %d", res.Series[0].Title(), run.Slices[0].APIRequests, run.Unfinished)
	}
	if len(res.Warnings) > 0 {
		t.Error(res.Warnings)
	}
	got := map[string]string{}
	for _, s := range run.Slices {
		got[strings.TrimPrefix(s.Property+": "+s.Value, "all: ")] = fmt.Sprint(rate(tally(s.Summary.TasksResolved,
			s.Summary.Tasks)), " ", s.Summary.Incomplete)
	}
	if d := cmp.Diff(map[string]string{"": "1/3 true", "kind: bugfix": "1/1 false", "kind: feature": "0/2 true",
		"kind and languages: bugfix, several": "1/1 false", "kind and languages: feature, one": "0/2 true",
		"target repositories: 2": "0/2 true", "target repositories: 3": "1/1 false", "languages: one": "0/2 true",
		"languages: several": "1/1 false",
		"pattern: parallel":  "1/1 false", "pattern: producer-consumer": "0/1 false", "set: large": "1/1 false"},
		got); d != "" {
		t.Error(d)
	}
}

func TestNothingUnknownCountsInAnyonesFavour(t *testing.T) {
	for name, tt := range map[string]struct {
		change     func(*schema.Report)
		resolved   int
		targets    int
		f2p        schema.Tally
		incomplete bool
		warn       string
	}{
		"as it is":        {func(*schema.Report) {}, 1, 4, tally(5, 9), true, ""},
		"no tasks at all": {func(r *schema.Report) { r.Tasks = nil }, 0, 0, tally(0, 9), true, ""},
		"infra": {func(r *schema.Report) {
			set(r, "t3", func(v *schema.TaskReport) { v.Status, v.Resolved, v.Targets = "infra", false, nil })
		}, 0, 1, tally(1, 9), true, ""},
		"infra called resolved": {func(r *schema.Report) {
			set(r, "t3", func(v *schema.TaskReport) { v.Status, v.Targets = "infra", nil })
		}, 0, 1, tally(1, 9), true, "called resolved"},
		"disputed": {func(r *schema.Report) { set(r, "t3", func(v *schema.TaskReport) { v.Status = "disputed" }) }, 0, 4,
			tally(5, 9), true, "called resolved"},
		"a failing P2P": {func(r *schema.Report) {
			r.Tasks["t3"].Targets["p/c"] = schema.TargetReport{Status: "resolved", Resolved: true, F2P: tally(1, 1),
				P2P: tally(0, 1)}
		}, 0, 3, tally(5, 9), true, "p/c is called resolved"},
		"a target left out": {func(r *schema.Report) { delete(r.Tasks["t3"].Targets, "p/a") }, 0, 3, tally(3, 9), true,
			"called resolved"},
		"more than there are": {func(r *schema.Report) {
			r.Tasks["t3"].Targets["p/a"] = schema.TargetReport{Status: "resolved", Resolved: true, F2P: tally(90, 90)}
		}, 1, 4, tally(5, 9), true, "other tests"},
		"an unknown task": {func(r *schema.Report) { r.Tasks["t9"] = schema.TaskReport{Status: "resolved", Resolved: true} },
			1, 4, tally(5, 9), true, "t9"},
		"no status": {func(r *schema.Report) { set(r, "t3", func(v *schema.TaskReport) { v.Status = "" }) }, 0, 4,
			tally(5, 9), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			report := sampleReport()
			tt.change(report)
			res := counted(t, sampleData(), report)
			s := res.Series[0].Attempts[0].All()
			if s.TasksResolved != tt.resolved || s.TargetsResolved != tt.targets || s.F2P != tt.f2p ||
				s.Incomplete != tt.incomplete || s.Tasks != 3 || s.Targets != 7 {
				t.Errorf("%+v", s)
			}
			if got := strings.Join(res.Warnings, "\n"); !strings.Contains(got, tt.warn) || tt.warn == "" && got != "" {
				t.Errorf("warnings %q", got)
			}
		})
	}
}

func set(r *schema.Report, id string, change func(*schema.TaskReport)) {
	v := r.Tasks[id]
	change(&v)
	r.Tasks[id] = v
}

func TestGolden(t *testing.T) {
	two := sampleReport()
	two.Runs = []schema.ReportRun{{Model: "m", Mode: schema.Joint, Attempt: 1, Tasks: two.Tasks}, {Model: "gold",
		Mode: schema.Joint, Tasks: map[string]schema.TaskReport{}}}
	for name, r := range map[string]*Result{
		"report": counted(t, sampleData(), sampleReport()), "runs": counted(t, sampleData(), two), "dataset": counted(t,
			sampleData()),
	} {
		files, err := Draw(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files[1:3] { // the page is looked at in a browser
			golden := filepath.Join("testdata", name+filepath.Ext(f.Name))
			if *update {
				if err := os.WriteFile(golden, f.Text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(f.Text)); d != "" {
				t.Errorf("%s (go test -update writes it anew): %s", golden, d)
			}
		}
	}
}

// The page has one script and no way to ask for anything.
func TestPageIsAloneAndStrangersTextStaysText(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, counted(t, sampleData(), sampleReport())); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	scripts, messages, ids := 0, 0, map[string]bool{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			scripts++
		case "img", "iframe", "link", "object", "form", "base":
			t.Errorf("a <%s> is there", n.Data)
		case "pre":
			messages++
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				if ids[a.Val] {
					t.Errorf("id %q is there twice", a.Val)
				}
				ids[a.Val] = true
			case a.Key == "src", strings.HasPrefix(a.Key, "on"), a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				t.Errorf("attribute %s=%q", a.Key, a.Val)
			}
		}
	}
	if scripts != 1 || messages != 1 {
		t.Errorf("%d scripts, %d messages", scripts, messages)
	}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "href" && !ids[strings.TrimPrefix(a.Val, "#")] {
				t.Errorf("%s leads nowhere", a.Val)
			}
		}
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Error("control characters reach the page")
	}
	if strings.Contains(b.String(), "http://") || strings.Contains(b.String(), "https://") {
		t.Error("the page names an address")
	}
}

func TestMessagesAreBounded(t *testing.T) {
	report := sampleReport()
	v := report.Tasks["t1"].Targets["o/app"]
	v.Failing = nil
	for range 1000 {
		v.Failing = append(v.Failing, schema.FailingTest{ID: strings.Repeat("i", 1e4), Message: strings.Repeat("m", 1e5) +
			"END"})
	}
	for range 1000 {
		v.Flags = append(v.Flags, "f")
	}
	report.Tasks["t1"].Targets["o/app"] = v
	files, err := Draw(counted(t, sampleData(), report))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if len(f.Text) > 150_000 {
			t.Errorf("%s has %d bytes", f.Name, len(f.Text))
		}
	}
	if !bytes.Contains(files[0].Text, []byte("mEND")) {
		t.Error("the end of a message is lost")
	}
}

func TestMarkdownTablesHoldTheirColumns(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b, counted(t, sampleData(), sampleReport())); err != nil {
		t.Fatal(err)
	}
	columns := 0
	for l := range strings.Lines(b.String()) {
		if !strings.HasPrefix(l, "|") {
			columns = 0
			continue
		}
		n := strings.Count(l, "|") - strings.Count(l, `\|`)
		if columns > 0 && n != columns {
			t.Errorf("%d columns instead of %d: %s", n, columns, l)
		}
		columns = n
	}
	if strings.Contains(b.String(), "<script") && !strings.Contains(b.String(), `\<script`) {
		t.Error("markup of strangers is not escaped")
	}
}

// A page begins with what it is about.
func TestOrderOfThePage(t *testing.T) {
	for _, tt := range []struct {
		res   *Result
		order []string
	}{
		{counted(t, sampleData()), []string{`id="data"`, `id="tasks"`}},
		{counted(t, sampleData(), sampleReport()), []string{`class="leaders"`, `id="failures"`, `id="tasks"`, `id="data"`,
			`id="counting"`}},
	} {
		var b bytes.Buffer
		if err := HTML(&b, tt.res); err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, mark := range tt.order {
			i := strings.Index(b.String()[at:], mark)
			if i < 0 {
				t.Fatalf("%s does not follow what comes before it in %v", mark, tt.order)
			}
			at += i
		}
	}
}
