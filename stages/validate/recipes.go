package validate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// recipes are those of a task's targets, by repository. A target has one once its
// image is made.
type recipes map[string]schema.Recipe

// recipes reads the recipes that each task's result came from. Which ones a task has
// is known only once its trees were looked at; the versions of their languages and
// report formats belong to the task's input from then on.
func (s Stage) recipes(ctx context.Context) (map[string]recipes, error) {
	list, err := s.DB.Query(ctx, "SELECT task_id, repository, recipe FROM task_images")
	if err != nil {
		return nil, err
	}
	type row struct{ task, repository, recipe string }
	rows, err := pipeline.Scan(list, func(r *row) []any { return []any{&r.task, &r.repository, &r.recipe} })
	if err != nil {
		return nil, fmt.Errorf("reading recipes: %w", err)
	}
	of := map[string]recipes{}
	for _, r := range rows {
		var recipe schema.Recipe
		if err := json.Unmarshal([]byte(r.recipe), &recipe); err != nil {
			return nil, fmt.Errorf("reading the recipe of %s in %s: %w", r.repository, r.task, err)
		}
		if of[r.task] == nil {
			of[r.task] = recipes{}
		}
		of[r.task][r.repository] = recipe
	}
	return of, nil
}

// of gives the recipes of a task's targets. A target without one may turn out to be of
// any language: its recipe is empty, which depends on all of them.
func (r recipes) of(t task) (list []schema.Recipe) {
	for _, x := range t.Targets {
		list = append(list, r[x.Repository])
	}
	return list
}

// rules is the version of all rules by which targets with these recipes are validated.
func (s Stage) rules(list ...schema.Recipe) string { return stageRules + s.Versions.Rules(list...) }
