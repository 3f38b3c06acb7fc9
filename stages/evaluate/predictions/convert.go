package predictions

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// room is what a shape has room for, beside a patch of UTF-8 for each repository of a task.
type room struct {
	model   bool // the model's name
	mode    bool // joint or independent
	attempt bool // several attempts
	bytes   bool // patches that are not UTF-8
	context bool // patches of repositories that are no targets
	byID    bool // one entry for an instance: neither a second model nor a second attempt
	byPull  bool // an entry is named by a pull
}

// part is the patch of one repository of a prediction, or a prediction without patches.
type part struct {
	schema.Prediction
	Instance   string // TASK__OWNER__NAME, or the task's id where the prediction is one part
	Repository string // owner/name, "" with a task's id
	Number     int    // of the repository's first pull, where the shape is by pull
	Patch      string
}

// encoded gives the patch as text, or in base64 where it is not UTF-8.
func (p part) encoded() (text, b64 *string) {
	if utf8.ValidString(p.Patch) {
		return &p.Patch, nil
	}
	s := base64.StdEncoding.EncodeToString([]byte(p.Patch))
	return nil, &s
}

// Convert writes predictions as a file of a shape. What the shape has no room for, and
// would change a verdict, is an error; how the patches were made is lost everywhere but
// in native lines.
func Convert(w io.Writer, rel *release.Release, list []schema.Prediction, s Shape) error {
	if s.write == nil {
		return Write(w, list)
	}
	if err := s.fits(list); err != nil {
		return err
	}
	all, err := newCollector(rel).parts(list, s)
	if err != nil {
		return pipeline.Usage("%v", err)
	}
	return s.write(w, all)
}

// fits refuses predictions that a shape has no room for.
func (s Shape) fits(list []schema.Prediction) error {
	first := map[string]schema.Prediction{}
	for _, p := range list {
		id := fmt.Sprintf("%q %s", p.Task, p.Target)
		before, there := first[id]
		first[id] = p
		switch {
		case !s.room.attempt && p.Attempt > 1 || s.room.byID && there:
			return pipeline.Usage("%s has one prediction for an instance, and there are several of %s (%s, %s); "+
				"convert a file for each model and attempt", s.Name, p.Task, before.RunKey(), p.RunKey())
		case !s.room.model && p.Model != list[0].Model:
			return pipeline.Usage("%s names no model, and these are of %s and %s; convert a file for each",
				s.Name, list[0].Model, p.Model)
		case !s.room.mode && p.Mode != list[0].Mode:
			return pipeline.Usage("%s names no mode, and there are joint and independent predictions; "+
				"convert a file for each", s.Name)
		}
	}
	return nil
}

// parts divides predictions into the entries of a shape.
func (c *collector) parts(list []schema.Prediction, s Shape) (all []part, err error) {
	for _, p := range list {
		parts, err := c.partsOf(p, s)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", p.Task, p.RunKey(), err)
		}
		all = append(all, parts...)
	}
	return all, nil
}

func (c *collector) partsOf(p schema.Prediction, s Shape) (parts []part, err error) {
	t, err := c.task(p.Task)
	if err != nil {
		return nil, err
	}
	patches := p.Patches
	switch {
	case len(patches) > 0:
	case p.Mode == schema.Independent:
		patches = map[string]string{p.Target: ""}
	case s.room.byPull:
		patches = map[string]string{t.Targets[0].Repository: ""}
	default:
		return []part{{Prediction: p, Instance: p.Task}}, nil
	}
	for _, repository := range slices.Sorted(maps.Keys(patches)) {
		x := part{Prediction: p, Instance: InstanceID(p.Task, repository), Repository: repository,
			Patch: patches[repository]}
		if !s.room.bytes && !utf8.ValidString(x.Patch) {
			return nil, fmt.Errorf("the patch of %s is not UTF-8, and %s has no room for that; native and swe-bench have",
				repository, s.Name)
		}
		if s.room.byPull {
			if x.Number, err = c.number(t, repository); err != nil {
				return nil, err
			}
		}
		parts = append(parts, x)
	}
	return parts, nil
}

// number gives the first pull of a target that is of no other task.
func (c *collector) number(t *release.Task, repository string) (int, error) {
	for _, x := range t.Targets {
		if x.Repository != repository {
			continue
		}
		for _, n := range x.Pulls {
			if _, _, err := c.byPull(repository, n); err == nil {
				return n, nil
			}
		}
		return 0, fmt.Errorf("the release has no pull that is %s's alone in %s", t.Task, repository)
	}
	return 0, fmt.Errorf("%s is no target of it, and so has no pull", repository)
}

// encoder writes JSON as it is, without escapes for HTML.
func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// writeLines writes an entry a line.
func writeLines(w io.Writer, list []part, entry func(part) any) error {
	e := encoder(w)
	for _, p := range list {
		if err := e.Encode(entry(p)); err != nil {
			return err
		}
	}
	return nil
}

// writeList writes a list, an entry a line.
func writeList(w io.Writer, list []part, entry func(part) any) error {
	return writeBetween(w, "[", "]", list, func(p part) error { return encoder(w).Encode(entry(p)) })
}

// writeObject writes an object of entries by their ids.
func writeObject(w io.Writer, list []part, entry func(part) any) error {
	return writeBetween(w, "{", "}", list, func(p part) error {
		id, err := json.Marshal(p.Instance)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s: ", id)
		}
		if err != nil {
			return err
		}
		return encoder(w).Encode(entry(p))
	})
}

// writeBetween writes entries between brackets, with commas.
func writeBetween(w io.Writer, opens, closes string, list []part, write func(part) error) error {
	separator := opens + "\n"
	for _, p := range list {
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		if err := write(p); err != nil {
			return err
		}
		separator = ","
	}
	if len(list) == 0 {
		closes = opens + closes
	}
	_, err := io.WriteString(w, closes+"\n")
	return err
}
