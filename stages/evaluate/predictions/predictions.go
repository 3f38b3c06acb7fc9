// Package predictions reads and writes predictions in every shape that people have
// them in: native lines, other benchmarks' rows and lists, folders of patches and of
// trials, and the built-in gold and empty ones. Each shape is one file here and one line
// of the table in shapes.go. The package checks predictions against a release, and says
// what they hold.
//
// What a prediction is, is schema's; scoring one is the evaluate stage's. Nothing here
// applies a patch.
package predictions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// Bounds of predictions.
const (
	maxLine        = 256 << 20 // bytes of one line, and of one patch file
	maxDocument    = 1 << 30   // bytes of a file that is one JSON value
	maxUnpacked    = 16 << 30  // bytes of a compressed file
	maxModel       = 200
	maxPredictions = 1_000_000
)

// Gold and Empty name the built-in predictions: the gold patches, and none.
const (
	Gold  = "gold"
	Empty = "empty"
)

// Options say what the predictions of a file or folder don't say themselves.
type Options struct {
	// Model is the model of predictions that name none, and of those whose shape names
	// it in passing only: a folder's name, a trial's agent.
	Model string
	// Mode is the mode of predictions that name none; "" is joint.
	Mode string
}

// Load gives the predictions that a word, a file or a folder holds:
//
//	gold, empty               the built-in ones
//	a file of JSON lines      an entry of a shape a line
//	a file of one JSON value  a list of entries, or an object of them by instance id
//	a folder                  of patches, of Harbor's trials or of the authors' results
//
// Files may be compressed by gzip. What an entry holds tells its shape; see [Shapes].
func Load(rel *release.Release, source string, options Options) ([]schema.Prediction, error) {
	if source == Gold || source == Empty {
		return builtIn(rel, source)
	}
	info, err := os.Stat(source)
	if err != nil {
		return nil, pipeline.Usage("predictions %s can't be read (%v); give a file, "+
			"a folder of TASK/OWNER__NAME.patch, or the word gold or empty", source, err)
	}
	c := newCollector(rel)
	c.options = options
	if info.IsDir() {
		return c.folder(source)
	}
	f, err := os.Open(source)
	if err != nil {
		return nil, pipeline.Usage("predictions %s can't be read: %v", source, err)
	}
	defer f.Close()
	return c.read(source, f)
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

// collector checks predictions as they are read, and knows those before.
type collector struct {
	rel     *release.Release
	options Options
	tasks   map[string]*release.Task
	pulls   pullTable            // nil until an entry needs it
	seen    map[string]string    // prediction → where it stands
	rows    map[string]*rowGroup // joint predictions that come a row a target
	out     []schema.Prediction
}

func newCollector(rel *release.Release) *collector {
	return &collector{rel: rel, tasks: map[string]*release.Task{}, seen: map[string]string{},
		rows: map[string]*rowGroup{}}
}

// key tells predictions apart.
func key(p schema.Prediction) string {
	return fmt.Sprintf("%q %q %s %s %d", p.Model, p.Task, p.Mode, p.Target, p.Attempt)
}

// add takes a whole prediction that stands at a place.
func (c *collector) add(p schema.Prediction, place string) error {
	c.defaults(&p)
	if err := c.check(&p); err != nil {
		return err
	}
	if first, twice := c.seen[key(p)]; twice {
		return fmt.Errorf("repeats %s: %s has a prediction of %s already (number further ones with attempt)", first,
			p.Task, p.Model)
	}
	c.seen[key(p)] = place
	if len(c.out) >= maxPredictions {
		return fmt.Errorf("more than %d predictions", maxPredictions)
	}
	c.out = append(c.out, p)
	return nil
}

// defaults fills in what the options say, and else the rules.
func (c *collector) defaults(p *schema.Prediction) {
	p.Model = cmp.Or(p.Model, c.options.Model)
	p.Mode = cmp.Or(p.Mode, c.options.Mode, schema.Joint)
	if p.Attempt == 0 {
		p.Attempt = 1
	}
}

func (c *collector) check(p *schema.Prediction) error {
	switch {
	case p.Task == "":
		return errors.New("no task_id")
	case p.Model == "":
		return errors.New("no model_name_or_path; give the model by --model NAME")
	case len(p.Model) > maxModel:
		return fmt.Errorf("model_name_or_path is longer than %d bytes", maxModel)
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

func (c *collector) task(id string) (*release.Task, error) {
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
	var ids []string
	for _, known := range c.rel.Tasks {
		ids = append(ids, known.ID)
	}
	return nil, fmt.Errorf("unknown task %q: the release %s %s has none of that id%s", id, c.rel.Name, c.rel.Version,
		pipeline.DidYouMean(id, ids))
}

// checkRepositories refuses patches for what is not in the prediction's workspace.
// How large a patch may be is its application's to say: one agent's flood is its own
// state, and no reason to refuse the others.
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
	for _, repository := range slices.Sorted(maps.Keys(p.Patches)) {
		if !may[repository] {
			return fmt.Errorf("unknown repository %q: it is not in the workspace of this prediction (%s)", repository,
				strings.Join(slices.Sorted(maps.Keys(may)), ", "))
		}
	}
	return nil
}

// Digest digests predictions, every byte of their patches.
func Digest(list []schema.Prediction) string {
	encoded := make([]schema.Prediction, len(list))
	for i, p := range list {
		encoded[i] = p.Encoded()
	}
	return pipeline.Hash(encoded)
}

// ChangesNothing tells whether every patch of a prediction is blank.
func ChangesNothing(p schema.Prediction) bool {
	for _, d := range p.Patches {
		if strings.TrimSpace(d) != "" {
			return false
		}
	}
	return true
}

// OnlyGold tells whether a prediction holds nothing but gold patches.
func OnlyGold(p schema.Prediction, t *release.Task) bool {
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
