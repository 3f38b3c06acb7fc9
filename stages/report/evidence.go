package report

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/schema"
)

// patch reads what a run's prediction does to a target; known is false where it
// does something that the evaluation did not keep.
func (r Row) patch(repository string) (text []byte, known bool) {
	i := slices.IndexFunc(r.Verdict.Patches, func(k schema.KeptPatch) bool {
		return k.Repository == repository && (k.Target == "" || k.Target == repository)
	})
	if i < 0 {
		return nil, !r.changes(repository)
	}
	text, err := readKept(r.from.Folder, r.Verdict.Patches[i].File, patch.MaxBytes)
	return text, err == nil
}

// log reads the end of a target's log.
func (r Row) log(t TargetRow, most int64) string {
	if t.Verdict.Log == "" {
		return ""
	}
	text, _ := readEnd(r.from.Folder, t.Verdict.Log, most)
	return string(text)
}

// maxListed bounds the names of an agent's files that evidence lists.
const maxListed = 200

// left lists the files that agent run kept of the task, by path.
func (r Row) left() (names []string) {
	if r.from.Runs == "" {
		return nil
	}
	dir := filepath.Join(r.from.Runs, "runs", plainName(r.ID))
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case len(names) == maxListed:
			return fs.SkipAll
		case e.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names
}

// within opens a file of an evaluation's folder; names come from report.json, and
// none leads out.
func within(folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return nil, os.ErrInvalid
	}
	return root.Open(filepath.FromSlash(name))
}

func readKept(folder, name string, most int64) ([]byte, error) {
	f, err := within(folder, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

func readEnd(folder, name string, most int64) ([]byte, error) {
	f, err := within(folder, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > most {
		if _, err := f.Seek(-most, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, most))
}
