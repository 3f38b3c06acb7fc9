package testreport

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxXMLDepth is how deep elements may be nested.
const MaxXMLDepth = 64

// XMLReader gets the parts of a document in their order.
type XMLReader interface {
	Start(element string, attr map[string]string)
	Chars(text string)
	End(element string)
}

// ReadXML reads one document in bounds: no DTD, no deep nesting, one of the root
// elements named, every end with its beginning, and nothing left open at its end.
// Characters that XML forbids and runners write all the same are replaced.
func ReadXML(data []byte, to XMLReader, roots ...string) error {
	d := xml.NewDecoder(bytes.NewReader(legalXML(data)))
	d.CharsetReader = decodeCharset
	w := xmlWalk{to: to, roots: roots}
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return w.finish()
		}
		if err == nil {
			err = w.token(token)
		}
		if err != nil {
			return err
		}
	}
}

// xmlWalk is a document that is being read.
type xmlWalk struct {
	to    XMLReader
	roots []string
	root  bool     // the root element was seen
	open  []string // the elements that have not ended
}

func (w *xmlWalk) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("the document has a DTD; none is read")
	case xml.StartElement:
		return w.start(t)
	case xml.EndElement:
		if len(w.open) == 0 || w.open[len(w.open)-1] != t.Name.Local {
			return errors.New("an element ends that did not begin")
		}
		w.to.End(t.Name.Local)
		w.open = w.open[:len(w.open)-1]
	case xml.CharData:
		w.to.Chars(string(t))
	}
	return nil
}

func (w *xmlWalk) start(t xml.StartElement) error {
	if len(w.open) >= MaxXMLDepth {
		return fmt.Errorf("elements nested more than %d deep", MaxXMLDepth)
	}
	if !w.root && !slices.Contains(w.roots, t.Name.Local) {
		return fmt.Errorf("the root element is %.100q, not %s", t.Name.Local, w.roots[0])
	}
	w.root, w.open = true, append(w.open, t.Name.Local)
	w.to.Start(t.Name.Local, attributes(t))
	return nil
}

func (w *xmlWalk) finish() error {
	if !w.root || len(w.open) > 0 {
		return errors.New("the document ends before its end")
	}
	return nil
}

func attributes(t xml.StartElement) map[string]string {
	m := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		if a.Name.Space == "" {
			m[a.Name.Local] = a.Value
		}
	}
	return m
}

var charRef = regexp.MustCompile(`&#(?:[xX][0-9a-fA-F]{1,8}|[0-9]{1,10});`)

// xmlColour is a colour, and no other sequence: nothing that is taken out of a
// document may reach over its elements.
var xmlColour = regexp.MustCompile("\x1b\\[[0-9;:]{0,40}m")

// legalXML replaces what XML forbids and runners write all the same, so that one
// control character in a message does not lose the report.
func legalXML(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.Contains(data, []byte("&#")) {
		data = charRef.ReplaceAllFunc(data, legalReference)
	}
	if bytes.IndexByte(data, 0x1b) >= 0 {
		data = xmlColour.ReplaceAll(data, nil)
	}
	if !latin1(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
		data = bytes.Map(func(r rune) rune {
			if legalRune(r) {
				return r
			}
			return utf8.RuneError
		}, data)
	}
	return data
}

// legalReference replaces a character reference that XML forbids.
func legalReference(ref []byte) []byte {
	digits, base := string(ref[2:len(ref)-1]), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err == nil && n <= utf8.MaxRune && legalRune(rune(n)) {
		return ref
	}
	if err == nil && n == 0x1b {
		return []byte{0x1b} // of a colour, or else replaced later
	}
	return []byte("\uFFFD")
}

func legalRune(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' ||
		r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= utf8.MaxRune
}

var latin1Head = regexp.MustCompile(`(?i)^\s*<\?xml[^>]*encoding=["'](iso-8859-1|latin-?1|windows-1252)["']`)

func latin1(data []byte) bool { return latin1Head.Match(data[:min(len(data), 200)]) }

// decodeCharset reads the encodings seen beside UTF-8.
func decodeCharset(label string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "utf8", "us-ascii", "ascii":
		return input, nil
	case "iso-8859-1", "latin1", "latin-1", "windows-1252":
		raw, err := io.ReadAll(input)
		if err != nil {
			return nil, err
		}
		runes := make([]rune, len(raw))
		for i, c := range raw {
			if runes[i] = rune(c); !legalRune(rune(c)) {
				runes[i] = utf8.RuneError
			}
		}
		return strings.NewReader(string(runes)), nil
	}
	return nil, fmt.Errorf("the encoding %.40q is not read", label)
}
