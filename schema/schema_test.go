package schema_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

var createTable = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// TestDocNamesEveryTable checks the list in doc.go of the tables and their writers.
func TestDocNamesEveryTable(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(schema.Files, "migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	for _, f := range files {
		name := strings.TrimPrefix(f, "migrations/")
		_, line, found := strings.Cut(string(doc), name)
		if !found {
			t.Errorf("doc.go does not name %s", name)
			continue
		}
		line, _, _ = strings.Cut(line, ".sql")
		text, err := fs.ReadFile(schema.Files, f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "-- Writer: ") {
			t.Errorf("%s does not begin with its writer", name)
		}
		for _, m := range createTable.FindAllStringSubmatch(string(text), -1) {
			if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(line) {
				t.Errorf("doc.go does not name the table %s beside %s", m[1], name)
			}
		}
	}
}

// TestViewsSayTheirGrain checks that the first line of every view says what a row is.
func TestViewsSayTheirGrain(t *testing.T) {
	files, err := fs.Glob(schema.Files, "views/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no views: %v", err)
	}
	for _, f := range files {
		text, err := fs.ReadFile(schema.Files, f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "-- Grain: One row per ") {
			t.Errorf("%s does not begin with its grain", f)
		}
		if n := strings.Count(string(text), "CREATE OR REPLACE VIEW"); n != 1 {
			t.Errorf("%s makes %d views", f, n)
		}
	}
}

func TestTestIDs(t *testing.T) {
	for _, c := range []struct {
		unit, name string
		repeat     int
		want       string
	}{
		{"a/b", "TestX/y", 1, "a/b::TestX/y"},
		{"a/b", "TestX", 3, "a/b::TestX #3"},
		{"a::b", "n\x1b[31m\n", 1, `a:b::n\x1b[31m\x0a`},
		{"a", "n\xff", 1, "a::n\uFFFD"},
	} {
		if got := schema.TestID(c.unit, c.name, c.repeat); got != c.want {
			t.Errorf("TestID(%q, %q, %d) = %q, want %q", c.unit, c.name, c.repeat, got, c.want)
		}
	}
	long := strings.Repeat("é", 900)
	a, b := schema.TestID("u", long+"a", 1), schema.TestID("u", long+"b", 1)
	if len(a) > schema.MaxTestID || a == b {
		t.Errorf("long ids: %d bytes, different: %t", len(a), a != b)
	}
}

func TestPullNames(t *testing.T) {
	repository, number, err := schema.ParsePullName("o/n.js#12")
	if err != nil || repository != "o/n.js" || number != 12 {
		t.Errorf("got %s %d %v", repository, number, err)
	}
	for _, bad := range []string{"", "o/n", "n#1", "o/n#0", "o/n#-1", "o/n#x", "a/b/c#1"} {
		if _, _, err := schema.ParsePullName(bad); err == nil {
			t.Errorf("%q was read as a pull", bad)
		}
	}
	if got := schema.RepositoryOfFileName(schema.FileName("o/n__m")); got != "o/n__m" {
		t.Errorf("file name and back: %s", got)
	}
}
