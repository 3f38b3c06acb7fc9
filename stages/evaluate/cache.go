package evaluate

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// cached is a verdict in the cache: one file, named after its key.
type cached struct {
	Key     string            `json:"key"`
	Verdict verdict           `json:"verdict"`
	Logs    map[string][]byte `json:"logs"` // by target and variant
}

// cache keeps verdicts by the content that decides them, so that one patch is judged
// once, whoever and however often predicts it.
type cache struct {
	dir string

	mu   sync.Mutex
	busy map[string]*sync.Mutex
}

func newCache(dir string) *cache { return &cache{dir: dir, busy: map[string]*sync.Mutex{}} }

// lock makes a second prediction of the same content wait for the first one's verdict.
func (c *cache) lock(key string) (unlock func()) {
	c.mu.Lock()
	if c.busy[key] == nil {
		c.busy[key] = &sync.Mutex{}
	}
	m := c.busy[key]
	c.mu.Unlock()
	m.Lock()
	return m.Unlock
}

func (c *cache) file(key string) string { return filepath.Join(c.dir, key[:2], key+".json.gz") }

// get reads a verdict. A file that can't be read as one is as good as none: it is
// written anew.
func (c *cache) get(key string) (cached, bool) {
	var k cached
	f, err := os.Open(c.file(key))
	if err != nil {
		return k, false
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return k, false
	}
	err = json.NewDecoder(z).Decode(&k)
	return k, err == nil && k.Key == key
}

// put stores a verdict in one step.
func (c *cache) put(k cached) error {
	name := c.file(k.Key)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(name), ".part-")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) // renamed by then, unless something failed
	z := gzip.NewWriter(part)
	err = json.NewEncoder(z).Encode(k)
	if err = errors.Join(err, z.Close(), part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), name)
}

// contentKey digests whatever decides a verdict: the patches, not who made them.
func (b *bench) contentKey(ctx context.Context, u unit) (string, error) {
	s := b.stage
	t, err := s.Release.Task(u.Task)
	if err != nil {
		return "", err
	}
	host, err := b.host(ctx)
	if err != nil {
		return "", err
	}
	var images []string
	for _, x := range t.Hidden {
		id, err := s.imageOf(ctx, x.Image.ID, x.Recipe.Image)
		if err != nil {
			return "", err
		}
		images = append(images, id)
	}
	type patches struct {
		Target         string
		Patches, Bytes map[string]string
	}
	var all []patches
	for _, p := range u.Predictions {
		p = p.Encoded() // JSON, which is what is digested, keeps no bytes that are not UTF-8
		all = append(all, patches{p.Target, p.Patches, p.PatchB64})
	}
	rules := s.Versions.Rules(s.recipesOf(u.Task)...)
	return pipeline.Hash("verdict", s.Version(), rules, s.Release.SHA256, u.Task, u.Mode, all, s.Limits, s.guard(), s.BaseImages,
		s.Images.Name(), host.Platform, images), nil
}

// imageOf names the content that a target's tests run on: validation's image where it
// is here, else the base image that one is made from.
func (s *Stage) imageOf(ctx context.Context, validated, base string) (string, error) {
	if validated != "" {
		if id, err := s.Images.ImageID(ctx, validated); err == nil {
			return id, nil
		}
	}
	on, err := s.Runner.Base(ctx, base)
	return "made on " + on.Pin, err
}

// judged gives an item's verdict: an earlier one of the same content, or a new one.
func (b *bench) judged(ctx context.Context, u unit) (*verdict, error) {
	key, err := b.contentKey(ctx, u)
	if err != nil {
		return nil, err
	}
	defer b.cache.lock(key)()
	if k, ok := b.cache.get(key); ok && !b.redo {
		return k.use(b.stage, u)
	}
	v, err := b.evaluate(ctx, u)
	if err != nil {
		return nil, err
	}
	k := cached{Key: key, Verdict: *v, Logs: map[string][]byte{}}
	for _, r := range v.Runs {
		if k.Logs[r.Target+" "+r.Variant], err = os.ReadFile(filepath.Join(b.stage.Out, filepath.FromSlash(r.Log))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := b.cache.put(k); err != nil {
		return nil, fmt.Errorf("keeping the verdict for predictions of the same content: %w", err)
	}
	return v, nil
}

// use makes a kept verdict an item's own, logs included.
func (k cached) use(s *Stage, u unit) (*verdict, error) {
	v := k.Verdict
	v.Report.Reused = true
	for i, r := range v.Runs {
		v.Runs[i].Log = u.logPath(r.Target, r.Variant)
		name := filepath.Join(s.Out, filepath.FromSlash(v.Runs[i].Log))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, k.Logs[r.Target+" "+r.Variant], 0o644); err != nil {
			return nil, err
		}
	}
	for target, t := range v.Report.Targets {
		if t.Log != "" {
			t.Log = u.logPath(target, submitted)
			v.Report.Targets[target] = t
		}
	}
	return &v, nil
}

// host asks once where runs take place.
func (b *bench) host(ctx context.Context) (schema.Machine, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.machine != nil {
		return *b.machine, nil
	}
	h, err := b.stage.Images.Host(ctx)
	if err != nil {
		return schema.Machine{}, err
	}
	b.machine = &schema.Machine{Sandbox: b.stage.Images.Name(), Platform: h.Platform, Engine: h.Engine, Kernel: h.Kernel}
	return *b.machine, nil
}

// ours says no where the release was validated on another platform than this one.
func (b *bench) ours(ctx context.Context, task, platform string) (emulated bool, err error) {
	host, err := b.host(ctx)
	if err != nil || platform == "" || platform == host.Platform {
		return false, err
	}
	if !b.stage.AllowEmulation {
		return false, pipeline.Need("%s was validated on %s and this is %s, where tests may end otherwise: evaluate on such a machine, or say --allow-emulation", task, platform, host.Platform)
	}
	return true, nil
}
