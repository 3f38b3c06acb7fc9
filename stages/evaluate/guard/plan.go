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

// Plan holds what goes back of a whole prediction, by repository. Repositories without
// a finding are not in it.
type Plan map[string][]Finding

// Add puts a repository's findings into the plan.
func (p Plan) Add(repository string, found []Finding) {
	if len(found) > 0 {
		p[repository] = found
	}
}

// Restore puts a repository's files back in dir: only the runners' part of a file where
// that can be told apart, else the whole file as it is in base.
func (p Plan) Restore(repository, base, dir string) error {
	var whole []string
	for _, f := range p[repository] {
		if f.Restored == nil {
			whole = append(whole, f.Path)
		}
	}
	if err := workspace.Restore(base, dir, whole); err != nil {
		return err
	}
	return p.writeParts(repository, dir)
}

func (p Plan) writeParts(repository, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range p[repository] {
		if f.Restored == nil {
			continue
		}
		if err := root.WriteFile(f.Path, f.Restored, 0o644); err != nil {
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
func (p Plan) Names() string { return p.names(func(Finding) bool { return true }) }

// ConfigNames is [Plan.Names] without the data of tests: people bring expected outputs
// up to date, and that alone is no reason to reject a prediction.
func (p Plan) ConfigNames() string {
	return p.names(func(f Finding) bool { return f.Kind == schema.DeviationConfig })
}

func (p Plan) names(wanted func(Finding) bool) string {
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
