package database

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitQueries(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                   nil,
		" ; ;\n-- only; a comment\n":         nil,
		"SELECT 1":                           {"SELECT 1"},
		"SELECT 1; SELECT 2;":                {"SELECT 1", "SELECT 2"},
		"SELECT 'a;b'; SELECT 'it''s; one'":  {"SELECT 'a;b'", "SELECT 'it''s; one'"},
		`SELECT "a;""b"; SELECT 2`:           {`SELECT "a;""b"`, "SELECT 2"},
		"SELECT 1 -- one; two\n; SELECT 2":   {"SELECT 1 -- one; two", "SELECT 2"},
		"/* a;b */ SELECT 4/2; /* c; */":     {"/* a;b */ SELECT 4/2"},
		"SELECT $$a;'b$$; SELECT $x$;$$;$x$": {"SELECT $$a;'b$$", "SELECT $x$;$$;$x$"},
		`SELECT e'it\'s; one'; SELECT '\'`:   {`SELECT e'it\'s; one'`, `SELECT '\'`},
		"SELECT 'open; SELECT 2":             {"SELECT 'open; SELECT 2"},
		"SELECT 5-3; SELECT a$b; SELECT ü":   {"SELECT 5-3", "SELECT a$b", "SELECT ü"},
	} {
		if diff := cmp.Diff(want, splitQueries(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
