package estimate

import (
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// Work is what is to be run on a release: by task, how often each target's tests run.
type Work struct {
	release     *release.Release
	tasks       map[string]*release.Task
	runs        map[string]map[string]int
	predictions int
	repeated    int
}

func newWork(rel *release.Release) *Work {
	return &Work{release: rel, tasks: map[string]*release.Task{}, runs: map[string]map[string]int{}}
}

// ForAgents is the work of agents, each of which answers every task so many times in one mode.
func ForAgents(rel *release.Release, tasks []string, agents, attempts int, mode string) (*Work, error) {
	w := newWork(rel)
	for _, id := range tasks {
		t, err := w.task(id)
		if err != nil {
			return nil, err
		}
		answers := 1
		if mode == schema.Independent {
			answers = len(t.Hidden)
		}
		w.predictions += answers * agents * attempts
		for _, x := range t.Hidden {
			w.runs[id][x.Repository] += agents * attempts
		}
	}
	return w, nil
}

// ForPredictions is the work of evaluating predictions; those with the same patches run once.
func ForPredictions(rel *release.Release, list []schema.Prediction) (*Work, error) {
	w := newWork(rel)
	seen := map[string]bool{}
	for _, p := range list {
		w.predictions++
		key := pipeline.Hash(p.Task, p.Mode, p.Target, p.Patches)
		if seen[key] {
			w.repeated++
			continue
		}
		seen[key] = true
		t, err := w.task(p.Task)
		if err != nil {
			return nil, err
		}
		if p.Mode == schema.Independent {
			w.runs[p.Task][p.Target]++
			continue
		}
		for _, x := range t.Hidden {
			w.runs[p.Task][x.Repository]++
		}
	}
	return w, nil
}

// task reads a task once.
func (w *Work) task(id string) (*release.Task, error) {
	if t := w.tasks[id]; t != nil {
		return t, nil
	}
	t, err := w.release.Task(id)
	if err != nil {
		return nil, err
	}
	w.tasks[id], w.runs[id] = t, map[string]int{}
	return t, nil
}
