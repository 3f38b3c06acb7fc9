package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// indexName is the file that names all others.
const indexName = "release.json"

// oddFile says of a link, a device, a file that is too large to be one of ours, or a
// path that leads out, why it is not read.
type oddFile string

func (o oddFile) Error() string { return string(o) }

// maxFile bounds one file of a release beside its sources.
const maxFile = 256 << 20

// Release is an opened release whose files are as release.json says.
type Release struct {
	schema.Release
	Dir    string
	SHA256 string // of release.json

	root *os.Root
}

// Open reads a release and verifies every file of it. A file that differs, is
// missing, or is there without being named refuses the whole.
func Open(dir string) (*Release, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, pipeline.Usage("there is no release at %s; wideswe export writes one", dir)
	}
	if info, err2 := os.Stat(dir); err2 == nil && !info.IsDir() {
		return nil, pipeline.Usage("%s is a file; %s", dir, orFolder(filepath.Dir(dir), "give the folder that export wrote"))
	}
	if err != nil {
		return nil, fmt.Errorf("opening release: %w", err)
	}
	r := &Release{Dir: dir, root: root}
	if err := r.open(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return r, nil
}

// orFolder names a folder that is a release where another thing was given for one;
// where it is none either, it says what else to do.
func orFolder(dir, otherwise string) string {
	if _, err := os.Stat(filepath.Join(dir, indexName)); err != nil {
		return otherwise
	}
	return "give " + dir
}

// Close lets go of the folder.
func (r *Release) Close() error { return r.root.Close() }

func (r *Release) open() error {
	index, err := r.read(indexName)
	if errors.Is(err, fs.ErrNotExist) {
		return pipeline.Usage("%s holds no release.json, so it is no release; %s", r.Dir, orFolder(filepath.Join(r.Dir,
			"release"), "wideswe export writes one"))
	}
	if err != nil {
		return err
	}
	r.SHA256 = digest(index)
	sums := r.checkIndex()
	if sums != nil && !errors.Is(sums, fs.ErrNotExist) {
		return sums
	}
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(index, &version); err != nil {
		return pipeline.Usage("%s/release.json is not JSON (%v); copy the release again", r.Dir, err)
	}
	if version.Format != schema.ReleaseFormat {
		return pipeline.Usage("%s is of release format %d, and this wideswe reads format %d; use the wideswe that wrote "+
			"it, or export it anew",
			r.Dir, version.Format, schema.ReleaseFormat)
	}
	if sums != nil {
		return r.damaged(indexSums + " is missing")
	}
	if err := decodeJSON(index, &r.Release); err != nil {
		return pipeline.Usage("%s/release.json: %v; copy the release again", r.Dir, err)
	}
	return r.verify()
}

// verify compares what lies in the folder with what release.json names.
func (r *Release) verify() error {
	var bad []string
	var odd oddFile
	for _, name := range sortedKeys(r.Files) {
		switch sum, err := r.sum(name); {
		case errors.Is(err, fs.ErrNotExist):
			bad = append(bad, name+" is missing")
		case errors.As(err, &odd):
			bad = append(bad, odd.Error())
		case err != nil:
			return fmt.Errorf("release %s: %w", r.Dir, err)
		case sum != r.Files[name]:
			bad = append(bad, name+" is not the file that was exported (its sha256 differs)")
		}
	}
	extra, err := r.extra()
	if err != nil {
		return fmt.Errorf("release %s: %w", r.Dir, err)
	}
	for _, name := range extra {
		bad = append(bad, name+" does not belong to it")
	}
	if len(bad) == 0 {
		return nil
	}
	more := ""
	if n := len(bad) - 5; n > 0 {
		bad, more = bad[:5], fmt.Sprintf(" and %d more", n)
	}
	return r.damaged(strings.Join(bad, ", ") + more)
}

// extra lists files that release.json does not name. Under sources/ the pins name
// them; a file that begins with a dot there, or under images/, is one that was cut short.
func (r *Release) extra() ([]string, error) {
	named := map[string]bool{indexName: true, indexSums: true, sourceSums: true, imageSums: true, imageArchive: true,
		imageReferences: true, agentImages: true}
	for name := range r.Files {
		named[name] = true
	}
	for _, s := range r.Sources {
		named[s.File()] = true
	}
	var extra []string
	err := fs.WalkDir(r.root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		cut := (path.Dir(p) == "sources" || path.Dir(p) == "images") && strings.HasPrefix(path.Base(p), ".")
		if !d.IsDir() && !named[p] && !cut {
			extra = append(extra, p)
		}
		return nil
	})
	sort.Strings(extra)
	return extra, err
}

