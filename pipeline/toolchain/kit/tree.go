package kit

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Tree is the working tree of one repository, as the run will see it.
type Tree interface {
	// Files lists the regular files, slash paths from the repository's root, sorted.
	Files() []string
	// Read gives a file's bytes.
	Read(path string) ([]byte, error)
}

// maxRead bounds what is read of one file of a tree.
const maxRead = 4 << 20

// Quote makes one shell word of a stranger's text.
func Quote(s string) string { return pipeline.ShellWord(s) }

// QuoteAll makes a shell word of each text.
func QuoteAll(list []string) string { return pipeline.ShellWords(list) }

// Under writes a path below the folder that a variable names.
func Under(variable, rel string) string {
	if rel = path.Clean(rel); rel == "." {
		return `"$` + variable + `"`
	}
	return `"$` + variable + `"/` + Quote(rel)
}

// Read gives a file as text, "" where it is absent or too large.
func Read(t Tree, name string) string {
	data, err := t.Read(name)
	if err != nil || len(data) > maxRead {
		return ""
	}
	return string(data)
}

// Has says whether the tree has a file of that path.
func Has(t Tree, name string) bool {
	_, found := slices.BinarySearch(t.Files(), name)
	return found
}

// PathLines puts the recipe's folders in front of PATH.
func PathLines(r schema.Recipe) []string {
	var lines []string
	for _, dir := range slices.Backward(r.Path) {
		lines = append(lines, "export PATH="+Under("WIDESWE_REPO", dir)+`:"$PATH"`)
	}
	return lines
}

// OwnPlan finishes the plan of a recipe that brings its own command, which reads in
// $WIDESWE_TESTS what is selected. before are lines that it needs in front of it.
func OwnPlan(p Plan, j Job, tests []string, before ...string) (Plan, error) {
	p.Whole = true
	if len(j.Skip)+len(j.Only) > 0 {
		p.Notes = append(p.Notes, "the recipe has a test command of its own, which can't choose single tests: all run again")
	}
	lines := append(slices.Clone(before), "export WIDESWE_TESTS="+Quote(strings.Join(tests, "\n")), j.Recipe.Test)
	p.Test, p.Report = strings.Join(lines, "\n"), cmp.Or(j.Recipe.Report, p.Report)
	return p, nil
}

// CopyEnv keeps a plan from sharing the recipe's map.
func CopyEnv(r schema.Recipe) map[string]string {
	env := map[string]string{}
	for k, v := range r.Env {
		env[k] = v
	}
	return env
}

// Dir is the [Tree] of a folder; .git is no part of it.
type Dir struct {
	root  string
	files []string
}

// OpenDir lists a folder's regular files.
func OpenDir(root string) (*Dir, error) {
	d := &Dir{root: root}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		if e.Type().IsRegular() {
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			d.files = append(d.files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", root, err)
	}
	sort.Strings(d.files)
	return d, nil
}

// Files lists the regular files, sorted.
func (d *Dir) Files() []string { return d.files }

// Read gives a listed file's bytes; symbolic links are not followed.
func (d *Dir) Read(name string) ([]byte, error) {
	if !Has(d, name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	r, err := os.OpenRoot(d.root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.ReadFile(filepath.FromSlash(name))
}

// Map is a [Tree] in memory: path → text.
type Map map[string]string

// Files lists the paths, sorted.
func (m Map) Files() []string {
	files := make([]string, 0, len(m))
	for name := range m {
		files = append(files, name)
	}
	sort.Strings(files)
	return files
}

// Read gives a file's bytes.
func (m Map) Read(name string) ([]byte, error) {
	text, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}
