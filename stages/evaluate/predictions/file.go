package predictions

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// Read reads a file of predictions strictly: an error names the line and
// what is wrong with it, and one bad line refuses the file.
func Read(rel *release.Release, name string, r io.Reader) ([]schema.Prediction, error) {
	return newCollector(rel).read(name, r)
}

func (c *collector) read(name string, r io.Reader) ([]schema.Prediction, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	magic, _ := b.Peek(2)
	packed := string(magic) == "\x1f\x8b"
	if packed {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, pipeline.Usage("%s is not whole: %v", name, err)
		}
		b = bufio.NewReaderSize(&bounded{z, maxUnpacked}, 1<<16)
	}
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3) // some editors begin a file with it
	} else if len(mark) > 1 && (string(mark[:2]) == "\xff\xfe" || string(mark[:2]) == "\xfe\xff") {
		return nil, pipeline.Usage("%s is UTF-16; write it as UTF-8", name)
	}
	read := c.lines
	if isDocument(b) {
		read = c.document
	}
	if err := read(b); packed && errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, pipeline.Usage("%s is not whole: what gzip packed ends too early; copy it again", name)
	} else if err != nil {
		return nil, pipeline.Usage("%s, %v", name, err)
	}
	if len(c.out) == 0 {
		return nil, pipeline.Usage("%s holds no prediction; each is one line of JSON with task_id, "+
			"model_name_or_path and patches", name)
	}
	return c.out, nil
}

// bounded ends in an error where a file unpacks to more than it may.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("more than %d bytes when unpacked", int64(maxUnpacked))
	}
	return n, err
}

// isDocument tells whether a file is one JSON value: a list, or an object whose first
// key is none of a prediction's.
func isDocument(b *bufio.Reader) bool {
	head, _ := b.Peek(1 << 16)
	d := json.NewDecoder(bytes.NewReader(head))
	switch first, _ := d.Token(); first {
	case json.Delim('['):
		return true
	case json.Delim('{'):
		id, err := d.Token()
		name, ok := id.(string)
		return err == nil && ok && !isEntryName(name) && nextIsObject(d)
	}
	return false
}

// nextIsObject tells whether an object comes next. A line with a name that no prediction
// has is refused by that name instead.
func nextIsObject(d *json.Decoder) bool {
	t, err := d.Token()
	return err == nil && t == json.Delim('{')
}

// lines reads a prediction from each line. Blank lines are skipped.
func (c *collector) lines(b *bufio.Reader) error {
	for n := 1; ; n++ {
		place := fmt.Sprintf("line %d", n)
		line, err := readLine(b)
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", place, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := c.entry(line, "", place); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
}

func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// document reads a list of predictions, or an object of them by instance id, as
// SWE-bench's tools write them.
func (c *collector) document(b *bufio.Reader) error {
	text, err := io.ReadAll(io.LimitReader(b, maxDocument+1))
	if err != nil {
		return fmt.Errorf("line %d: %w", 1+bytes.Count(text, []byte("\n")), err)
	}
	if len(text) > maxDocument {
		return fmt.Errorf("line 1: one JSON value of more than %d bytes; write one prediction a line", maxDocument)
	}
	d := document{Decoder: json.NewDecoder(bytes.NewReader(text)), text: text}
	open, _ := d.Token()
	for n := 1; d.More(); n++ {
		id, raw, err := d.entry(open == json.Delim('{'), n)
		if err != nil {
			return fmt.Errorf("line %d: %w", d.line(), err)
		}
		place := fmt.Sprintf("entry %d (line %d)", n, d.line()-bytes.Count(raw, []byte("\n")))
		if err := c.entry(raw, id, place); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("line %d: it ends too early: %w", d.line(), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("line %d: something stands after the end of the JSON value", d.line())
	}
	return nil
}

// document is a JSON value as it is read.
type document struct {
	*json.Decoder
	text []byte
}

// line is the line that the decoder is at.
func (d document) line() int {
	return 1 + bytes.Count(d.text[:min(d.InputOffset(), int64(len(d.text)))], []byte("\n"))
}

// entry reads the n-th entry, with its name where it has one.
func (d document) entry(named bool, n int) (id string, raw json.RawMessage, err error) {
	if named {
		t, err := d.Token()
		if err != nil {
			return "", nil, plainJSON(err)
		}
		if id, _ = t.(string); id == "" {
			return "", nil, fmt.Errorf("entry %d has an empty name where the task's belongs", n)
		}
	}
	if err := d.Decode(&raw); err != nil {
		return "", nil, fmt.Errorf("entry %d: %w", n, plainJSON(err))
	}
	return id, raw, nil
}

// entry reads one JSON object in the shape that its names tell. id is the name that
// it stands under in an object.
func (c *collector) entry(text []byte, id, place string) error {
	e, err := parseEntry(text, id)
	if err != nil {
		return err
	}
	s, err := shapeOf(e)
	if err != nil {
		return err
	}
	if s.read == nil {
		return c.native(e, place)
	}
	r, err := s.read(e)
	if err != nil {
		return err
	}
	return c.row(r, place)
}

// entry is one JSON object of a file of predictions.
type entry struct {
	text   []byte
	id     string // the name that it stands under in an object, else ""
	fields map[string]json.RawMessage
}

// has tells whether the entry has every one of some names.
func (e entry) has(names ...string) bool {
	for _, n := range names {
		if _, ok := e.fields[n]; !ok {
			return false
		}
	}
	return true
}

// names gives the entry's names, sorted.
func (e entry) names() []string { return slices.Sorted(maps.Keys(e.fields)) }

// parseEntry reads the names of a JSON object.
func parseEntry(text []byte, id string) (entry, error) {
	e := entry{text: text, id: id}
	if err := json.Unmarshal(text, &e.fields); err != nil {
		var p schema.Prediction // its error says more of a line that is not one
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&p); err != nil {
			return e, plainJSON(err)
		}
		return e, errors.New("more than one JSON value on the line")
	}
	if key := repeatedKey(text); key != "" {
		return e, fmt.Errorf("%q is there twice", key)
	}
	return e, nil
}

// keepsBytes refuses what the decoder would change without a word: bytes that are
// not UTF-8, and escapes of half a character, by which some writers carry such bytes.
func keepsBytes(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not UTF-8; write a patch of other bytes in base64 under patch_b64")
	}
	for rest := text; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			return nil
		}
		escape := rest[i:]
		rest = rest[i+2:]
		if escape[1] != 'u' || !surrogate(escape) {
			continue
		}
		if len(escape) < 12 || !high(escape) || !surrogate(escape[6:]) || high(escape[6:]) {
			return fmt.Errorf("the escape %s is half a character: bytes that are not UTF-8; write such a patch in "+
				"base64 under patch_b64", escape[:min(6, len(escape))])
		}
		rest = escape[12:]
	}
}

// surrogate knows \uD800 to \uDFFF, and high those that begin a pair.
func surrogate(e []byte) bool {
	return len(e) >= 6 && e[0] == '\\' && e[1] == 'u' && (e[2] == 'd' || e[2] == 'D') &&
		bytes.IndexByte([]byte("89abcdefABCDEF"), e[3]) >= 0
}

func high(e []byte) bool { return bytes.IndexByte([]byte("89abAB"), e[3]) >= 0 }
