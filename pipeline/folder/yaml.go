package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/wideswe/wideswe/pipeline"
)

// maxFile bounds a file that people write.
const maxFile = 4 << 20

// FileError is a problem in one of the folder's files. A person mends it, so it
// is a usage error.
type FileError struct {
	File    string // under the folder, with slashes
	Line    int    // 0 where the file as a whole is meant
	Problem string // with what to write instead
}

func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem)
	}
	return e.File + ": " + e.Problem
}

// Unwrap makes it a usage error.
func (e *FileError) Unwrap() error { return &pipeline.UsageError{Message: e.Error()} }

func problem(file string, line int, format string, args ...any) error {
	return &FileError{file, line, fmt.Sprintf(format, args...)}
}

// read gives a file's text, and false where there is none. Names are opened under
// the folder: a link in a folder that came from elsewhere leads nowhere outside it.
func (f Folder) read(name string) ([]byte, bool, error) {
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading %s: %w", name, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, false, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(text) > maxFile {
		return nil, false, problem(name, 0, "is over %d MiB; no file of this kind is", maxFile>>20)
	}
	return text, true, nil
}

// write replaces a file whole, or leaves it as it was.
func (f Folder) write(name string, text []byte) error {
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	temp := fmt.Sprintf("%s/.%s.%d.tmp", path.Dir(name), path.Base(name), os.Getpid())
	err = writeSynced(root, temp, text)
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", name, err), ignoreMissing(root.Remove(temp)))
	}
	return nil
}

func writeSynced(root *os.Root, name string, text []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// list gives the names in a folder, sorted, hidden ones left out; none where the
// folder is missing.
func (f Folder) list(dir string) ([]fs.DirEntry, error) {
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	all, err := fs.ReadDir(root.FS(), dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}
	var out []fs.DirEntry
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e)
		}
	}
	return out, nil
}

// decode reads YAML strictly into v. keys, for the error, says what may be there.
func decode(name string, text []byte, v any, keys string) error {
	err := pipeline.DecodeYAML(text, true, v)
	var y *pipeline.YAMLError
	if errors.As(err, &y) {
		return problem(name, y.Line, "%s; the file has: %s", y.Message, keys)
	}
	return err
}

// encode writes YAML as a person would, under a head of comments.
func encode(head string, v any) ([]byte, error) {
	body, err := yaml.MarshalWithOptions(v, yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil || !reads(body, v) {
		// Text that plain style does not carry unharmed is written in quotes.
		if body, err = yaml.MarshalWithOptions(v, yaml.IndentSequence(true), yaml.JSON()); err != nil {
			return nil, err
		}
		if !reads(body, v) {
			return nil, fmt.Errorf("the text of %T can't be written as YAML", v)
		}
	}
	return append([]byte(head), body...), nil
}

func reads(body []byte, v any) bool {
	back := reflect.New(reflect.TypeOf(v))
	if err := pipeline.DecodeYAML(body, true, back.Interface()); err != nil {
		return false
	}
	again, err := yaml.MarshalWithOptions(back.Elem().Interface(), yaml.JSON())
	if err != nil {
		return false
	}
	first, err := yaml.MarshalWithOptions(v, yaml.JSON())
	return err == nil && string(first) == string(again)
}
