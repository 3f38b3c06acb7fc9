package patch

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Parse reads a patch. A blank one has no files; text without any diff is an error.
func Parse(diff []byte) ([]File, error) {
	if len(diff) > MaxBytes {
		return nil, &SyntaxError{1, fmt.Sprintf("%d bytes, more than the %d allowed", len(diff), MaxBytes)}
	}
	p := &parser{data: diff, line: 1}
	var files []File
	for !p.done() {
		f, err := p.section()
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		if files = append(files, *f); len(files) > MaxFiles {
			return nil, p.fail("more than %d files", MaxFiles)
		}
	}
	if len(files) == 0 && len(bytes.TrimSpace(diff)) > 0 {
		return nil, &SyntaxError{1, "no diff in it"}
	}
	// What stands between two sections belongs to the one before.
	for i := range files {
		start, end := files[i].start, len(diff)
		if i == 0 {
			start = 0
		}
		if i+1 < len(files) {
			end = files[i+1].start
		}
		files[i].Raw = diff[start:end:end]
	}
	return files, nil
}

// parser walks over lines.
type parser struct {
	data []byte
	pos  int
	line int
}

func (p *parser) done() bool { return p.pos >= len(p.data) }

// peek is the line at the position, with its newline.
func (p *parser) peek() []byte {
	rest := p.data[p.pos:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i+1]
	}
	return rest
}

func (p *parser) next() []byte {
	l := p.peek()
	p.pos += len(l)
	p.line++
	return l
}

func (p *parser) fail(format string, args ...any) error {
	return &SyntaxError{p.line, fmt.Sprintf(format, args...)}
}

var hunkHead = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// section reads one file's section, or passes over one line of other text.
func (p *parser) section() (*File, error) {
	l := p.peek()
	f := &File{Op: Modify, start: p.pos}
	switch {
	case bytes.HasPrefix(l, []byte("diff --git ")):
		if err := p.gitHeader(f); err != nil {
			return nil, err
		}
	case p.plainHeaderAhead():
		if err := p.plainHeader(f); err != nil {
			return nil, err
		}
	case hunkHead.Match(l):
		return nil, p.fail("a hunk that belongs to no file")
	default:
		p.next()
		return nil, nil
	}
	if f.OldPath == "" && f.Op != Add || f.NewPath == "" && f.Op != Delete {
		return nil, p.fail("a section that names no file")
	}
	if err := p.body(f); err != nil {
		return nil, err
	}
	if f.NewMode == ModeSymlink && f.Op != Delete {
		f.HasSymlink = f.Op == Add || f.Binary || f.Added > 0
	}
	return f, nil
}

// plainHeaderAhead sees the three lines that begin a section of diff -u.
func (p *parser) plainHeaderAhead() bool {
	q := *p
	return bytes.HasPrefix(q.next(), []byte("--- ")) && bytes.HasPrefix(q.next(), []byte("+++ ")) &&
		bytes.HasPrefix(q.peek(), []byte("@@ -"))
}

func (p *parser) plainHeader(f *File) error {
	for _, side := range []*string{&f.OldPath, &f.NewPath} {
		name, null, err := sideName(text(p.next()[4:]))
		if err != nil {
			return p.fail("%v", err)
		}
		switch {
		case !null:
			*side = stripFirst(name)
			f.whole = append(f.whole, name)
		case side == &f.OldPath:
			f.Op = Add
		default:
			f.Op = Delete
		}
	}
	return nil
}

// text is a header line's content without its end.
func text(l []byte) string {
	return strings.TrimSuffix(strings.TrimSuffix(string(l), "\n"), "\r")
}

// gitHeader reads "diff --git" and the extended header lines.
func (p *parser) gitHeader(f *File) error {
	a, b, ok := headerNames(text(p.next())[len("diff --git "):])
	if ok {
		f.whole = append(f.whole, a, b)
		a, b = stripFirst(a), stripFirst(b)
		f.names = append(f.names, a, b)
	}
	h := header{file: f}
	for !p.done() {
		known, err := h.line(text(p.peek()))
		if err != nil {
			return p.fail("%v", err)
		}
		if !known {
			break
		}
		p.next()
	}
	return h.finish(p, a, b, ok)
}

// header collects what the extended lines say.
type header struct {
	file           *File
	old, new       *string // from --- and +++; '' is /dev/null
	from, to       *string // from rename and copy lines
	added, removed bool
}

func (h *header) line(l string) (known bool, err error) {
	f := h.file
	key, value := l, ""
	for _, k := range headerKeys {
		if strings.HasPrefix(l, k) {
			key, value = k, l[len(k):]
			break
		}
	}
	switch key {
	case "old mode ":
		f.OldMode = value
	case "new mode ":
		f.NewMode = value
	case "deleted file mode ":
		f.OldMode, h.removed = value, true
	case "new file mode ":
		f.NewMode, h.added = value, true
	case "rename from ", "rename old ", "copy from ":
		h.from, err = plainName(value)
		f.Op = opOf(key)
	case "rename to ", "rename new ", "copy to ":
		h.to, err = plainName(value)
		f.Op = opOf(key)
	case "index ":
		if _, mode, found := strings.Cut(value, " "); found && f.OldMode == "" && f.NewMode == "" {
			f.OldMode, f.NewMode = mode, mode
		}
	case "--- ":
		h.old, err = h.side(value)
	case "+++ ":
		h.new, err = h.side(value)
	case "similarity index ", "dissimilarity index ":
	default:
		return false, nil
	}
	return true, err
}

