package pipeline

import (
	"errors"
	"strings"
	"testing"
)

func TestDecodeYAML(t *testing.T) {
	type file struct {
		Pulls []string `yaml:"pulls"`
		Count int      `yaml:"count"`
	}
	const many = 1 << 17
	for _, c := range []struct {
		name, text string
		strict     bool
		want       string // "" where it reads
	}{
		{"good", "pulls: [a]\ncount: 2\n", true, ""},
		{"empty", "", true, ""},
		{"unknown field", "pulls: [a]\n\nother: 1\n", true, `line 3: unknown field "other"`},
		{"unknown field, not strict", "other: 1\n", false, ""},
		{"type", "count: many\n", false, "line 1: cannot unmarshal"},
		{"no YAML", "pulls: [\n", false, "line 1: "},
		{"a tag of nothing", "pulls: !0000… ", true, "this is not YAML"},
		{"a tag of nothing, not strict", "pulls: !x\ncount: 1\n", false, "this is not YAML"},
		{"alias", "count: 1\npulls: &a [b]\nmore: *a\n", false, "line 3: aliases are not read here"},
		{"merge", "<<: {count: 1}\n", false, "line 1: aliases are not read here"},
		{"brackets", "pulls: " + strings.Repeat("[", many), false, "line 1: more than 100 levels"},
		{"braces", "pulls: " + strings.Repeat("{a: ", many), false, "line 1: more than 100 levels"},
		{"dashes", strings.Repeat("- ", many), false, "line 1: more than 100 levels"},
		{"keys", strings.Repeat("? ", many), false, "line 1: more than 100 levels"},
		{"long lists are no nests", "pulls:\n" + strings.Repeat("- a\n", 300) + "count: 1\n", true, ""},
		{"many brackets side by side", "pulls: [" + strings.Repeat("a, ", 300) + "]\n", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f file
			err := DecodeYAML([]byte(c.text), c.strict, &f)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var y *YAMLError
			if !errors.As(err, &y) || !strings.Contains(err.Error(), c.want) || strings.Contains(y.Message, "\n") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzDecodeYAML(f *testing.F) {
	for _, seed := range []string{"a: 1", "pulls: !0000… ", "a: &a [1]\nb: *a\n", "? [\n", "- - -\n:",
		"--- !!binary |\n R0\n", "{"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v struct {
			Pulls []string
			Map   map[string]int
			Any   any
		}
		_ = DecodeYAML(text, len(text)%2 == 0, &v)
	})
}