func (r *Release) sum(name string) (string, error) {
	f, err := r.regular(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// regular opens a file that is one: no link, no device.
func (r *Release) regular(name string) (*os.File, error) {
	if !fs.ValidPath(name) {
		return nil, oddFile(fmt.Sprintf("release.json names %q, which is no path in a release", name))
	}
	info, err := r.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile && path.Dir(name) != "sources" && name != imageArchive {
		return nil, oddFile(fmt.Sprintf("%s is no regular file of at most %d bytes", name, maxFile))
	}
	return r.root.Open(name)
}

func (r *Release) read(name string) ([]byte, error) {
	f, err := r.regular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// named reads a file that release.json names and that is still as it says.
func (r *Release) named(name string) ([]byte, error) {
	b, err := r.read(name)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", r.Dir, err)
	}
	if r.Files[name] != digest(b) {
		return nil, pipeline.Usage("the release %s is damaged: %s is not the file that was exported; copy it again", r.Dir,
			name)
	}
	return b, nil
}

// Task is one task with everything that evaluation needs.
type Task struct {
	schema.TaskFile
	Prompt    string
	Workspace schema.WorkspaceFile
	Hidden    []Target // in the order of Targets
}

// Target is one target's hidden part.
type Target struct {
	schema.TaskTarget
	Gold   []byte
	Layers []workspace.Layer
	Tests  schema.TestsFile
	Recipe schema.Recipe
	Image  schema.ImageFile
}

// Task reads one task.
func (r *Release) Task(id string) (*Task, error) {
	if !r.has(id) {
		return nil, pipeline.Usage("the release %s has no task %q; its tasks are the folders of %s/tasks", r.Dir, id, r.Dir)
	}
	dir := "tasks/" + id + "/"
	t := &Task{}
	prompt, err := r.named(dir + "prompt.md")
	if err != nil {
		return nil, err
	}
	t.Prompt = string(prompt)
	if err := r.yaml(dir+"task.yaml", &t.TaskFile); err != nil {
		return nil, err
	}
	if err := r.json(dir+"workspace.json", &t.Workspace); err != nil {
		return nil, err
	}
	for _, target := range t.Targets {
		h, err := r.target(dir, target)
		if err != nil {
			return nil, err
		}
		t.Hidden = append(t.Hidden, h)
	}
	return t, nil
}

func (r *Release) has(id string) bool {
	for _, t := range r.Tasks {
		if t.ID == id {
			return true
		}
	}
	return false
}

func (r *Release) target(dir string, t schema.TaskTarget) (Target, error) {
	dir += "hidden/" + schema.FileName(t.Repository) + "/"
	out := Target{TaskTarget: t}
	var err error
	if out.Gold, err = r.named(dir + "gold.patch"); err != nil {
		return out, err
	}
	for _, name := range sortedKeys(r.Files) {
		base, ok := strings.CutPrefix(name, dir+"tests/")
		if !ok {
			continue
		}
		b, err := r.named(name)
		if err != nil {
			return out, err
		}
		out.Layers = append(out.Layers, workspace.Layer{Name: strings.TrimSuffix(base, ".patch"), Patch: b})
	}
	return out, errors.Join(r.json(dir+"tests.json", &out.Tests), r.yaml(dir+"recipe.yaml", &out.Recipe),
		r.yaml(dir+"image.yaml", &out.Image))
}

func (r *Release) json(name string, v any) error {
	b, err := r.named(name)
	if err != nil {
		return err
	}
	if err := decodeJSON(b, v); err != nil {
		return pipeline.Usage("%s/%s: %v", r.Dir, name, err)
	}
	return nil
}

func (r *Release) yaml(name string, v any) error {
	b, err := r.named(name)
	if err != nil {
		return err
	}
	if err := decodeYAML(b, v); err != nil {
		return pipeline.Usage("%s/%s: %v", r.Dir, name, err)
	}
	return nil
}

// decodeJSON reads one JSON value whose every field is known, and nothing after it.
func decodeJSON(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the JSON value")
	}
	return nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
