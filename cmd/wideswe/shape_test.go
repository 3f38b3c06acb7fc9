package main

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// The shape of a source: what fits a reader's screen and memory.
const (
	maxColumns = 120
	maxLines   = 400 // of a file of the product
)

// TestShape: no line is longer than a screen is wide, but for strings, whose text is not
// ours to break; no file of the product is longer than what a reader keeps in mind.
func TestShape(t *testing.T) {
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		inString := longStrings(text)
		lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		for i, l := range lines {
			if utf8.RuneCount(l) > maxColumns && !inString[i+1] {
				t.Errorf("%s:%d is longer than %d columns", p, i+1, maxColumns)
			}
		}
		if len(lines) > maxLines && !strings.HasSuffix(p, "_test.go") {
			t.Errorf("%s has more than %d lines", p, maxLines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longStrings are the lines of strings that go on over several lines, or beyond the last
// column.
func longStrings(text []byte) map[int]bool {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return lines
		}
		from, more := file.Line(pos), strings.Count(literal, "\n")
		if kind == token.STRING && (more > 0 || file.Position(pos).Column+len(literal) > maxColumns) {
			for n := from; n <= from+more; n++ {
				lines[n] = true
			}
		}
	}
}
