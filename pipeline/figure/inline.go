package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Variables are the page's style variables that [Figure.Inline] uses, with their
// values in light: what a page must define, and may define otherwise in the dark.
func Variables() [][2]string {
	list := [][2]string{{"--f-ink", hex(ink)}, {"--f-faint", hex(faint)}, {"--f-grid", hex(grid)}, {"--f-bed", hex(bed)},
		{"--f-over", hex(over)}}
	for i, c := range palette {
		list = append(list, [2]string{fmt.Sprintf("--f-%d", i), hex(c)})
	}
	return list
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// Inline draws the figure as an element of a page of HTML. alt says in words what
// it shows.
func (f Figure) Inline(width int, alt string) (string, error) {
	w, h := f.size(width)
	c := vgsvg.New(w, h)
	f.draw(draw.New(c), false)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", wrap(err)
	}
	_, body, ok := strings.Cut(b.String(), "<svg")
	if !ok {
		return "", wrap(fmt.Errorf("there is no svg element"))
	}
	_, body, _ = strings.Cut(body, ">")
	for _, v := range Variables() {
		body = strings.ReplaceAll(body, ":"+v[1], ":var("+v[0]+")")
	}
	for _, long := range []string{";font-variant:none", ";font-variant:normal", ";font-weight:normal",
		";font-style:normal"} {
		body = strings.ReplaceAll(body, long, "")
	}
	body = strings.ReplaceAll(body, "font-family:Liberation Sans;", "")
	body = fixed(body)
	return fmt.Sprintf(`<svg role="img" aria-label="%s" viewBox="0 0 %.5g %.5g">`, html.EscapeString(alt), float64(w),
		float64(h)) + body, nil
}

var textElement = regexp.MustCompile(`(?s)<text ([^>]*style="([^"]*)font-size:([0-9.]+)px[^>]*)>([^<]*)</text>`)

// fixed gives every text the width that it was laid out with: a reader's machine may
// have another font, and a wider one would run into what stands beside it.
func fixed(svg string) string {
	return textElement.ReplaceAllStringFunc(svg, func(element string) string {
		m := textElement.FindStringSubmatch(element)
		size, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return element
		}
		st := style(vg.Length(size), ink)
		if strings.Contains(m[2], "font-weight:bold") {
			st = bold(vg.Length(size), ink)
		}
		return fmt.Sprintf(`<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" %s>%s</text>`,
			float64(st.Width(html.UnescapeString(m[4]))), m[1], m[4])
	})
}
