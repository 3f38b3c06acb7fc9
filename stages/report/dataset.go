package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// Dataset describes a release.
type Dataset struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	SHA256  string            `json:"sha256"`
	Rules   map[string]string `json:"rules,omitempty"`
	Counts  Counts            `json:"counts"`
	Tasks   []DataTask        `json:"tasks"`
	// Shares count tasks and targets by one property after the other.
	Shares []Share `json:"shares"`
	// Funnel is how the tasks came to be these, where the release says it.
	Funnel []schema.FunnelRow `json:"funnel,omitempty"`
}

// Counts are a data set's sizes.
type Counts struct {
	Tasks        int `json:"tasks"`
	Targets      int `json:"targets"`
	Repositories int `json:"repositories"` // distinct targets
	Ecosystems   int `json:"ecosystems"`
	Context      int `json:"context"` // context repositories, over all tasks
	F2P          int `json:"f2p"`
	PassedBefore int `json:"f2p_passed_before,omitempty"` // they guard what worked; the other F2P are new behaviour
	P2P          int `json:"p2p"`
}

// DataTask is one task of a data set.
type DataTask struct {
	ID         string       `json:"task_id"`
	Title      string       `json:"title"`
	Ecosystem  string       `json:"ecosystem"`
	Kind       string       `json:"kind"`
	Pattern    string       `json:"pattern,omitempty"`
	ChangeType string       `json:"change_type,omitempty"`
	Languages  []string     `json:"languages"`
	Context    int          `json:"context"`
	Sets       []string     `json:"sets,omitempty"` // the curator's named sets it is in
	Targets    []DataTarget `json:"targets"`

	prompt string
}

// Size is the whole task's reference change.
func (t DataTask) Size() (sum Size) {
	for _, x := range t.Targets {
		sum = sum.add(x.Size)
	}
	return sum
}

// DataTarget is one target of a task.
type DataTarget struct {
	Repository string `json:"repository"`
	F2P        int    `json:"f2p"`
	P2P        int    `json:"p2p"`
	Size       Size   `json:"size"`
	// PassedBefore counts the F2P that base passed with its own test files.
	PassedBefore int `json:"f2p_passed_before,omitempty"`

	code []filerole.Role // what a substantive change of it changes
}

// Share counts the tasks that have one value of one property.
type Share struct {
	Property string `json:"property"`
	Value    string `json:"value"`
	Tasks    int    `json:"tasks"`
	Targets  int    `json:"targets"`
	F2P      int    `json:"f2p"`
	P2P      int    `json:"p2p"`
}

func dataset(rel *release.Release) (*Dataset, error) {
	var tasks []DataTask
	for _, listed := range rel.Tasks {
		t, err := rel.Task(listed.ID)
		if err != nil {
			return nil, fmt.Errorf("reading the release: %w", err)
		}
		one, err := dataTask(t)
		if err != nil {
			return nil, fmt.Errorf("reading the release: %s: %w", t.Task, err)
		}
		tasks = append(tasks, one)
	}
	selection, err := rel.Selection()
	if err != nil {
		return nil, fmt.Errorf("reading the release: %w", err)
	}
	for name, ids := range selection.Sets {
		for i, t := range tasks {
			if slices.Contains(ids, t.ID) {
				tasks[i].Sets = append(tasks[i].Sets, line(name, maxTitle))
			}
		}
	}
	d := describe(tasks)
	f, err := rel.Funnel()
	if err != nil {
		return nil, fmt.Errorf("reading the release: %w", err)
	}
	d.Funnel = f.Rows
	d.Name, d.Version, d.SHA256, d.Rules = rel.Name, rel.Version, rel.SHA256, rel.Rules
	return d, nil
}

func dataTask(t *release.Task) (DataTask, error) {
	out := DataTask{ID: t.Task, Title: line(t.Title, maxTitle), Ecosystem: t.Ecosystem, Kind: t.Kind, Pattern: t.Pattern,
		ChangeType: t.ChangeType, Languages: append([]string{}, t.Languages...), Context: len(t.Context), prompt: t.Prompt}
	for _, h := range t.Hidden {
		size, gold, err := reference(h)
		if err != nil {
			return out, err
		}
		out.Targets = append(out.Targets, DataTarget{h.Repository, len(h.Tests.F2P), len(h.Tests.P2P), size,
			len(h.Tests.PassedBefore), codeRoles(gold)})
	}
	return out, nil
}

func describe(tasks []DataTask) *Dataset {
	for i := range tasks {
		slices.Sort(tasks[i].Sets)
	}
	tasks = slices.SortedFunc(slices.Values(tasks), func(a, b DataTask) int { return cmp.Compare(a.ID, b.ID) })
	d := &Dataset{Tasks: append([]DataTask{}, tasks...), Shares: []Share{}}
	repositories, ecosystems := map[string]bool{}, map[string]bool{}
	for _, t := range tasks {
		ecosystems[t.Ecosystem] = true
		d.Counts.Context += t.Context
		for _, target := range t.Targets {
			repositories[target.Repository] = true
			d.Counts.Targets++
			d.Counts.F2P += target.F2P
			d.Counts.PassedBefore += target.PassedBefore
			d.Counts.P2P += target.P2P
		}
	}
	d.Counts.Tasks, d.Counts.Repositories, d.Counts.Ecosystems = len(tasks), len(repositories), len(ecosystems)
	for _, p := range properties {
		d.Shares = append(d.Shares, shares(p, tasks)...)
	}
	return d
}

// property is what tasks are told apart by, in the tables of a data set and of an
// evaluation. A task may have several values, or none.
type property struct {
	name   string
	values func(DataTask) []string
	// scored properties divide the tables of an evaluation, too.
	scored bool
}

var properties = []property{
	{"kind", func(t DataTask) []string { return []string{t.Kind} }, true},
	{"target repositories", func(t DataTask) []string { return []string{strconv.Itoa(len(t.Targets))} }, true},
	{"languages", func(t DataTask) []string { return []string{diversity(t)} }, true},
	{"kind and languages", func(t DataTask) []string { return []string{t.Kind + ", " + diversity(t)} }, true},
	{"pattern", func(t DataTask) []string { return present(t.Pattern) }, true},
	{"set", func(t DataTask) []string { return t.Sets }, true},
	{"change type", func(t DataTask) []string { return present(t.ChangeType) }, false},
	{"language", func(t DataTask) []string { return t.Languages }, false},
	{"ecosystem", func(t DataTask) []string { return []string{t.Ecosystem} }, false},
}

func present(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func diversity(t DataTask) string {
	switch len(t.Languages) {
	case 0:
		return "unknown"
	case 1:
		return "one"
	}
	return "several"
}

// has says whether the task has this value of the property.
func (p property) has(t DataTask, value string) bool { return slices.Contains(p.values(t), value) }

func (p property) all(tasks []DataTask) []string {
	values := map[string]bool{}
	for _, t := range tasks {
		for _, v := range p.values(t) {
			values[v] = true
		}
	}
	return slices.Sorted(maps.Keys(values))
}

func shares(p property, tasks []DataTask) []Share {
	var out []Share
	for _, value := range p.all(tasks) {
		s := Share{Property: p.name, Value: value}
		for _, t := range tasks {
			if !p.has(t, value) {
				continue
			}
			s.Tasks++
			for _, target := range t.Targets {
				s.Targets++
				s.F2P += target.F2P
				s.P2P += target.P2P
			}
		}
		out = append(out, s)
	}
	return out
}
