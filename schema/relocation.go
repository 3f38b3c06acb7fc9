package schema

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Relocation installs a hidden test file at another path than upstream's, so that it
// does not clash with a file that an agent wrote there.
type Relocation struct {
	From string `yaml:"from" json:"from"` // upstream's path
	To   string `yaml:"to" json:"to"`
	// Rename renames types in the file, old to new, where two types of one name would not
	// compile. Strings keep the old name.
	Rename map[string]string `yaml:"rename,omitempty" json:"rename,omitempty"`
}

// Check returns an error that says what is wrong with a relocation.
func (r Relocation) Check() error {
	for _, p := range []string{r.From, r.To} {
		if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") {
			return fmt.Errorf("relocate: %q is not a file path inside the repository", p)
		}
	}
	if r.From == r.To {
		return fmt.Errorf("relocate: from and to are the same path, %s", r.From)
	}
	for old, name := range r.Rename {
		if !identifier(old) || !identifier(name) {
			return errors.New("relocate: rename needs names of types, written as old: new")
		}
	}
	return nil
}

func identifier(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
	})
}

// Placed returns the paths of hidden test files after the recipe's relocations.
func (r Recipe) Placed(files []string) []string {
	if len(r.Relocate) == 0 {
		return files
	}
	var out []string
	for _, f := range files {
		if !slices.ContainsFunc(r.Relocate, func(m Relocation) bool { return m.From == f }) {
			out = append(out, f)
		}
	}
	for _, m := range r.Relocate {
		out = append(out, m.To)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
