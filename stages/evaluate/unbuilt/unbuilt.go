// Package unbuilt finds, in a tree that does not build, the files that the errors name,
// and those of them that may be left out: test files that no hidden file uses and that
// hold no listed test.
//
// It reads a folder and the text of errors. Which tree that is, and what a verdict makes
// of it, are the evaluate stage's matter.
package unbuilt

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
)

// maxErrors bounds the text in which names of files are looked for.
const maxErrors = 1 << 20

// maxFile bounds the files that are read; a larger one may hold anything, and stays.
const maxFile = 4 << 20

var fileName = regexp.MustCompile(`[\w@%+~./-]*\w\.\w+`)

// Named gives the files of a tree that the text of errors names, in the order of the
// text. A name that several files could have names none of them.
func Named(dir, errors string) (list []string) {
	files := treeFiles(dir)
	for _, name := range fileName.FindAllString(errors[:min(len(errors), maxErrors)], -1) {
		if f := fileNamed(files, path.Clean(name)); f != "" && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// fileNamed finds the file that a tool names by its path, by a longer path that ends with
// it, or by the end of its path alone. Of several that such an end fits it gives "".
func fileNamed(files []string, name string) (found string) {
	if slices.Contains(files, name) {
		return name
	}
	for _, f := range files {
		if strings.HasSuffix(name, "/"+f) && len(f) > len(found) {
			found = f
		}
	}
	if found != "" {
		return found
	}
	for _, f := range files {
		if !strings.HasSuffix(f, "/"+name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = f
	}
	return found
}

func treeFiles(dir string) (list []string) {
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if rel, err := filepath.Rel(dir, name); err == nil {
				list = append(list, filepath.ToSlash(rel))
			}
		}
		return nil // what can't be read names nothing
	})
	return list
}

// Removable gives the test files that the errors name and that may be left out. hidden
// are the hidden files of the tree, listed the ids of the tests that decide.
func Removable(dir, errors string, hidden, listed []string) (list []string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	t := tree{root}
	for _, f := range Named(dir, errors) {
		if filerole.Of(f) == filerole.Test && !slices.Contains(hidden, f) && t.needless(f, hidden, listed) {
			list = append(list, f)
		}
	}
	return list
}

// Remove deletes files of a tree.
func Remove(dir string, files []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if err := root.Remove(f); err != nil {
			return err
		}
	}
	return nil
}

type tree struct{ root *os.Root }

// needless tells whether neither a hidden file nor a listed test needs a file. A file
// that can't be read is needed.
func (t tree) needless(file string, hidden, listed []string) bool {
	text, ok := t.read(file)
	if !ok || slices.ContainsFunc(listed, func(id string) bool { return holds(file, text, id) }) {
		return false
	}
	used := usedAs(file, text)
	for _, h := range hidden {
		text, ok := t.read(h)
		if !ok || slices.ContainsFunc(used, func(name string) bool { return hasWord(text, name) }) {
			return false
		}
	}
	return true
}

func (t tree) read(file string) (text string, ok bool) {
	info, err := t.root.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", false
	}
	b, err := t.root.ReadFile(file)
	return string(b), err == nil
}

// usedAs gives the names by which another file can use this one: the names that it
// declares for its package, and its own name, which imports have.
func usedAs(file, text string) []string {
	base := path.Base(file)
	names := []string{base, strings.TrimSuffix(base, path.Ext(base))}
	for _, name := range registry.Declares(file, []byte(text)) {
		names = append(names, name[strings.LastIndexAny(name, " .")+1:])
	}
	return names
}

// holds tells whether a file may hold a listed test: the id names the file, or the file
// has the test's own name in its text.
func holds(file, text, id string) bool {
	unit, name, found := strings.Cut(id, "::")
	if !found {
		unit, name = "", id
	}
	if unit == file || strings.HasSuffix(unit, "/"+file) {
		return true
	}
	name = name[strings.LastIndex(name, "::")+1:]
	name, _, _ = strings.Cut(name, "/") // a subtest
	name, _, _ = strings.Cut(name, "[") // a parameter
	name, _, _ = strings.Cut(name, " #")
	name = strings.TrimSpace(strings.TrimPrefix(name, ":"))
	return name == "" || hasWord(text, name)
}

// hasWord tells whether a text has a name that is no part of a longer one.
func hasWord(text, name string) bool {
	for rest := text; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if (i == 0 || !isWordByte(rest[i-1])) && (end == len(rest) || !isWordByte(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
