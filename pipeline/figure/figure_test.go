package figure

import (
	"bytes"
	"fmt"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

func curves() Figure {
	return Figure{Legend: []Entry{{"bug fixes", 0, false}, {"features", 1, true}}, Panels: []Panel{
		{"Files", Curves{"files", "tasks", []Curve{{[]float64{0, 2, 2, 5, 700}, 0, false}, {[]float64{3, 200}, 1, true},
			{nil, 2, false}}}},
		{"Context", Columns{"repositories", "tasks", []int{27, 12, 0, 30}, 0}},
	}}
}

func bars() Figure {
	return Figure{Legend: []Entry{{"a <script>", 0, false}, {strings.Repeat("long ", 60), 1, false}}, Panels: []Panel{
		{"Alone", Bars{Max: 100, Rows: []Row{{"<b>two</b>", []Bar{{40, "40 %", 0, 30, 50}, {80, "80 %", 1, 0, 0}}}}}},
		{"Stacked", Bars{Stacked: true, Rows: []Row{{"row", []Bar{{1, "1", 0, 0, 0}, {3, "3", 1, 0, 0}}}}}},
		{"Nothing", Bars{}},
	}}
}

func TestFiguresAreDrawnAlikeAtEveryWidth(t *testing.T) {
	for name, f := range map[string]Figure{"curves": curves(), "bars": bars(), "empty": {}} {
		for _, width := range []int{Wide, Narrow} {
			t.Run(fmt.Sprint(name, width), func(t *testing.T) {
				first, err := f.SVG(width)
				if err != nil {
					t.Fatal(err)
				}
				second, err := f.SVG(width)
				if err != nil || !bytes.Equal(first, second) {
					t.Errorf("two drawings differ, %v", err)
				}
				picture, err := f.PNG(width)
				if err != nil {
					t.Fatal(err)
				}
				config, err := png.DecodeConfig(bytes.NewReader(picture))
				if err != nil || config.Width < width*2 {
					t.Errorf("%+v, %v", config, err)
				}
			})
		}
	}
}

// A narrow figure has its panels below each other.
func TestNarrowFiguresAreTaller(t *testing.T) {
	for _, f := range []Figure{curves(), bars()} {
		_, wide := f.size(Wide)
		_, small := f.size(Narrow)
		if small <= wide {
			t.Errorf("%v wide, %v narrow", wide, small)
		}
	}
}

// A text has its own width on every machine, whatever fonts there are.
func TestTextsHaveTheirWidth(t *testing.T) {
	svg, err := bars().SVG(Wide)
	if err != nil {
		t.Fatal(err)
	}
	inline, err := curves().Inline(Narrow, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(svg), inline} {
		if n, fixed := strings.Count(text, "<text "), strings.Count(text, "textLength="); n == 0 || n != fixed {
			t.Errorf("%d of %d texts have their width", fixed, n)
		}
	}
	if !strings.Contains(string(svg), `>&lt;b&gt;two&lt;/b&gt;</text>`) {
		t.Errorf("a label is not what it was:\n%s", svg)
	}
}

// Every colour of an inline figure is the page's, and what it shows is text.
func TestInline(t *testing.T) {
	for _, f := range []Figure{curves(), bars()} {
		text, err := f.Inline(Wide, `"shows" <x>`)
		if err != nil {
			t.Fatal(err)
		}
		if left := regexp.MustCompile(`#[0-9A-Fa-f]{6}`).FindAllString(text, -1); len(left) > 0 {
			t.Errorf("colours of its own: %v", left)
		}
		doc, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		label := ""
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "b") {
				t.Errorf("a label became <%s>", n.Data)
			}
			for _, a := range n.Attr {
				if a.Key == "aria-label" {
					label = a.Val
				}
			}
		}
		if label != `"shows" <x>` || strings.Contains(text, "http") {
			t.Errorf("label %q\n%s", label, text)
		}
	}
}

func TestColoursAreApart(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Variables() {
		if seen[v[1]] {
			t.Errorf("%s is there twice", v[1])
		}
		seen[v[1]] = true
	}
}

func TestLengthOfBars(t *testing.T) {
	for _, tt := range []struct {
		bars        Bars
		value, full float64
		want        vg.Length
	}{
		{Bars{}, 25, 100, 50}, {Bars{}, 0, 100, 0}, {Bars{}, 300, 100, 200}, {Bars{}, -1, 100, 0},
		{Bars{Log: true}, 999, 999999, 100}, {Bars{Log: true}, 0, 99, 0}, {Bars{Log: true}, 99, 99, 200},
	} {
		if got := tt.bars.length(tt.value, tt.full, 200); got < tt.want-1e-9 || got > tt.want+1e-9 {
			t.Errorf("%v of %v: %v, want %v", tt.value, tt.full, got, tt.want)
		}
	}
	for _, tt := range []struct {
		bars Bars
		want float64
	}{
		{Bars{Rows: []Row{{"", []Bar{{Value: 3}, {Value: 4, High: 6}}}}}, 6}, {Bars{Max: 100}, 100},
		{Bars{Stacked: true, Rows: []Row{{"", []Bar{{Value: 3}, {Value: 4}}}}}, 7},
	} {
		if got := tt.bars.full(); got != tt.want {
			t.Errorf("%+v: full %v, want %v", tt.bars, got, tt.want)
		}
	}
}

func TestSteps(t *testing.T) {
	want := plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 25}, {X: 2, Y: 25}, {X: 2, Y: 75}, {X: 9, Y: 75},
		{X: 9, Y: 100}, {X: 20, Y: 100}}
	if d := cmp.Diff(want, steps([]float64{2, 9, 1, 2}, 0, 20)); d != "" {
		t.Error(d)
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		hi   float64
		want string
	}{{0.6, "0"}, {5, "0 1 2 3 4 5"}, {21, "0 5 10 15 20"}, {31, "0 10 20 30"}, {120, "0 50 100"}, {260, "0 100 200"}} {
		var got []string
		for _, tick := range whole(20, 20)(0, tt.hi) {
			got = append(got, tick.Label)
		}
		if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
			t.Errorf("to %v: %s", tt.hi, d)
		}
	}
	for _, tt := range []struct {
		lo, hi float64
		want   string
	}{{0, 25000, "0 1 10 100 1000 10k"}, {1, 7, "1 2 5"}, {1, 120, "1 2 5 10 20 50 100"},
		{1, 2e6, "1 10 100 1000 10k 100k 1M"}} {
		var got []string
		for _, tick := range powers(tt.lo, tt.hi) {
			got = append(got, tick.Label)
		}
		if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%v to %v: %s", tt.lo, tt.hi, d)
		}
	}
}
