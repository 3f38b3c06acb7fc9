package githubtest

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"sort"

	"golang.org/x/tools/txtar"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Load reads the description of an ecosystem from a folder:
//
//	demo.yaml             owners, people, repositories, issues
//	repositories/*.txtar  first trees, named by the repositories' tree keys
//	pulls/*.txtar         a pull each: YAML up to the first file, then the changed files, whole
//
// Unknown keys, names that clash and paths that leave the tree are errors that
// name the file.
func Load(fsys fs.FS) (Ecosystem, error) {
	var eco Ecosystem
	if err := readYAML(fsys, "demo.yaml", &eco); err != nil {
		return Ecosystem{}, err
	}
	for i := range eco.Repositories {
		r := &eco.Repositories[i]
		if r.DefaultBranch == "" {
			r.DefaultBranch = "main"
		}
		if err := loadTree(fsys, r); err != nil {
			return Ecosystem{}, err
		}
	}
	var err error
	if eco.Pulls, err = loadPulls(fsys); err != nil {
		return Ecosystem{}, err
	}
	return eco, check(eco)
}

func readYAML(fsys fs.FS, name string, into any) error {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return fmt.Errorf("reading the ecosystem: %w", err)
	}
	return decodeYAML(name, data, into)
}

func decodeYAML(name string, data []byte, into any) error {
	if err := pipeline.DecodeYAML(data, true, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func loadTree(fsys fs.FS, r *Repository) error {
	if r.Tree == "" {
		return nil
	}
	data, err := fs.ReadFile(fsys, r.Tree)
	if err != nil {
		return fmt.Errorf("reading the tree of %s: %w", r.Name, err)
	}
	archive := txtar.Parse(data)
	var head struct {
		Executable []string `yaml:"executable"`
	}
	if len(bytes.TrimSpace(archive.Comment)) > 0 {
		if err := decodeYAML(r.Tree, archive.Comment, &head); err != nil {
			return err
		}
	}
	r.Files, err = files(r.Tree, archive, head.Executable)
	return err
}

func loadPulls(fsys fs.FS) ([]Pull, error) {
	names, err := fs.Glob(fsys, "pulls/*.txtar")
	if err != nil {
		return nil, fmt.Errorf("listing pulls: %w", err)
	}
	var pulls []Pull
	for _, name := range names {
		p, err := loadPull(fsys, name)
		if err != nil {
			return nil, err
		}
		pulls = append(pulls, p)
	}
	sort.Slice(pulls, func(i, j int) bool {
		a, b := pulls[i], pulls[j]
		return a.Repository < b.Repository || a.Repository == b.Repository && a.Number < b.Number
	})
	return pulls, nil
}

func loadPull(fsys fs.FS, name string) (Pull, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return Pull{}, fmt.Errorf("reading a pull: %w", err)
	}
	archive := txtar.Parse(data)
	var p Pull
	if err := decodeYAML(name, archive.Comment, &p); err != nil {
		return Pull{}, err
	}
	if p.Merge == "" {
		p.Merge = Squash
	}
	if p.Files, err = files(name, archive, p.Executable); err != nil {
		return Pull{}, err
	}
	if len(p.Commits) == 0 {
		p.Commits = []Commit{{Message: p.Title, Paths: p.changed()}}
	}
	if want := "pulls/" + fileOf(p) + ".txtar"; name != want {
		return Pull{}, fmt.Errorf("%s: holds %s, so its name must be %s", name, schema.PullName(p.Repository, p.Number), want)
	}
	return p, nil
}

// fileOf is the name of a pull's archive: the repository's short name and the number.
func fileOf(p Pull) string {
	_, short, _ := schema.SplitRepository(p.Repository)
	return fmt.Sprintf("%s-%d", short, p.Number)
}

// changed lists the paths of the pull's changes, sorted.
func (p Pull) changed() []string {
	paths := slices.Clone(p.Delete)
	for _, f := range p.Files {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	return paths
}

func files(archive string, a *txtar.Archive, executable []string) ([]File, error) {
	var all []File
	for _, f := range a.Files {
		all = append(all, File{Path: f.Name, Data: f.Data, Executable: slices.Contains(executable, f.Name)})
	}
	for _, path := range executable {
		if !slices.ContainsFunc(all, func(f File) bool { return f.Path == path }) {
			return nil, fmt.Errorf("%s: executable names %s, which the archive does not hold", archive, path)
		}
	}
	return all, nil
}
