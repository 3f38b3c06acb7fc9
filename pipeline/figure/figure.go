// Package figure draws charts of counts and shares as SVG and PNG: bars, columns and
// cumulative curves, in panels that stand beside each other where there is room and
// below each other where there is none. It knows nothing of what is drawn.
//
// A figure's colours are those of a page in light; [Figure.Inline] gives them as the
// page's own variables, so that a figure within a page turns dark with it.
package figure

import (
	"bytes"
	"fmt"
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Widths in points that figures are drawn for: a page beside text, and a phone.
const (
	Wide   = 640
	Narrow = 300
)

// narrow is below what width panels and labels stand below each other.
const narrow = 420

// Figure is one or more panels with one legend.
type Figure struct {
	// Legend names the series; none is drawn for fewer than two.
	Legend []Entry
	Panels []Panel
}

// Entry is one series of a legend.
type Entry struct {
	Name   string
	Colour int // of the palette
	Dashed bool
}

// Panel is one chart.
type Panel struct {
	Title string
	Chart Chart
}

// Chart is a [Bars], [Columns] or [Curves].
type Chart interface {
	height(width vg.Length) vg.Length
	draw(c draw.Canvas)
}

// The colours that are not series'.
var (
	ink   = color.RGBA{0x1c, 0x21, 0x28, 0xff}
	faint = color.RGBA{0x59, 0x63, 0x6e, 0xff}
	grid  = color.RGBA{0xd8, 0xde, 0xe4, 0xff}
	bed   = color.RGBA{0xee, 0xf1, 0xf4, 0xff}
	over  = color.RGBA{0xfe, 0xff, 0xfe, 0xff} // text on a series' colour
)

// palette tells series apart, for eyes that see few colours too.
var palette = []color.RGBA{
	{0x1f, 0x6f, 0x8b, 0xff}, {0xd9, 0x7a, 0x2b, 0xff}, {0x5a, 0x8f, 0x3c, 0xff}, {0x8e, 0x5a, 0xa8, 0xff},
	{0xc0, 0x4a, 0x5a, 0xff}, {0x7a, 0x6a, 0x52, 0xff}, {0x9a, 0xa4, 0xae, 0xff},
}

// Colours is how many series have a colour of their own.
var Colours = len(palette)

// Grey is the colour of what is not known.
const Grey = 6

func paint(i int) color.RGBA { return palette[i%len(palette)] }

const (
	textSize  = 9.5
	smallSize = 8.5
	gap       = vg.Length(14)
)

func style(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		Handler: plot.DefaultTextHandler,
		XAlign:  draw.XLeft, YAlign: draw.YCenter}
}

func bold(size vg.Length, c color.Color) text.Style {
	s := style(size, c)
	s.Font.Weight = xfont.WeightBold
	return s
}

// SVG draws the figure on white.
func (f Figure) SVG(width int) ([]byte, error) {
	w, h := f.size(width)
	c := vgsvg.New(w, h)
	f.draw(draw.New(c), true)
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return []byte(fixed(b.String())), wrap(err)
}

// PNG draws the figure on white, at twice the resolution of a screen.
func (f Figure) PNG(width int) ([]byte, error) {
	w, h := f.size(width)
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(192))
	f.draw(draw.New(c), true)
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), wrap(err)
}

func wrap(err error) error {
	if err != nil {
		return fmt.Errorf("drawing a figure: %w", err)
	}
	return nil
}

// size gives the figure's size: its height follows from what it holds.
func (f Figure) size(width int) (w, h vg.Length) {
	w = vg.Length(width)
	legend := f.legend(draw.Canvas{}, w)
	for _, row := range f.rows(w) {
		h += rowHeight(row, w/vg.Length(len(row))) + gap
	}
	return w, max(h+legend, 20)
}

// rows puts the panels beside each other where there is room.
func (f Figure) rows(w vg.Length) (rows [][]Panel) {
	if w >= narrow {
		return [][]Panel{f.Panels}
	}
	for _, p := range f.Panels {
		rows = append(rows, []Panel{p})
	}
	return rows
}

func rowHeight(row []Panel, w vg.Length) (h vg.Length) {
	for _, p := range row {
		h = max(h, p.head()+p.Chart.height(w-gap))
	}
	return h
}

func (p Panel) head() vg.Length {
	if p.Title == "" {
		return 0
	}
	return 18
}

func (f Figure) draw(c draw.Canvas, background bool) {
	if background {
		fill(c, color.White, c.Min.X, c.Min.Y, c.Max.X, c.Max.Y)
	}
	w := c.Max.X - c.Min.X
	top := c.Max.Y
	for _, row := range f.rows(w) {
		each := w / vg.Length(len(row))
		h := rowHeight(row, each)
		for i, p := range row {
			left := c.Min.X + vg.Length(i)*each
			p.draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: left + gap/2, Y: top - h},
				Max: vg.Point{X: left + each - gap/2, Y: top}}})
		}
		top -= h + gap
	}
	f.legend(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: c.Min, Max: vg.Point{X: c.Max.X, Y: top + gap/2}}},
		w)
}

func (p Panel) draw(c draw.Canvas) {
	if p.Title != "" {
		c.FillText(bold(textSize+0.5, ink), vg.Point{X: c.Min.X, Y: c.Max.Y - 8}, fit(p.Title, bold(textSize+0.5, ink),
			c.Max.X-c.Min.X))
	}
	c.Max.Y -= p.head()
	p.Chart.draw(c)
}

// legend draws the series' names in lines as wide as there is room, and gives the
// height they take; a canvas of nothing is drawn on by no one.
func (f Figure) legend(c draw.Canvas, width vg.Length) vg.Length {
	if len(f.Legend) < 2 {
		return 0
	}
	const line, swatch = vg.Length(15), vg.Length(20)
	x, y := gap/2, line
	for _, e := range f.Legend {
		s := style(smallSize, ink)
		name := fit(e.Name, s, width-swatch-2*gap)
		if w := swatch + s.Width(name) + gap; x+w > width && x > gap/2 {
			x, y = gap/2, y+line
		}
		if c.Canvas != nil {
			at := vg.Point{X: c.Min.X + x, Y: c.Max.Y - y + line/2}
			if e.Dashed {
				c.StrokeLine2(draw.LineStyle{Color: paint(e.Colour), Width: 1.5, Dashes: []vg.Length{3, 2}}, at.X, at.Y, at.X+14,
					at.Y)
			} else {
				fill(c, paint(e.Colour), at.X, at.Y-3.5, at.X+14, at.Y+3.5)
			}
			c.FillText(s, vg.Point{X: at.X + swatch, Y: at.Y}, name)
		}
		x += swatch + s.Width(name) + gap
	}
	return y + 4
}

func fill(c draw.Canvas, col color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(col, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// fit cuts a text to a width.
func fit(s string, st text.Style, width vg.Length) string {
	if st.Width(s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && st.Width(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
