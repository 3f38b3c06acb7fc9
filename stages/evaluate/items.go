package evaluate

import (
	"cmp"
	"slices"
	"sync"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// item is one task in one run. Independent mode has a prediction for each target.
type item struct {
	results.Key
	Predictions []schema.Prediction
	Digest      string // of the predictions
}

// part is a prediction with the targets that are judged by it. A target without a
// prediction is a part of its own.
type part struct {
	prediction *schema.Prediction // nil: none
	targets    []release.Target
}

// parts divides an item: a joint prediction is for all targets; in mode independent each
// target has its own, the others are at gold, and never are two in one workspace.
func (x item) parts(task *release.Task) (list []part) {
	if x.Mode != schema.Independent {
		return []part{{&x.Predictions[0], task.Hidden}}
	}
	for _, t := range task.Hidden {
		p := part{targets: []release.Target{t}}
		i := slices.IndexFunc(x.Predictions, func(x schema.Prediction) bool { return x.Target == t.Repository })
		if i >= 0 {
			p.prediction = &x.Predictions[i]
		}
		list = append(list, p)
	}
	return list
}

// newItems gives the items of predictions in the order of tasks, so that one task's trees
// are made once. hash covers what decides an item's verdict; it may change as the item
// is worked on.
func newItems(list []schema.Prediction, hash func(item) string) []pipeline.Item[item] {
	var all []pipeline.Item[item]
	for _, x := range groupByKey(list) {
		settle := func() string { return hash(*x) }
		all = append(all, pipeline.Item[item]{ID: x.ID(), Hash: settle(), Value: *x, Settle: settle})
	}
	slices.SortStableFunc(all, func(a, b pipeline.Item[item]) int { return cmp.Compare(a.Value.Task, b.Value.Task) })
	return all
}

// groupByKey gives the items of predictions, in their order.
func groupByKey(list []schema.Prediction) (items []*item) {
	byKey := map[results.Key]*item{}
	for _, p := range list {
		k := results.Key{RunKey: p.RunKey(), Task: p.Task}
		if byKey[k] == nil {
			byKey[k] = &item{Key: k}
			items = append(items, byKey[k])
		}
		byKey[k].Predictions = append(byKey[k].Predictions, p)
	}
	for _, x := range items {
		slices.SortFunc(x.Predictions, func(a, b schema.Prediction) int { return cmp.Compare(a.Target, b.Target) })
		x.Digest = predictions.Digest(x.Predictions)
	}
	return items
}

// taskRecipes are the recipes of tasks' targets, each task read once.
type taskRecipes struct {
	mu     sync.Mutex
	byTask map[string][]schema.Recipe
}

func (r *taskRecipes) of(rel *release.Release, task string) []schema.Recipe {
	r.mu.Lock()
	defer r.mu.Unlock()
	if recipes, known := r.byTask[task]; known {
		return recipes
	}
	var recipes []schema.Recipe
	if t, err := rel.Task(task); err == nil { // else the item says what is wrong
		for _, x := range t.Hidden {
			recipes = append(recipes, x.Recipe)
		}
	}
	if r.byTask == nil {
		r.byTask = map[string][]schema.Recipe{}
	}
	r.byTask[task] = recipes
	return recipes
}
