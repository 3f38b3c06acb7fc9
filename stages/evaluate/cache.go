package evaluate

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// verdictCache keeps verdicts by the content that decides them, so that one patch is
// judged once, whoever and however often predicts it.
type verdictCache struct {
	dir  string
	busy pipeline.Keyed
}

// cachedVerdict is a verdict in the cache: one file, named after its key.
type cachedVerdict struct {
	Key     string            `json:"key"`
	Verdict verdict.Verdict   `json:"verdict"`
	Logs    map[string][]byte `json:"logs"` // by target and variant
}

// lock makes a second prediction of the same content wait for the first one's verdict.
func (c *verdictCache) lock(key string) (unlock func()) { return c.busy.Lock(key) }

func (c *verdictCache) file(key string) string { return filepath.Join(c.dir, key[:2], key+".json.gz") }

// get reads a verdict. A file that can't be read as one is as good as none: it is
// written anew.
func (c *verdictCache) get(key string) (cachedVerdict, bool) {
	var k cachedVerdict
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

// put stores a verdict with its logs, which are under out.
func (c *verdictCache) put(key string, v verdict.Verdict, out string) error {
	k := cachedVerdict{Key: key, Verdict: v, Logs: map[string][]byte{}}
	for _, r := range v.Runs {
		text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(r.Log)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		k.Logs[logName(r)] = text
	}
	if err := c.write(k); err != nil {
		return fmt.Errorf("keeping the verdict for predictions of the same content: %w", err)
	}
	return nil
}

func logName(r verdict.Run) string { return r.Target + " " + r.Variant }

// write stores a verdict in one step.
func (c *verdictCache) write(k cachedVerdict) error {
	part, err := pipeline.NewFile(c.file(k.Key))
	if err != nil {
		return err
	}
	defer func() { _ = part.Cleanup() }() // it is in its place by then, unless something failed
	z := gzip.NewWriter(part)
	if err := errors.Join(json.NewEncoder(z).Encode(k), z.Close()); err != nil {
		return err
	}
	return part.CloseAtomicallyReplace()
}

// restore makes a cached verdict an item's own, logs included.
func (c cachedVerdict) restore(out string, k results.Key) (*verdict.Verdict, error) {
	v := c.Verdict
	v.Report.Reused = true
	for i, r := range v.Runs {
		log, err := results.WriteLog(out, k, r.Target, r.Variant, c.Logs[logName(r)])
		if err != nil {
			return nil, err
		}
		v.Runs[i].Log = log
	}
	for target, t := range v.Report.Targets {
		if t.Log != "" {
			t.Log = k.LogPath(target, verdict.Submitted)
			v.Report.Targets[target] = t
		}
	}
	return &v, nil
}

// content is what of a prediction decides its verdict.
type content struct {
	Target         string
	Patches, Bytes map[string]string
}

func contentOf(list []schema.Prediction) (all []content) {
	for _, p := range list {
		p = p.Encoded() // JSON, which is what is digested, keeps no bytes that are not UTF-8
		all = append(all, content{p.Target, p.Patches, p.PatchB64})
	}
	return all
}
