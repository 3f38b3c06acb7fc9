package guard

import (
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
)

// Sources name other files in the words of their languages: a path, a dotted name, a
// package's path. What is read here are those names as they stand, in any language. A
// name that matches more than it means keeps or puts back a file too many; the text is
// base's or gold's, so that no prediction chooses it.

// importLine is a line, and importCall a call, by which a source names what it uses;
// keyword is what such a line begins with and holds between names, remark the comment
// that follows.
var (
	importLine = regexp.MustCompile(`(?m)^[ \t]*(?:` + public + `(?:\}[ \t]*from|(?:` + keywords + `)(?:[ \t({"'<]|$))` +
		`[^\n]*|#[ \t]*include[^\n]*|\.[ \t]+[^\n]*|[_\w.]*[ \t]*"[^"\s]+"[ \t]*(?:[/;,)\]][^\n]*)?$)`)
	keyword    = regexp.MustCompile(`^[ \t}#]*` + public + `(?:include|` + keywords + `)\b|\b(?:from|import|as)[ \t]`)
	remark     = regexp.MustCompile(`([^ \t][ \t]+)(?://|#|/\*)[^\n]*$`)
	importCall = regexp.MustCompile(`\b(?:require|require_once|require_relative|include|include_once|import|` +
		`import_module|resolve|include_str!|load)\s*\(?\s*["'` + "`" + `]([^"'` + "`" + `\n]+)["'` + "`" + `]`)
	pythonFrom = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)`)
	nameInText = regexp.MustCompile(`[\w@.~+\-/\\:]+`)
	memberName = regexp.MustCompile(`\w+`)
)

// An import begins with one of the keywords, in any language, and Rust's may be public.
const (
	keywords = `import|from|require(?:_\w+)?|use|using|mod|load|source|export|extern crate|autoload`
	public   = `(?:pub(?:\([^)\n]*\))?[ \t]+)?`
)

// bare is an import line without its keywords and its comment.
func bare(line string) string {
	return keyword.ReplaceAllString(remark.ReplaceAllString(line, "$1"), " ")
}

// reference is a name that a source or a setting uses: its parts, and whether it is
// relative to the folder of the file that uses it.
type reference struct {
	parts    []string
	up       int // folders above that of the file, where relative
	relative bool
}

// imported lists what the import lines of a source name.
func imported(text string) (list []reference) {
	add := func(s string) {
		if r, ok := newReference(s); ok {
			list = append(list, r)
		}
	}
	for _, m := range pythonFrom.FindAllStringSubmatch(text, -1) {
		for _, name := range memberName.FindAllString(m[2], -1) {
			add(strings.TrimSuffix(m[1], ".") + "." + name)
		}
	}
	for _, m := range importLine.FindAllString(text, -1) {
		for _, name := range nameInText.FindAllString(bare(m), -1) {
			add(name)
		}
	}
	for _, m := range importCall.FindAllStringSubmatch(text, -1) {
		add(m[1])
	}
	return list
}

// mentioned lists what the text of settings names.
func mentioned(text string) (list []reference) {
	text = strings.NewReplacer(`\/`, "/", "<rootDir>/", "", "${workspaceFolder}/", "").Replace(text)
	for _, name := range nameInText.FindAllString(text, -1) {
		for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == ':' }) {
			if r, ok := newReference(part); ok {
				list = append(list, r)
			}
		}
	}
	return list
}

func newReference(name string) (r reference, ok bool) {
	name = strings.ReplaceAll(strings.ReplaceAll(name, `\`, "/"), "::", "/")
	switch {
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"), name == ".", name == "..":
		r.relative = true
	case strings.HasPrefix(name, ".") && !strings.Contains(name, "/"): // Python's from .a.b import c
		rest := strings.TrimLeft(name, ".")
		r.relative, r.up = true, len(name)-len(rest)-1
		name = rest
	}
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "..":
			r.up++
		case "", ".", "crate", "self", "super":
		default:
			r.parts = append(r.parts, part)
		}
	}
	return r, len(r.parts) > 0
}

// names tells whether a reference in a file means another file of the repository.
func (r reference) names(from, file string) bool {
	whole := path.Join(r.parts...)
	dir := path.Dir(from)
	for range r.up {
		dir = path.Dir(dir)
	}
	for _, candidate := range module(file) {
		if r.relative {
			if at := path.Join(dir, whole); at == candidate || path.Join(dir, dotted(whole)) == candidate {
				return true
			}
			continue
		}
		for _, name := range []string{whole, dotted(whole)} {
			if r.is(name, candidate, dir) {
				return true
			}
		}
	}
	return r.isPackage(whole, file)
}

// is reports whether a name, or its beginning without the names of members, is a module's.
// A single word means a module beside the file, or at the root of the sources.
func (r reference) is(name, module, dir string) bool {
	for first := true; name != "." && name != "/"; first = false {
		switch {
		case strings.Contains(name, "/") && (module == name || strings.HasSuffix(module, "/"+name)):
			return true
		case !strings.Contains(name, "/"):
			return first && (module == path.Join(dir, name) || module == name || module == "src/"+name ||
				module == "lib/"+name || strings.HasPrefix(module, strings.TrimSuffix(dir, path.Base(dir))) &&
				module == path.Join(path.Dir(dir), name))
		}
		name = path.Dir(name)
	}
	return false
}

// isPackage tells whether a name is that of the folder of a source, as in Go. Tests by
// their names are no part of such a package.
func (r reference) isPackage(name, file string) bool {
	dir := path.Dir(file)
	return path.Ext(file) == ".go" && dir != "." && filerole.Of(path.Base(file)) != filerole.Test &&
		strings.HasSuffix("/"+name, "/"+dir)
}

// module gives the names by which a file is loaded: its path with and without the
// ending, and the folder of one that stands for its folder.
func module(file string) []string {
	list := []string{file}
	bare := strings.TrimSuffix(file, path.Ext(file))
	if bare != file {
		list = append(list, bare)
	}
	switch path.Base(bare) {
	case "index", "__init__", "mod", "main", "lib":
		if dir := path.Dir(bare); dir != "." {
			list = append(list, dir)
		}
	}
	return list
}

// dotted is a dotted name as a path.
func dotted(name string) string { return strings.ReplaceAll(name, ".", "/") }
