package java

import (
	"encoding/xml"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// pomNode is an element of a POM.
type pomNode struct {
	name, text string
	line       int // of its text's end, from 1
	kids       []*pomNode
}

// maxPomNodes bounds what is read of one POM.
const maxPomNodes = 20_000

// parsePom reads a POM's elements; what is wrong with it gives fewer.
func parsePom(text string) *pomNode {
	root := &pomNode{}
	stack := []*pomNode{root}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	for n := 0; n < maxPomNodes; {
		token, err := d.RawToken()
		if err != nil {
			break
		}
		top := stack[len(stack)-1]
		switch t := token.(type) {
		case xml.StartElement:
			n++
			kid := &pomNode{name: t.Name.Local}
			top.kids = append(top.kids, kid)
			stack = append(stack, kid)
		case xml.CharData:
			if s := strings.TrimSpace(string(t)); s != "" {
				top.text += s
				top.line, _ = d.InputPos()
			}
		case xml.EndElement:
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		}
	}
	return root.kid("project")
}

// kid finds an element below; one that is not there reads as empty.
func (n *pomNode) kid(names ...string) *pomNode {
	for _, name := range names {
		i := slices.IndexFunc(n.kids, func(k *pomNode) bool { return k.name == name })
		if i < 0 {
			return &pomNode{}
		}
		n = n.kids[i]
	}
	return n
}

// all lists the elements of a name, at any depth.
func (n *pomNode) all(name string) (found []*pomNode) {
	for _, k := range n.kids {
		if k.name == name {
			found = append(found, k)
		}
		found = append(found, k.all(name)...)
	}
	return found
}

// pom is one module of Maven.
type pom struct {
	dir, file string
	root      *pomNode
	group     string
	artifact  string
	version   string // as written, or the parent's
	above     string // the folder of the parent in the tree, "" where it has none there
}

// poms reads a tree's modules: every pom.xml outside src, by folder.
func poms(t kit.Tree) map[string]*pom {
	found := map[string]*pom{}
	for _, name := range t.Files() {
		if path.Base(name) != "pom.xml" || slices.Contains(strings.Split(path.Dir(name), "/"), "src") || len(found) > 2000 {
			continue
		}
		root := parsePom(kit.Read(t, name))
		p := &pom{dir: path.Dir(name), file: name, root: root, artifact: root.kid("artifactId").text}
		p.group = firstOf(root.kid("groupId").text, root.kid("parent", "groupId").text)
		p.version = firstOf(root.kid("version").text, root.kid("parent", "version").text)
		if p.artifact != "" {
			found[p.dir] = p
		}
	}
	for _, p := range found {
		p.above = parentOf(p, found)
	}
	return found
}

func parentOf(p *pom, all map[string]*pom) string {
	parent := p.root.kid("parent")
	if parent.kid("artifactId").text == "" {
		return ""
	}
	rel := path.Join(p.dir, firstOf(parent.kid("relativePath").text, "../pom.xml"))
	for _, dir := range []string{path.Dir(rel), rel} {
		if q := all[dir]; q != nil && q != p && q.artifact == parent.kid("artifactId").text {
			return dir
		}
	}
	return ""
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// modules are the folders that a POM lists as its modules, those of profiles too.
func (p *pom) modules() (dirs []string) {
	for _, m := range p.root.all("module") {
		dir := path.Join(p.dir, m.text)
		if path.Base(dir) == "pom.xml" {
			dir = path.Dir(dir)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// reactor is the folder from which a module is built: the topmost POM that lists
// it, itself where none does.
func reactor(all map[string]*pom, dir string) string {
	for range 20 {
		above := ""
		for _, name := range sortedPoms(all) {
			if name != dir && slices.Contains(all[name].modules(), dir) {
				above = name
				break
			}
		}
		if above == "" {
			return dir
		}
		dir = above
	}
	return dir
}

func sortedPoms(all map[string]*pom) []string {
	dirs := make([]string, 0, len(all))
	for dir := range all {
		dirs = append(dirs, dir)
	}
	sort.Slice(dirs, func(i, j int) bool {
		if a, b := strings.Count(dirs[i], "/"), strings.Count(dirs[j], "/"); a != b {
			return a < b
		}
		return dirs[i] < dirs[j]
	})
	return dirs
}

// moduleOf is the module a file belongs to.
func moduleOf(all map[string]*pom, name string) *pom {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if p := all[dir]; p != nil {
			return p
		}
		if dir == "." {
			return nil
		}
	}
}

var pomProperty = regexp.MustCompile(`\$\{([^${}]+)\}`)

// value fills in a POM's properties, its parents' in the tree included. What no
// POM of the tree says stays as it is.
func (p *pom) value(all map[string]*pom, text string) string {
	for range 10 {
		next := pomProperty.ReplaceAllStringFunc(text, func(ref string) string {
			switch name := ref[2 : len(ref)-1]; name {
			case "project.version", "version", "pom.version":
				return p.version
			case "project.groupId", "groupId":
				return p.group
			case "project.parent.version":
				return p.root.kid("parent", "version").text
			default:
				return firstOf(p.property(all, name), ref)
			}
		})
		if next == text || len(next) > 1000 {
			break
		}
		text = next
	}
	return text
}

func (p *pom) property(all map[string]*pom, name string) string {
	for q, n := p, 0; q != nil && n < 20; q, n = all[q.above], n+1 {
		if v := q.root.kid("properties", name).text; v != "" {
			return v
		}
	}
	return ""
}
