package report

import (
	"bytes"
	"html"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/settled"
	"github.com/wideswe/wideswe/schema"
)

// disputedReport is a report whose task t3 is disputed in p/a and unbuilt in p/b.
func disputedReport(t *testing.T, folder string) *schema.Report {
	t.Helper()
	write(t, filepath.Join(folder, "patches/t3/p__a.patch"),
		change("a.go", "x", "production code")+change("helper_test.go", "x", "put back"))
	r := sampleReport()
	set(r, "t3", func(v *schema.TaskReport) {
		v.Status, v.Resolved, v.Model, v.Mode, v.Attempt = schema.StatusDisputed, false, "m", schema.Joint, 1
		v.PutBack = map[string][]string{"p/a": {"helper_test.go"}}
		v.Patches = []schema.KeptPatch{{Repository: "p/a", File: "patches/t3/p__a.patch"}}
		for target, status := range map[string]string{"p/a": schema.StatusDisputed, "p/b": schema.StatusUnbuilt} {
			x := v.Targets[target]
			x.Status, x.Resolved = status, false
			v.Targets[target] = x
		}
	})
	return r
}

// decided makes a decision on a target of t3.
func decided(t *testing.T, folder string, r *schema.Report, target string, resolved bool) settled.Decision {
	t.Helper()
	digest, err := settled.Digest(folder, r.Tasks["t3"].Patches, target)
	if err != nil {
		t.Fatal(err)
	}
	return settled.Decision{Task: "t3", Target: target, Model: "m", Mode: schema.Joint, Attempt: 1, Resolved: resolved,
		Reason: "the helper only moved", By: "ann", Patches: digest, Date: "2026-01-02"}
}

// TestDecisionsAreCountedApart: what people decide changes no other count, and decisions
// on other patches count nowhere.
func TestDecisionsAreCountedApart(t *testing.T) {
	for name, tc := range map[string]struct {
		decide func(folder string, r *schema.Report) []settled.Decision
		want   string // tasks, repositories: disputed, unbuilt, settled as resolved, as unresolved, not settled
		warns  bool
	}{
		"nobody decided": {func(string, *schema.Report) []settled.Decision { return nil }, "1 0 0 0 1, 1 1 0 0 2", false},
		"one of two": {func(folder string, r *schema.Report) []settled.Decision {
			return []settled.Decision{decided(t, folder, r, "p/a", true)}
		}, "1 0 0 0 1, 1 1 1 0 1", false},
		"both resolved": {func(folder string, r *schema.Report) []settled.Decision {
			return []settled.Decision{decided(t, folder, r, "p/a", true), decided(t, folder, r, "p/b", true)}
		}, "1 0 1 0 0, 1 1 2 0 0", false},
		"one unresolved": {func(folder string, r *schema.Report) []settled.Decision {
			return []settled.Decision{decided(t, folder, r, "p/b", false)}
		}, "1 0 0 1 0, 1 1 0 1 1", false},
		"other patches": {func(folder string, r *schema.Report) []settled.Decision {
			d := decided(t, folder, r, "p/a", true)
			d.Patches = "another"
			return []settled.Decision{d}
		}, "1 0 0 0 1, 1 1 0 0 2", true},
		"a verdict that is not open": {func(folder string, r *schema.Report) []settled.Decision {
			return []settled.Decision{decided(t, folder, r, "p/c", false)}
		}, "1 0 0 0 1, 1 1 0 0 2", true},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			r := disputedReport(t, folder)
			res, err := compile(sampleData(), []evaluation{{Source{Folder: folder, Label: "m"}, tc.decide(folder, r), r}},
				options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for l := range strings.Lines(flat(res.table("two-counts"))) {
				_, after, _ := strings.Cut(strings.TrimSpace(l), ") ") // the strict count
				_, after, _ = strings.Cut(after, ") ")                 // as submitted
				got = append(got, after)
			}
			if strings.Join(got, ", ") != tc.want || (len(res.Warnings) > 0) != tc.warns {
				t.Errorf("got %q, want %q; warnings %q", got, tc.want, res.Warnings)
			}
			if sum := res.Series[0].Score().Summary; sum.TasksResolved != 0 || sum.TasksAsSubmitted != 1 ||
				sum.TargetsResolved != 2 || sum.TargetsAsSubmitted != 4 {
				t.Errorf("the counts are mixed: %+v", sum)
			}
		})
	}
}

// TestTheDisputedPartIsShown: the page has the part of the patch that the second run
// replaces, and who decided what.
func TestTheDisputedPartIsShown(t *testing.T) {
	folder := t.TempDir()
	r := disputedReport(t, folder)
	res, err := compile(sampleData(), []evaluation{{Source{Folder: folder, Label: "m"},
		[]settled.Decision{decided(t, folder, r, "p/a", true)}, r}}, options{})
	if err != nil {
		t.Fatal(err)
	}
	row := res.Series[0].Attempts[0].Tasks[2]
	v := row.view(row.Targets[0], bounds{maxPatch, maxLog})
	var part string
	for _, p := range v.Disputed {
		part += p.Text
	}
	if !strings.Contains(part, "+put back") || strings.Contains(part, "production code") {
		t.Errorf("the disputed part is %q", part)
	}
	var b bytes.Buffer
	if err := HTML(&b, res); err != nil {
		t.Fatal(err)
	}
	text := html.UnescapeString(b.String())
	for _, want := range []string{"Part of the patch that the second run replaces",
		"Settled as resolved by ann, 2026-01-02: the helper only moved", "? unbuilt"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestVerdictsOfEarlierRules: what an earlier version did not count is not known.
func TestVerdictsOfEarlierRules(t *testing.T) {
	r := sampleReport()
	r.Rules = ""
	res := counted(t, sampleData(), r)
	if got := flat(res.table("two-counts")); !strings.Contains(got, "m, tasks: 33.33 % (1/3) – 0 0 0 0 0") {
		t.Error(got)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "rules of an earlier version") {
		t.Error(res.Warnings)
	}
}
