package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a chart of bars from left to right, one row below the other.
type Bars struct {
	Rows []Row
	// Stacked puts a row's values one after the other in one bar; else each has its own.
	Stacked bool
	// Log makes lengths logarithmic: what is a tenth is one step shorter.
	Log bool
	// Max is the value of a full bar; 0 is the greatest.
	Max float64
}

// Row is one row of bars.
type Row struct {
	Label string
	Bars  []Bar
}

// Bar is one value.
type Bar struct {
	Value  float64
	Text   string // beside the bar, or within it where bars are stacked
	Colour int
	// Low and High, where they are not equal, are drawn as a range over the bar.
	Low, High float64
}

const (
	barHeight = vg.Length(11)
	barGap    = vg.Length(2)
	rowGap    = vg.Length(9)
	labelLine = vg.Length(15)
)

func (b Bars) bars(r Row) vg.Length {
	n := len(r.Bars)
	if b.Stacked || n == 0 {
		n = 1
	}
	return vg.Length(n)*(barHeight+barGap) - barGap
}

func (b Bars) height(width vg.Length) (h vg.Length) {
	for _, r := range b.Rows {
		h += b.bars(r) + rowGap
		if width < narrow {
			h += labelLine
		}
	}
	return h
}

// labels is how much room the labels have at the left.
func (b Bars) labels(width vg.Length) (w vg.Length) {
	if width < narrow {
		return 0
	}
	for _, r := range b.Rows {
		w = max(w, style(textSize, ink).Width(r.Label)+10)
	}
	return min(w, width*2/5)
}

func (b Bars) full() (most float64) {
	for _, r := range b.Rows {
		sum := 0.0
		for _, x := range r.Bars {
			most = max(most, x.Value, x.High)
			sum += x.Value
		}
		if b.Stacked {
			most = max(most, sum)
		}
	}
	if b.Max > 0 {
		return b.Max
	}
	return max(most, 1e-9)
}

func (b Bars) length(v, full float64, room vg.Length) vg.Length {
	if b.Log {
		return room * vg.Length(math.Log10(1+max(0, v))/math.Log10(1+full))
	}
	return room * vg.Length(max(0, min(v, full))/full)
}

func (b Bars) draw(c draw.Canvas) {
	width := c.Max.X - c.Min.X
	labels, values := b.labels(width), b.texts()
	left, room := c.Min.X+labels, width-labels-values
	y, full := c.Max.Y, b.full()
	for _, r := range b.Rows {
		if labels == 0 {
			st := style(textSize, ink)
			c.FillText(st, vg.Point{X: c.Min.X, Y: y - labelLine/2 + 1.5}, fit(r.Label, st, width))
			y -= labelLine
		} else {
			st := style(textSize, ink)
			st.XAlign = draw.XRight
			c.FillText(st, vg.Point{X: left - 8, Y: y - b.bars(r)/2}, fit(r.Label, st, labels-10))
		}
		b.row(c, r, left, y, room, full)
		y -= b.bars(r) + rowGap
	}
}

// texts is how much room the values have at the right.
func (b Bars) texts() (w vg.Length) {
	if b.Stacked {
		return 0
	}
	for _, r := range b.Rows {
		for _, x := range r.Bars {
			w = max(w, style(smallSize, ink).Width(x.Text)+6)
		}
	}
	return w
}

func (b Bars) row(c draw.Canvas, r Row, left, y, room vg.Length, full float64) {
	at := left
	for _, x := range r.Bars {
		w := b.length(x.Value, full, room)
		if b.Stacked {
			fill(c, paint(x.Colour), at, y-barHeight, at+w, y)
			st := style(smallSize, over)
			st.XAlign = draw.XCenter
			if x.Text != "" && st.Width(x.Text)+4 <= w {
				c.FillText(st, vg.Point{X: at + w/2, Y: y - barHeight/2 + 0.8}, x.Text)
			}
			at += w
			continue
		}
		fill(c, bed, left, y-barHeight, left+room, y)
		fill(c, paint(x.Colour), left, y-barHeight, left+w, y)
		end := w
		if x.High > x.Low {
			lo, hi := left+b.length(x.Low, full, room), left+b.length(x.High, full, room)
			line := draw.LineStyle{Color: ink, Width: 1}
			c.StrokeLine2(line, lo, y-barHeight/2, hi, y-barHeight/2)
			c.StrokeLine2(line, lo, y-barHeight+3, lo, y-3)
			c.StrokeLine2(line, hi, y-barHeight+3, hi, y-3)
			end = hi - left
		}
		c.FillText(style(smallSize, ink), vg.Point{X: left + max(w, end) + 4, Y: y - barHeight/2 + 0.8}, x.Text)
		y -= barHeight + barGap
	}
}
