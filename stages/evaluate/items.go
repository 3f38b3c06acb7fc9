package evaluate

import (
	"cmp"
	"slices"
	"sync"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
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

// items are in the order of tasks, so that one task's trees are made once.
func (s *Stage) items() []pipeline.Item[item] {
	var list []pipeline.Item[item]
	for _, x := range groupByKey(s.Predictions) {
		settle := func() string { return s.hash(*x) }
		list = append(list, pipeline.Item[item]{ID: x.ID(), Hash: s.hash(*x), Value: *x, Settle: settle})
	}
	slices.SortStableFunc(list, func(a, b pipeline.Item[item]) int { return cmp.Compare(a.Value.Task, b.Value.Task) })
	return list
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

// hash covers whatever decides the verdict: nothing stale is used again. Which base
// images a task needs is known once they are locked.
func (s *Stage) hash(x item) string {
	return pipeline.Hash(x.Digest, s.Release.SHA256, testrun.RuleVersion, s.Limits, s.guardMode(), s.BaseImages,
		s.Images.Name(), s.pins(x.Task))
}

// pins are the locked base images of a task's recipes.
func (s *Stage) pins(task string) (pins []string) {
	for _, name := range s.baseImages.of(s.Release, task) {
		pin, _ := s.Runner.LockedPin(name) // a lock that can't be read fails the runs
		pins = append(pins, pin)
	}
	return pins
}

// baseImages are the image names in the recipes of tasks, each task read once.
type baseImages struct {
	mu     sync.Mutex
	byTask map[string][]string
}

func (b *baseImages) of(rel *release.Release, task string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if names, known := b.byTask[task]; known {
		return names
	}
	var names []string
	if t, err := rel.Task(task); err == nil { // else the item says what is wrong
		for _, x := range t.Hidden {
			names = append(names, x.Recipe.Image)
		}
	}
	if b.byTask == nil {
		b.byTask = map[string][]string{}
	}
	b.byTask[task] = names
	return names
}
