package evaluate

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/wideswe/wideswe/pipeline/filerole"
)

// Bounds of what is read back after each run beside the hidden files.
const (
	maxTestFiles = 2_000
	maxTestBytes = 32 << 20
)

// testFiles lists the tests, their support and their data in a tree, without the hidden
// files. Where they are more than what is worth reading back, it lists those in the
// folders of the hidden files, and none where those are too many as well.
func testFiles(dir string, hidden []string) []string {
	near := map[string]bool{}
	for _, f := range hidden {
		near[path.Dir(f)] = true
	}
	for _, wanted := range []func(string) bool{
		func(string) bool { return true },
		func(f string) bool { return near[path.Dir(f)] },
	} {
		list, bytes := []string{}, int64(0)
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == ".git" {
				return filepath.SkipDir
			}
			rel, err := filepath.Rel(dir, p)
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			f := filepath.ToSlash(rel)
			if !filerole.Hidden(f) || slices.Contains(hidden, f) || !wanted(f) {
				return nil
			}
			if info, err := d.Info(); err == nil {
				list, bytes = append(list, f), bytes+info.Size()
			}
			if len(list) > maxTestFiles || bytes > maxTestBytes {
				return fs.SkipAll
			}
			return nil
		})
		if err == nil && len(list) <= maxTestFiles && bytes <= maxTestBytes {
			return list
		}
	}
	return nil
}
