package testreport

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
)

const maxXMLDepth = 64

// xmlReader is told of a document's parts in their order.
type xmlReader interface {
	start(element string, attr map[string]string)
	chars(text string)
	end(element string)
}

// walkXML reads one document in bounds: no DTD, no deep nesting, one of the root
// elements named, every end with its beginning, and nothing left open at its end.
func walkXML(d *xml.Decoder, to xmlReader, roots ...string) error {
	var open []string
	root := false
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			if !root || len(open) > 0 {
				return errors.New("the document ends before its end")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.Directive:
			return errors.New("the document has a DTD; none is read")
		case xml.StartElement:
			if len(open) >= maxXMLDepth {
				return fmt.Errorf("elements nested more than %d deep", maxXMLDepth)
			}
			if !root && !slices.Contains(roots, t.Name.Local) {
				return fmt.Errorf("the root element is %.100q, not %s", t.Name.Local, roots[0])
			}
			root, open = true, append(open, t.Name.Local)
			to.start(t.Name.Local, attributes(t))
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != t.Name.Local {
				return errors.New("an element ends that did not begin")
			}
			to.end(t.Name.Local)
			open = open[:len(open)-1]
		case xml.CharData:
			to.chars(string(t))
		}
	}
}
