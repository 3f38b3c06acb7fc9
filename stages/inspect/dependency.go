package inspect

import (
	"context"
	"errors"
	"fmt"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/reference"
	"github.com/wideswe/wideswe/schema"
)

// dependency is a commit of another repository that one of the pull's files names.
type dependency struct {
	path string
	reference.Dependency
}

// maxDepends bounds what is kept of one pull.
const maxDepends = 500

// maxModules bounds the file .gitmodules, in bytes.
const maxModules = 1 << 20

// depend reads the change of one file. modules says what submodules are.
func (l *look) depend(path, diff string, modules map[string]string) {
	for _, d := range reference.Dependencies(path, diff) {
		if d.Kind == reference.Submodule {
			d.Owner, d.Name, _ = schema.SplitRepository(modules[path])
		}
		if len(l.depends) < maxDepends {
			l.depends = append(l.depends, dependency{path, d})
		}
	}
}

// dependenciesOfGit reads the manifests, lock files and submodules that the pull
// changes.
func (l *look) dependenciesOfGit(ctx context.Context) error {
	changes, err := l.repo.Changes(ctx, l.base, l.member.HeadSHA)
	if err != nil {
		return err
	}
	modules := map[string]string{}
	var kept []git.Change
	for _, c := range changes {
		switch {
		case c.NewMode == git.ModeSubmodule:
			kept = append(kept, c)
			if len(modules) == 0 {
				if modules, err = l.submodules(ctx); err != nil {
					return err
				}
			}
		case c.Status != "D" && reference.DependencyFile(c.Path):
			kept = append(kept, c)
		}
	}
	diff, err := l.repo.DiffOf(ctx, l.base, l.member.HeadSHA, kept)
	if err != nil || len(diff) == 0 {
		return err
	}
	files, err := patch.Parse(diff)
	if err != nil {
		return fmt.Errorf("reading the manifests' change: %w", err)
	}
	for _, f := range files {
		l.depend(f.Path(), string(f.Raw), modules)
	}
	return nil
}

// submodules reads .gitmodules as the pull leaves it; one that can't be read names nothing.
func (l *look) submodules(ctx context.Context) (map[string]string, error) {
	text, err := l.repo.ReadFile(ctx, l.member.HeadSHA, ".gitmodules", maxModules)
	var missing *git.MissingError
	if errors.As(err, &missing) {
		return nil, err
	}
	if err != nil {
		return map[string]string{}, nil
	}
	owner, name, _ := schema.SplitRepository(l.member.Repository)
	return reference.Submodules(string(text), reference.Source{Owner: owner, Name: name}), nil
}

func (l *look) dependencyRows() (rows [][]any) {
	for _, d := range l.depends {
		target := ""
		if d.Name != "" {
			target = d.Owner + "/" + d.Name
		}
		rows = append(rows, []any{l.member.RepositoryID, l.member.Number, string(d.Kind), d.path, d.Module, target, d.SHA,
			d.PreviousSHA, reference.DependencyVersion})
	}
	return rows
}