var headerKeys = []string{"old mode ", "new mode ", "deleted file mode ", "new file mode ", "rename from ",
	"rename to ",
	"rename old ", "rename new ", "copy from ", "copy to ", "index ", "similarity index ", "dissimilarity index ", "--- ",
	"+++ "}

func opOf(key string) Op {
	if strings.HasPrefix(key, "copy") {
		return Copy
	}
	return Rename
}

func (h *header) side(value string) (*string, error) {
	name, null, err := sideName(value)
	if null {
		none := ""
		return &none, err
	}
	h.file.whole = append(h.file.whole, name)
	name = stripFirst(name)
	return &name, err
}

// plainName reads the name of a rename or copy line, which has no a/ in front.
func plainName(value string) (*string, error) {
	name, err := unquote(value)
	return &name, err
}

// finish settles the names from all that named them, which must agree.
func (h *header) finish(p *parser, a, b string, ok bool) error {
	f := h.file
	if f.Op == Rename || f.Op == Copy {
		if h.from == nil || h.to == nil {
			return p.fail("a rename or copy without both names")
		}
		f.OldPath, f.NewPath = *h.from, *h.to
	} else {
		switch {
		case ok && a == b:
			f.OldPath, f.NewPath = a, b
		case h.old != nil && *h.old != "":
			f.OldPath, f.NewPath = *h.old, *h.old
		case h.new != nil && *h.new != "":
			f.OldPath, f.NewPath = *h.new, *h.new
		default:
			return p.fail("a section that names no file")
		}
	}
	if h.old != nil && *h.old == "" {
		h.added = true
	}
	if h.new != nil && *h.new == "" {
		h.removed = true
	}
	for _, pair := range [][2]*string{{h.old, &f.OldPath}, {h.new, &f.NewPath}} {
		if pair[0] != nil && *pair[0] != "" && *pair[0] != *pair[1] {
			return p.fail("a section that names both %q and %q", *pair[0], *pair[1])
		}
	}
	switch {
	case h.added && h.removed:
		return p.fail("a section that both adds and deletes %q", f.NewPath)
	case h.added:
		f.Op, f.OldPath = Add, ""
	case h.removed:
		f.Op, f.NewPath = Delete, ""
	}
	return nil
}

// body reads the hunks or the binary content.
func (p *parser) body(f *File) error {
	for !p.done() {
		l := p.peek()
		switch {
		case bytes.HasPrefix(l, []byte("@@ -")):
			if err := p.hunk(f); err != nil {
				return err
			}
		case bytes.HasPrefix(l, []byte("GIT binary patch")):
			p.next()
			f.Binary, f.BinaryData = true, true
			return p.binary(f)
		case bytes.HasPrefix(l, []byte("Binary files ")) && bytes.HasSuffix(bytes.TrimRight(l, "\r\n"), []byte(" differ")):
			p.next()
			f.Binary = true
			return nil
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) hunk(f *File) error {
	m := hunkHead.FindSubmatch(p.peek())
	if m == nil {
		return p.fail("a hunk header that can't be read")
	}
	p.next()
	old, new := lineCount(m[2]), lineCount(m[4])
	for old > 0 || new > 0 {
		if p.done() {
			return p.fail("the patch ends inside a hunk, %d old and %d new lines are missing", old, new)
		}
		l := p.next()
		switch l[0] {
		case ' ', '\n': // some programs leave the space of an empty context line out
			old, new = old-1, new-1
			f.target(l)
		case '-':
			old--
			f.Deleted++
		case '+':
			new--
			f.Added++
			f.target(l)
		case '\\':
			continue
		default:
			p.line--
			return p.fail("a hunk line that begins with %q", l[0])
		}
		if old < 0 || new < 0 {
			p.line--
			return p.fail("a hunk with more lines than its header says")
		}
	}
	if bytes.HasPrefix(p.peek(), []byte(`\ `)) {
		p.next()
	}
	return nil
}

// target collects the new content of a symlink, which is where it points.
func (f *File) target(l []byte) {
	if f.NewMode != ModeSymlink || len(f.Symlink) > 8192 {
		return
	}
	if f.Symlink != "" {
		f.Symlink += "\n"
	}
	f.Symlink += text(l[min(1, len(l)):])
}

func lineCount(b []byte) int {
	if b == nil {
		return 1
	}
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return -1
	}
	return n
}

var binaryHead = regexp.MustCompile(`^(literal|delta) \d{1,12}\r?\n?$`)

// binary reads the content forward and, where it is there, backward.
func (p *parser) binary(f *File) error {
	if !binaryHead.Match(p.peek()) {
		return p.fail("binary content that can't be read")
	}
	for part := 0; part < 2 && binaryHead.Match(p.peek()); part++ {
		p.next()
		for !p.done() && len(bytes.TrimRight(p.peek(), "\r\n")) > 0 {
			p.next()
		}
		if !p.done() {
			p.next()
		}
	}
	return nil
}
