package predictions

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

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
