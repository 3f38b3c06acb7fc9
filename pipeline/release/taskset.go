package release

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// SetHelp says for people what a set of tasks is.
const SetHelp = "a named set of tasks: bugfix, feature, an ecosystem of the release, or a file of task ids, one a line"

// TaskSet returns the tasks that are asked for, in the release's order: ids, a set, both (those of the ids that are in
// the set), or all.
func (r *Release) TaskSet(ids []string, set string) ([]string, error) {
	in, err := r.membership(set)
	if err != nil {
		return nil, err
	}
	known := r.taskIDs()
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, pipeline.Usage("the release %s %s has no task %q%s", r.Name, r.Version, id, pipeline.DidYouMean(id,
				known))
		}
	}
	var out []string
	for _, t := range r.Tasks {
		if in(t) && (len(ids) == 0 || slices.Contains(ids, t.ID)) {
			out = append(out, t.ID)
		}
	}
	if len(out) == 0 {
		return nil, pipeline.Usage("no task is meant by --tasks %s --set %s", strings.Join(ids, ","), set)
	}
	return out, nil
}

func (r *Release) taskIDs() (ids []string) {
	for _, t := range r.Tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

// membership returns which tasks are in a set.
func (r *Release) membership(set string) (func(schema.ReleaseTask) bool, error) {
	ecosystem := slices.ContainsFunc(r.Tasks, func(t schema.ReleaseTask) bool { return t.Ecosystem == set })
	switch {
	case set == "" || set == "all":
		return func(schema.ReleaseTask) bool { return true }, nil
	case set == schema.Bugfix || set == schema.Feature:
		return func(t schema.ReleaseTask) bool { return t.Kind == set }, nil
	case ecosystem:
		return func(t schema.ReleaseTask) bool { return t.Ecosystem == set }, nil
	}
	ids, err := r.readSet(set)
	return func(t schema.ReleaseTask) bool { return slices.Contains(ids, t.ID) }, err
}

// readSet reads a file of task ids; what follows a # is a remark.
func (r *Release) readSet(name string) ([]string, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, pipeline.Usage("there is no set %q: %s", name, SetHelp)
	}
	if err != nil {
		return nil, pipeline.Usage("the set %s can't be read: %v", name, err)
	}
	defer f.Close()
	var ids []string
	known := r.taskIDs()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		id, _, _ := strings.Cut(lines.Text(), "#")
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		if !slices.Contains(known, id) {
			return nil, pipeline.Usage("%s, line %d: the release has no task %q%s", name, n, id, pipeline.DidYouMean(id, known))
		}
		ids = append(ids, id)
	}
	if err := lines.Err(); err != nil {
		return nil, pipeline.Usage("the set %s can't be read: %v", name, err)
	}
	return ids, nil
}
