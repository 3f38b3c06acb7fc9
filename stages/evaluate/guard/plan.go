package guard

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// Plan lists by repository the decisions by which files of a prediction go back. Repositories of which
// nothing goes back are not in it.
type Plan map[string][]Decision

// Add puts the decisions into the plan by which something goes back.
func (p Plan) Add(repository string, list []Decision) {
	for _, d := range list {
		if d.Decision != Kept {
			p[repository] = append(p[repository], d)
		}
	}
}

// Restore puts a repository's files back in dir, whole or the parts that concern tests.
func (p Plan) Restore(repository, dir string) error {
	whole := map[string][]string{} // by the tree that they come from
	for _, d := range p[repository] {
		if d.Decision == PutBack {
			whole[d.from] = append(whole[d.from], d.Path)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(whole)) {
		if err := workspace.Restore(from, dir, whole[from]); err != nil {
			return err
		}
	}
	return p.writeParts(repository, dir)
}

func (p Plan) writeParts(repository, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, d := range p[repository] {
		if d.Decision != PartBack {
			continue
		}
		if err := root.WriteFile(d.Path, d.Restored, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Files gives the files that go back, by repository.
func (p Plan) Files() map[string][]string {
	files := map[string][]string{}
	for repository, found := range p {
		for _, f := range found {
			files[repository] = append(files[repository], f.Path)
		}
	}
	return files
}

// Names lists the files in words, the first three by name. A plan without any gives "".
func (p Plan) Names() string { return p.names(func(Decision) bool { return true }) }

// ConfigNames is [Plan.Names] without tests and their data: people bring those up to
// date, and that alone is no reason to reject a prediction.
func (p Plan) ConfigNames() string {
	return p.names(func(f Decision) bool { return f.Kind == schema.DeviationConfig })
}

func (p Plan) names(wanted func(Decision) bool) string {
	var names []string
	for _, repository := range slices.Sorted(maps.Keys(p)) {
		for _, f := range p[repository] {
			if wanted(f) {
				names = append(names, repository+"/"+f.Path)
			}
		}
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return strings.Join(names, ", ")
}
