package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/figure"
	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// rows writes a chart of bars line by line.
func rows(chart figure.Chart) string {
	var b strings.Builder
	for _, r := range chart.(figure.Bars).Rows {
		fmt.Fprintf(&b, "%s:", r.Label)
		for _, x := range r.Bars {
			fmt.Fprintf(&b, " %.2f", x.Value)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// What the figures of the worked set show.
func TestFiguresShowTheWorkedSet(t *testing.T) {
	res := workedResult(t, options{pairs: "equal"})
	res.Data.Funnel = []schema.FunnelRow{{Stage: "crawl", Unit: "pull", Status: "done", Items: 1729171}, {Stage: "crawl",
		Unit: "pull", Status: "skipped", Items: 5},
		{Stage: "validate", Unit: "task", Status: "eligible", Items: 192}}
	res.Figures = res.drawings()
	figures := map[string]figure.Figure{}
	var names []string
	for _, d := range res.Figures {
		figures[d.Name] = d.figure
		names = append(names, d.Name)
	}
	if d := cmp.Diff([]string{"success", "figure3", "figure4", "figure5", "figure2", "figure6", "figure7", "figure8"},
		names); d != "" {
		t.Fatal(d)
	}
	for _, tt := range []struct {
		figure string
		panel  int
		want   string
	}{
		{"success", 0, "A: 42.86\nA, independent: 42.86\nB: 28.57\nC: 57.14\n"},
		{"figure2", 0, "merged pulls: 1729171.00\neligible tasks: 192.00\n"},
		{"figure2", 1, "f: 4.00\nb: 3.00\n"},
		{"figure3", 0, "A (4): 25.00 50.00 25.00\nA, independent (4): 75.00 25.00\nB (5): 40.00 20.00 40.00\nC (6): " +
			"100.00\n"},
		{"figure4", 0, "2 repositories (6): 50.00 50.00 16.67 58.33\n3 repositories (1): 0.00 0.00 100.00 50.00\n"},
		{"figure4", 1, "Bug fix, single family (2): 100.00 0.00 0.00 50.00\nBug fix, multiple families (1): 0.00 100.00 " +
			"0.00 50.00\n" +
			"Feature, single family (1): 0.00 0.00 100.00 50.00\nFeature, multiple families (3): 33.33 66.67 33.33 66.67\n"},
		{"figure5", 0, "All (6): 16.67 16.67 33.33 33.33\nBug fix (2): 50.00 50.00\nFeature (4): 25.00 25.00 50.00\n"},
		{"figure5", 1, "All (13): 46.15 15.38 30.77 7.69\nBug fix (4): 50.00 25.00 25.00\nFeature (9): 44.44 11.11 33.33 " +
			"11.11\n"},
	} {
		if d := cmp.Diff(tt.want, rows(figures[tt.figure].Panels[tt.panel].Chart)); d != "" {
			t.Errorf("%s, panel %d: %s", tt.figure, tt.panel, d)
		}
	}
	if d := cmp.Diff([]int{7}, figures["figure6"].Panels[0].Chart.(figure.Columns).Counts); d != "" {
		t.Errorf("figure 6: %s", d)
	}
	for _, tt := range []struct {
		figure       string
		panel, curve int
		want         []float64
	}{
		{"figure7", 0, 0, []float64{4, 4, 4}}, {"figure7", 0, 1, []float64{4, 4, 4, 6}}, {"figure7", 1, 0, []float64{35, 34,
			43}}, {"figure7", 1, 1, []float64{22, 32, 34, 45}},
		{"figure8", 0, 1, []float64{3, 3, 4, 2, 3, 3, 4}}, {"figure8", 1, 0, []float64{3, 2, 0, 4, 1, 2, 1, 1, 2, 0, 2, 2, 1,
			1, 3}},
	} {
		chart := figures[tt.figure].Panels[tt.panel].Chart.(figure.Curves)
		if d := cmp.Diff(tt.want, chart.Curves[tt.curve].Values); d != "" {
			t.Errorf("%s, panel %d, curve %d: %s", tt.figure, tt.panel, tt.curve, d)
		}
	}
}

// The reference change is all of it, each file once, binary ones without lines.
func TestSizeOfAReferenceChange(t *testing.T) {
	h := release.Target{Gold: []byte(change("lib/a.go", "x", "y") + change("README.md", "x", "y") + "diff --git a/logo.png b/logo.png\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/logo.png differ\n" +
		"diff --git a/old.go b/new.go\nsimilarity index 100%\nrename from old.go\nrename to new.go\n"),
		Layers: []workspace.Layer{{Name: "01", Patch: []byte(change("lib/a_test.go", "x", "y"))}, {Name: "02", Patch: []byte(change("lib/a_test.go", "y", "z") + change("testdata/x.json", "x", "y"))}}}
	size, gold, err := reference(h)
	if d := cmp.Diff(Size{Files: 6, Added: 5, Deleted: 5}, size); d != "" || err != nil || len(gold) != 4 {
		t.Error(d, err, len(gold))
	}
	if d := cmp.Diff([]filerole.Role{filerole.Source}, codeRoles(gold)); d != "" {
		t.Error(d)
	}
	h.Layers[1].Patch = []byte("no diff at all")
	if _, _, err := reference(h); err == nil {
		t.Error("what can't be read counts as nothing")
	}
}
