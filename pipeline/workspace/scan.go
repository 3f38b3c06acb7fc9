package workspace

import (
	"bytes"
	"errors"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/patch"
)

// Touched lists the paths a patch changes, creates, deletes or renames, sorted.
// It is an [UnsafeError] if one of them may not be written in a tree, and a
// [FailedError] if the patch can't be read.
func Touched(diff []byte) ([]string, error) {
	files, err := patch.Parse(diff)
	if err != nil {
		return nil, &FailedError{err.Error()}
	}
	if err := patch.Check(files); err != nil {
		var unsafe *patch.UnsafeError
		if errors.As(err, &unsafe) {
			return nil, &UnsafeError{unsafe.Path, unsafe.Reason}
		}
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range files {
		for _, p := range f.Paths() {
			seen[p] = true
		}
	}
	out := make([]string, 0, len(seen))
	for p := range seen {
		out = append(out, p)
	}
	sort.Strings(out)
	return out, nil
}

// section is one file's part of a patch whose line ends may be wrong: the lines
// of its hunks are told from its headers by the hunks' own counts.
type section struct {
	name  string   // the file it changes, '' a new one
	lines [][]byte // with their line ends
	hunk  []bool   // which of lines are inside a hunk
}

var hunkHeader = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// scan divides a patch into sections. It is lenient, and nothing is decided by it
// but line ends: what it makes is parsed and checked like any other patch.
func scan(diff []byte) []section {
	var out []section
	var minus, plus int
	for line := range bytes.Lines(diff) {
		inside := minus > 0 || plus > 0 || line[0] == '\\'
		text := strings.TrimRight(string(line), "\r\n")
		if !inside && strings.HasPrefix(text, "diff --git ") || len(out) == 0 {
			out = append(out, section{})
		}
		cur := &out[len(out)-1]
		cur.lines, cur.hunk = append(cur.lines, line), append(cur.hunk, inside)
		switch {
		case line[0] == '\\':
		case inside && line[0] == '-':
			minus--
		case inside && line[0] == '+':
			plus--
		case inside:
			minus, plus = minus-1, plus-1
		default:
			if m := hunkHeader.FindStringSubmatch(text); m != nil {
				minus, plus = count(m[1]), count(m[2])
			} else if n, ok := strings.CutPrefix(text, "--- a/"); ok {
				cur.name = n
			}
		}
	}
	return out
}

func count(s string) int {
	if s == "" {
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
