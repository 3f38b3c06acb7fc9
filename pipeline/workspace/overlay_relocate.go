package workspace

import (
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// relocate moves hidden tests in the folder where the layers went on, and gives what
// then is to be laid over. A file that no layer names is taken from base.
func (o *overlay) relocate(files []string, list []schema.Relocation) ([]string, error) {
	placed := slices.Clone(files)
	for _, m := range list {
		if err := m.Check(); err != nil {
			return nil, err
		}
		if why := checkPath(m.To); why != "" {
			return nil, &UnsafeError{m.To, why}
		}
		if slices.Contains(files, m.To) {
			return nil, fmt.Errorf("relocate: %s is a hidden test itself", m.To)
		}
		if !slices.Contains(files, m.From) {
			if err := put(o.base, o.made, m.From); err != nil {
				return nil, err
			}
		}
		if err := move(o.made, m); err != nil {
			return nil, err
		}
		placed = slices.DeleteFunc(placed, func(f string) bool { return f == m.From })
		placed = append(placed, m.To)
	}
	slices.Sort(placed)
	return slices.Compact(placed), nil
}

func move(made *os.Root, m schema.Relocation) error {
	info, there, err := lookup(made, m.From)
	if err != nil {
		return err
	}
	if !there || !info.Mode().IsRegular() {
		return fmt.Errorf("relocate: there is no file %s", m.From)
	}
	text, err := made.ReadFile(m.From)
	if err != nil {
		return err
	}
	return errors.Join(made.MkdirAll(path.Dir(m.To), 0o755), made.WriteFile(m.To, []byte(renamed(m.To, string(text),
		m.Rename)), filePerm(info.Mode())), made.Remove(m.From))
}

var (
	// tokens are literals, comments and words; quoted is of languages whose strings
	// stand in single quotes, too.
	tokens = regexp.MustCompile("(?s)\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.[^'\\n]*|[^'\\\\\\n])'|`[^`]*`|/\\*.*?\\*/|//[^\\n]*|[\\pL_$][\\pL\\pN_$]*")
	quoted = regexp.MustCompile("(?s)\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'|`[^`]*`|/\\*.*?\\*/|//[^\\n]*|[\\pL_$][\\pL\\pN_$]*")
)

// renamed gives a source with types under other names: every word that is one, and
// nothing in strings and comments, so that assertions stay as they are.
func renamed(file, text string, names map[string]string) string {
	if len(names) == 0 {
		return text
	}
	of := tokens
	if slices.Contains([]string{".py", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".rb", ".php"}, path.Ext(file)) {
		of = quoted
	}
	return of.ReplaceAllStringFunc(text, func(token string) string {
		if name, ok := names[token]; ok {
			return name
		}
		return token
	})
}

// relocationError makes a relocation that can't be done an injection error.
func relocationError(err error) error {
	var perm *os.PathError
	if err == nil || errors.As(err, &perm) && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return &InjectionError{"relocated", errors.New(strings.TrimPrefix(err.Error(), "relocate: "))}
}
