package evaluate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// Bounds of a predictions file.
const (
	maxLine        = 256 << 20
	maxModel       = 200
	maxPredictions = 1_000_000
)

// Gold and Empty name the built-in predictions: the gold patches, and none.
const (
	Gold  = "gold"
	Empty = "empty"
)

// LoadPredictions gives the predictions that a word or a file names.
func LoadPredictions(rel *release.Release, source string) ([]schema.Prediction, error) {
	if source == Gold || source == Empty {
		return builtIn(rel, source)
	}
	f, err := os.Open(source)
	if err != nil {
		return nil, pipeline.Usage("predictions %s can't be read (%v); give a file of JSON lines, or the word gold or empty", source, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, pipeline.Usage("predictions %s is a folder; give a file of JSON lines, or the word gold or empty", source)
	}
	return ReadPredictions(rel, source, f)
}

func builtIn(rel *release.Release, model string) ([]schema.Prediction, error) {
	var out []schema.Prediction
	for _, t := range rel.Tasks {
		p := schema.Prediction{Task: t.ID, Model: model, Mode: schema.Joint, Attempt: 1, Patches: map[string]string{}}
		if model == Gold {
			task, err := rel.Task(t.ID)
			if err != nil {
				return nil, err
			}
			for _, h := range task.Hidden {
				p.Patches[h.Repository] = string(h.Gold)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// ReadPredictions reads JSON lines strictly: an error names the line and what is
// wrong with it, and one bad line refuses the file. Blank lines are passed over.
func ReadPredictions(rel *release.Release, name string, r io.Reader) ([]schema.Prediction, error) {
	c := checker{rel: rel, tasks: map[string]*release.Task{}, seen: map[string]int{}}
	var out []schema.Prediction
	b := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3) // some editors begin a file with it
	}
	for n := 1; ; n++ {
		line, err := readLine(b)
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, pipeline.Usage("%s, line %d: %v", name, n, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		p, err := c.prediction(line, n)
		if err != nil {
			return nil, pipeline.Usage("%s, line %d: %v", name, n, err)
		}
		if out = append(out, p); len(out) > maxPredictions {
			return nil, pipeline.Usage("%s holds more than %d predictions", name, maxPredictions)
		}
	}
	if len(out) == 0 {
		return nil, pipeline.Usage("%s holds no prediction; each is one line of JSON with task_id, model_name_or_path and patches", name)
	}
	return out, nil
}

func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

type checker struct {
	rel   *release.Release
	tasks map[string]*release.Task
	seen  map[string]int // key → line
}

func (c *checker) prediction(line []byte, n int) (schema.Prediction, error) {
	var p schema.Prediction
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, plainJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return p, errors.New("more than one JSON value on the line")
	}
	if key := repeatedKey(line); key != "" {
		return p, fmt.Errorf("%q is there twice", key)
	}
	if p.Mode == "" {
		p.Mode = schema.Joint
	}
	if p.Attempt == 0 {
		p.Attempt = 1
	}
	if err := c.check(&p); err != nil {
		return p, err
	}
	key := fmt.Sprintf("%q %q %s %s %d", p.Model, p.Task, p.Mode, p.Target, p.Attempt)
	if first, twice := c.seen[key]; twice {
		return p, fmt.Errorf("repeats line %d: %s has a prediction of %s already (number further ones with attempt)", first, p.Task, p.Model)
	}
	c.seen[key] = n
	return p, nil
}

// repeatedKey finds a name that an object gives twice: the decoder would take the
// last and say nothing.
func repeatedKey(line []byte) string {
	type object struct {
		keys map[string]bool // nil in an array
		name bool            // a name comes next
	}
	var stack []object
	d := json.NewDecoder(bytes.NewReader(line))
	for {
		tok, err := d.Token()
		if err != nil {
			return ""
		}
		top := len(stack) - 1
		if s, ok := tok.(string); ok && top >= 0 && stack[top].name {
			if stack[top].keys[s] {
				return s
			}
			stack[top].keys[s], stack[top].name = true, false
			continue
		}
		switch tok {
		case json.Delim('{'):
			stack = append(stack, object{map[string]bool{}, true})
			continue
		case json.Delim('['):
			stack = append(stack, object{})
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:top]
		}
		if top = len(stack) - 1; top >= 0 {
			stack[top].name = stack[top].keys != nil
		}
	}
}

// plainJSON says in words what the decoder found.
func plainJSON(err error) error {
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown field %s; a prediction has task_id, model_name_or_path, patches, mode, target, attempt, run", field)
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("not a prediction: %s; write one prediction a line", article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Errorf("%s is %s; it must be %s", kind.Field, article(kind.Value), wanted(kind.Type.Kind()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not a prediction: it ends too early; a prediction is one line")
	}
	return fmt.Errorf("not a prediction: %s", strings.TrimPrefix(err.Error(), "json: "))
}

func article(word string) string {
	if strings.HasPrefix(word, "a") || strings.HasPrefix(word, "o") {
		return "an " + word
	}
	return "a " + word
}

// wanted names a Go type as JSON does.
func wanted(k reflect.Kind) string {
	switch k {
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "a number"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Bool:
		return "true or false"
	}
	return "a string"
}

func (c *checker) check(p *schema.Prediction) error {
	switch {
	case p.Task == "":
		return errors.New("no task_id")
	case p.Model == "" || len(p.Model) > maxModel:
		return fmt.Errorf("model_name_or_path is missing or longer than %d bytes", maxModel)
	case p.Patches == nil:
		return errors.New(`no patches; a prediction that changes nothing has "patches": {}`)
	case p.Attempt < 1 || p.Attempt > 1_000_000:
		return fmt.Errorf("attempt %d; attempts count from 1", p.Attempt)
	case p.Mode != schema.Joint && p.Mode != schema.Independent:
		return fmt.Errorf("mode %q; it is joint or independent", p.Mode)
	}
	t, err := c.task(p.Task)
	if err != nil {
		return err
	}
	return checkRepositories(p, t)
}

func (c *checker) task(id string) (*release.Task, error) {
	if t := c.tasks[id]; t != nil {
		return t, nil
	}
	for _, known := range c.rel.Tasks {
		if known.ID == id {
			t, err := c.rel.Task(id)
			c.tasks[id] = t
			return t, err
		}
	}
	return nil, fmt.Errorf("unknown task %q: the release %s %s has none of that id", id, c.rel.Name, c.rel.Version)
}

func checkRepositories(p *schema.Prediction, t *release.Task) error {
	may := map[string]bool{}
	for _, w := range t.Workspace.Repositories {
		may[w.Repository] = true
	}
	target := false
	for _, x := range t.Targets {
		target = target || x.Repository == p.Target
	}
	switch {
	case p.Mode == schema.Independent && !target:
		return fmt.Errorf("mode independent names its target, and %q is none of %s", p.Target, p.Task)
	case p.Mode == schema.Independent:
		may = map[string]bool{p.Target: true}
	case p.Target != "":
		return errors.New("a target belongs to mode independent only")
	}
	for _, repository := range sortedKeys(p.Patches) {
		if !may[repository] {
			return fmt.Errorf("unknown repository %q: it is not in the workspace of this prediction (%s)", repository, strings.Join(sortedKeys(may), ", "))
		}
		if n := len(p.Patches[repository]); n > patch.MaxBytes {
			return fmt.Errorf("the patch of %s has %d bytes; %d are the most", repository, n, patch.MaxBytes)
		}
	}
	return nil
}

// blank says whether a prediction changes nothing.
func blank(p schema.Prediction) bool {
	for _, d := range p.Patches {
		if strings.TrimSpace(d) != "" {
			return false
		}
	}
	return true
}

// trusted says whether a prediction holds nothing but gold.
func trusted(p schema.Prediction, t *release.Task) bool {
	gold := map[string]string{}
	for _, h := range t.Hidden {
		gold[h.Repository] = string(h.Gold)
	}
	for repository, d := range p.Patches {
		if strings.TrimSpace(d) != "" && d != gold[repository] {
			return false
		}
	}
	return true
}
