package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Columns is a chart of how many have each whole number, from 0 on.
type Columns struct {
	X, Y   string
	Counts []int // by number
	Colour int
}

// Curves is a chart of cumulative shares: at each value, how many of a hundred have
// no more. Values run logarithmically, with room for 0.
type Curves struct {
	X, Y   string
	Curves []Curve
}

// Curve is one list of values.
type Curve struct {
	Values []float64
	Colour int
	Dashed bool
}

func (Columns) height(width vg.Length) vg.Length { return max(130, min(190, width*2/5)) }

func (Curves) height(width vg.Length) vg.Length { return max(150, min(210, width*3/5)) }

// axes makes a plot with quiet lines.
func axes(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle = style(smallSize, faint)
		a.Label.TextStyle.XAlign, a.Label.Padding = draw.XCenter, 5
		a.Tick.Label.Color, a.Tick.Label.Font = faint, style(smallSize, faint).Font
		a.LineStyle.Color, a.Tick.LineStyle.Color = grid, grid
		a.Padding = 2
	}
	g := plotter.NewGrid()
	g.Vertical.Width = 0
	g.Horizontal.Color, g.Horizontal.Width = grid, 0.5
	p.Add(g)
	return p
}

func (k Columns) draw(c draw.Canvas) {
	p := axes(k.X, k.Y)
	values := make(plotter.Values, len(k.Counts))
	most := 1.0
	for i, n := range k.Counts {
		values[i] = float64(n)
		most = max(most, float64(n))
	}
	room := (c.Max.X - c.Min.X - 30) / vg.Length(len(k.Counts)+1)
	if bars, err := plotter.NewBarChart(values, max(1, room*7/10)); err == nil && len(values) > 0 {
		bars.Color, bars.LineStyle.Width = paint(k.Colour), 0
		p.Add(bars)
	}
	p.X.Min, p.X.Max = -0.6, float64(max(1, len(k.Counts)))-0.4
	p.Y.Min, p.Y.Max = 0, most*1.05
	p.X.Tick.Marker, p.Y.Tick.Marker = whole(room, 14), whole(20, 20)
	p.Draw(c)
}

// whole ticks at whole numbers, as many as there is room for.
func whole(each, want vg.Length) plot.TickerFunc {
	return func(lo, hi float64) (ticks []plot.Tick) {
		step := 1
		for _, s := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000} {
			if step = s; vg.Length(s)*each >= want && (hi-lo)/float64(s) <= 21 || s == 10000 {
				break
			}
		}
		if each == want { // an axis of counts: about five lines
			for step = 1; (hi-lo)/float64(step) > 5; {
				step = next(step)
			}
		}
		for v := 0; float64(v) <= hi; v += step {
			ticks = append(ticks, plot.Tick{Value: float64(v), Label: strconv.Itoa(v)})
		}
		return ticks
	}
}

// next is the step after 1, 2, 5, 10, 20, 50 …
func next(step int) int {
	for s := step; ; s /= 10 {
		if s == 2 {
			return step * 5 / 2
		}
		if s < 10 {
			return step * 2
		}
	}
}

// logOfMore is the logarithm of one more than a number, as a scale.
type logOfMore struct{}

// Normalize implements [plot.Normalizer].
func (logOfMore) Normalize(lo, hi, x float64) float64 {
	return (math.Log1p(x) - math.Log1p(lo)) / (math.Log1p(hi) - math.Log1p(lo))
}

func (k Curves) draw(c draw.Canvas) {
	p := axes(k.X, k.Y)
	lo, hi := math.Inf(1), 1.0
	for _, curve := range k.Curves {
		for _, v := range curve.Values {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	lo = min(lo, 1)
	for _, curve := range k.Curves {
		if len(curve.Values) == 0 {
			continue
		}
		line, err := plotter.NewLine(steps(curve.Values, lo, hi))
		if err != nil {
			continue
		}
		line.LineStyle = draw.LineStyle{Color: paint(curve.Colour), Width: 1.6}
		if curve.Dashed {
			line.Dashes = []vg.Length{3.5, 2.5}
		}
		p.Add(line)
	}
	p.X.Scale, p.X.Min, p.X.Max = logOfMore{}, lo, hi
	p.Y.Min, p.Y.Max = 0, 100
	p.X.Tick.Marker = plot.TickerFunc(powers)
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 25, Label: ""}, {Value: 50, Label: "50"},
		{Value: 75, Label: ""}, {Value: 100, Label: "100 %"}}
	p.Draw(c)
}

// steps are the corners of the cumulative curve of a list.
func steps(values []float64, lo, hi float64) (points plotter.XYs) {
	s := slices.Sorted(slices.Values(values))
	y := 0.0
	points = append(points, plotter.XY{X: lo})
	for i, v := range s {
		if i+1 < len(s) && s[i+1] == v {
			continue
		}
		share := 100 * float64(i+1) / float64(len(s))
		points = append(points, plotter.XY{X: v, Y: y}, plotter.XY{X: v, Y: share})
		y = share
	}
	return append(points, plotter.XY{X: hi, Y: 100})
}

// powers ticks at 0, 1 and the powers of ten, and between them where there are few.
func powers(lo, hi float64) (ticks []plot.Tick) {
	if lo <= 0 {
		ticks = append(ticks, plot.Tick{Value: 0, Label: "0"})
	}
	factors := []float64{1}
	if hi < 200 {
		factors = []float64{1, 2, 5}
	}
	for decade := 1.0; decade <= hi; decade *= 10 {
		for _, f := range factors {
			if v := decade * f; v >= lo && v <= hi {
				ticks = append(ticks, plot.Tick{Value: v, Label: short(v)})
			}
		}
	}
	return ticks
}

func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%gM", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%gk", v/1e3)
	}
	return fmt.Sprintf("%g", v)
}
