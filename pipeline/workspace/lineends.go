package workspace

import (
	"bytes"
	"os"
	"strconv"
)

// convertEnds gives each section's lines the line ends of the file it changes: a line that
// the file has, its own, and an added line, that of the line before it. A file that is new
// keeps the patch's.
func convertEnds(root *os.Root, sections []section) []byte {
	var b bytes.Buffer
	for _, s := range sections {
		file := fileLines(root, s.name)
		at := 0 // the file's line that comes next in the hunk
		end := lineEnd(first(file))
		for i, line := range s.lines {
			body, ended := bytes.CutSuffix(line, []byte("\n"))
			header := !s.hunk[i] || line[0] == '\\'
			if len(file) > 0 || header {
				body = bytes.TrimSuffix(body, []byte("\r"))
			}
			if n, ok := hunkStart(body); ok && header {
				at = n - 1
			}
			b.Write(body)
			if len(file) > 0 && !header {
				if line[0] != '+' {
					end = endOf(file, at, body, end)
					at++
				}
				b.WriteString(end)
			}
			if ended || i+1 < len(s.lines) {
				b.WriteByte('\n')
			}
		}
	}
	if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// hunkStart gives the line of the old file with which a hunk begins.
func hunkStart(header []byte) (int, bool) {
	rest, ok := bytes.CutPrefix(header, []byte("@@ -"))
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(string(rest[:len(rest)-len(bytes.TrimLeft(rest, "0123456789"))]))
	return n, err == nil
}

// endOf is the end of the file's line that a line of a hunk stands for: the file's first
// where the hunk lies elsewhere.
func endOf(file [][]byte, at int, line []byte, before string) string {
	if at < 0 || at >= len(file) || len(line) == 0 {
		return before
	}
	if !bytes.Equal(bytes.TrimRight(file[at], "\r\n"), line[1:]) {
		return lineEnd(first(file))
	}
	return lineEnd(file[at])
}

func first(lines [][]byte) []byte {
	if len(lines) == 0 {
		return nil
	}
	return lines[0]
}

// lineEnd is what a line has before its newline.
func lineEnd(line []byte) string {
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return "\r"
	}
	return ""
}

// fileLines are the lines of a file of the tree, none of one that is no regular file or
// too large to be mended.
func fileLines(root *os.Root, name string) (lines [][]byte) {
	const largest = 16 << 20
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > largest {
		return nil
	}
	text, err := root.ReadFile(name)
	if err != nil || !bytes.Contains(text, []byte("\n")) {
		return nil
	}
	for line := range bytes.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}
