package folder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Exclusions reads exclude.yaml.
func (f Folder) Exclusions() ([]schema.Exclusion, error) {
	const name = "exclude.yaml"
	text, ok, err := f.read(name)
	if err != nil || !ok {
		return nil, err
	}
	var file struct {
		Exclude []schema.Exclusion `yaml:"exclude"`
	}
	if err := decode(name, text, &file, "exclude: a list of pull, candidate or repository, each with a "+
		"reason"); err != nil {
		return nil, err
	}
	for i, x := range file.Exclude {
		if err := checkExclusion(x); err != nil {
			return nil, problem(name, 0, "entry %d: %s", i+1, err)
		}
	}
	return file.Exclude, nil
}

func checkExclusion(x schema.Exclusion) error {
	var named []error
	if x.Pull != "" {
		named = append(named, CheckPull(x.Pull))
	}
	if x.Candidate != "" {
		named = append(named, CheckID(x.Candidate))
	}
	if x.Repository != "" {
		named = append(named, CheckRepository(x.Repository))
	}
	if len(named) != 1 {
		return fmt.Errorf("names %d things; write one of pull, candidate, repository", len(named))
	}
	if named[0] == nil && strings.TrimSpace(x.Reason) == "" {
		return fmt.Errorf("has no reason; say why it must not be used")
	}
	return named[0]
}

const selectionKeys = "pins (include and exclude: lists of task ids), sets (name: list of task ids), tasks"

const selectionFile = "selection.yaml"

// Selection reads selection.yaml; an empty one where there is no file.
func (f Folder) Selection() (schema.Selection, error) {
	var s schema.Selection
	text, ok, err := f.read(selectionFile)
	if err != nil || !ok {
		return s, err
	}
	if err := decode(selectionFile, text, &s, selectionKeys); err != nil {
		return s, err
	}
	for _, id := range s.Pins.Include {
		if slices.Contains(s.Pins.Exclude, id) {
			return s, problem(selectionFile, 0, "%s is pinned both in and out; take it out of one list", id)
		}
	}
	return s, nil
}

// WriteTasks replaces the tasks of selection.yaml. Everything else, comments
// included, stays as people wrote it.
func (f Folder) WriteTasks(tasks []schema.SelectedTask) error {
	text, ok, err := f.read(selectionFile)
	if err != nil {
		return err
	}
	if !ok || len(strings.TrimSpace(string(text))) == 0 {
		text = []byte(selectionHead)
	}
	if tasks == nil {
		tasks = []schema.SelectedTask{}
	}
	part, err := encode(tasksHead, struct {
		Tasks []schema.SelectedTask `yaml:"tasks"`
	}{tasks})
	if err != nil {
		return err
	}
	next := spliceTasks(string(text), string(part))
	var check schema.Selection
	if err := decode(selectionFile, []byte(next), &check, selectionKeys); err != nil {
		return fmt.Errorf("keeping what people wrote: %w", err)
	}
	if !slices.Equal(check.Tasks, tasks) {
		return pipeline.Usage("%s: the tasks section can't be found; let a line begin with tasks:", selectionFile)
	}
	if next == string(text) {
		return nil
	}
	return f.write(selectionFile, []byte(next))
}

// spliceTasks puts part in place of the top-level key tasks, or at the end.
func spliceTasks(text, part string) string {
	var before, after, held strings.Builder
	seen, inside := false, false
	for line := range strings.Lines(text) {
		switch {
		case line == tasksHead:
		case strings.HasPrefix(line, "tasks:"):
			seen, inside = true, true
		case inside && line[0] == '#': // of the next key, unless more tasks follow
			held.WriteString(line)
		case inside && strings.ContainsRune(" -\t\r\n", rune(line[0])):
			if strings.TrimSpace(line) != "" {
				held.Reset()
			}
		case seen:
			inside = false
			after.WriteString(held.String() + line)
			held.Reset()
		default:
			before.WriteString(line)
		}
	}
	rest := after.String() + held.String()
	if rest != "" {
		part += "\n"
	}
	head := before.String()
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + part + rest
}
