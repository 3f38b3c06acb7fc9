package predictions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// maxRecord bounds a JSON file that lies beside patches.
const maxRecord = 64 << 20

// ConvertFolder writes predictions as a folder of a shape. The folder must not exist.
func ConvertFolder(dir string, rel *release.Release, list []schema.Prediction, s Shape) error {
	if err := s.fits(list); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
		return pipeline.Usage("%s exists; give a folder that does not", dir)
	} else if err != nil {
		return pipeline.Usage("%s can't be made: %v", dir, err)
	}
	return s.writeFolder(folderWriter{dir, rel}, list)
}

// folderWriter writes the files of a new folder.
type folderWriter struct {
	dir     string
	release *release.Release
}

// file writes a file, and the folders above it.
func (w folderWriter) file(name string, body []byte) error {
	return pipeline.WriteFile(filepath.Join(w.dir, filepath.FromSlash(name)), body)
}

// json writes a file of JSON.
func (w folderWriter) json(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return w.file(name, append(b, '\n'))
}

// foldersWith finds the folders that hold a file, at most so deep below a folder, in
// order. It does not look below those that it finds, nor at links.
func foldersWith(root *os.Root, file string, depth int) (found []string) {
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // what can't be read holds none
		case !d.IsDir():
			return nil
		case p != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		}
		if info, err := root.Lstat(path.Join(p, file)); err == nil && info.Mode().IsRegular() {
			found = append(found, p)
		}
		if p != "." && strings.Count(p, "/")+1 >= depth {
			return fs.SkipDir
		}
		return nil
	})
	return found
}

// counter numbers the attempts of a model at a task.
type counter map[string]int

func (n counter) next(p schema.Prediction) int {
	id := fmt.Sprintf("%q %q %s", p.Model, p.Task, p.Target)
	n[id]++
	return n[id]
}

// consecutive refuses attempts that are not numbered as a reader numbers them.
func consecutive(list []schema.Prediction) error {
	attempts := counter{}
	byAttempt := func(a, b schema.Prediction) int { return cmp.Compare(a.Attempt, b.Attempt) }
	for _, p := range slices.SortedStableFunc(slices.Values(list), byAttempt) {
		if n := attempts.next(p); n != p.Attempt {
			return pipeline.Usage("attempt %d of %s at %s is there and attempt %d is not; folders number them from 1",
				p.Attempt, p.Model, p.Task, n)
		}
	}
	return nil
}

// named gives the model of predictions whose shape names one in passing.
func (c *collector) named(inPassing string) string { return cmp.Or(c.options.Model, inPassing) }

// globEscaped is a path as a pattern that matches it alone.
func globEscaped(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// patches writes OWNER__NAME.patch for each repository into a folder, which is there
// without any, too.
func (w folderWriter) patches(folder string, patches map[string]string) error {
	if err := os.MkdirAll(filepath.Join(w.dir, filepath.FromSlash(folder)), 0o755); err != nil {
		return err
	}
	for _, repository := range slices.Sorted(maps.Keys(patches)) {
		name := path.Join(folder, schema.FileName(repository)+".patch")
		if err := w.file(name, []byte(patches[repository])); err != nil {
			return err
		}
	}
	return nil
}
