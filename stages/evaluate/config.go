package evaluate

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// runnerConfig says whether a change to a file may change how tests are found, run
// or reported, rather than what the code does. before and after are the file's
// bytes, nil where it does not exist.
func runnerConfig(file string, before, after []byte) bool {
	return registry.RunnerConfig(kit.Change{Path: file, Before: before, After: after}).Touched
}

// noteConfig notes the runner configuration that a patch changes and gold leaves
// alone.
func (t *trial) noteConfig(repository string, files []string) {
	spared, onPath := map[string]bool{}, map[string]bool{}
	for _, x := range t.st.task.Hidden {
		if x.Repository != repository {
			continue
		}
		for _, f := range slices.Concat(x.GoldFiles, x.HiddenFiles, x.Recipe.Placed(nil)) {
			spared[f] = true
		}
		for _, dir := range x.Recipe.Path {
			onPath[path.Clean(dir)] = true
		}
	}
	folders := map[string]bool{} // whose Go tests are taken over
	for _, f := range files {
		g := t.guard(repository, f, spared[f], onPath[path.Dir(f)])
		if !g.Touched {
			if !spared[f] && t.testData(repository, f) {
				t.addData(repository, f)
			}
			continue
		}
		t.addConfig(repository, f, g.Restored)
		if strings.HasSuffix(f, "_test.go") {
			folders[path.Dir(f)] = true
		}
	}
	// Test files of one package need each other to build: they go back together.
	for _, f := range files {
		if folders[path.Dir(f)] && strings.HasSuffix(f, "_test.go") && !spared[f] && !slices.Contains(t.config[repository], f) {
			t.addConfig(repository, f, nil)
		}
	}
}

// testData says whether a file is data that tests read on base. Hidden tests were made
// with what they hold it against; a patch that changes it moves the mark.
func (t *trial) testData(repository, file string) bool {
	info, err := os.Lstat(filepath.Join(workspace.TreePath(t.st.pristine(), repository), filepath.FromSlash(file)))
	return err == nil && !info.IsDir() && filerole.Of(file) == filerole.Fixture
}

// addData has data of tests go back with the runner configuration. It is none: people
// bring their expected outputs up to date, and no guard rejects that.
func (t *trial) addData(repository, file string) {
	t.config[repository] = append(t.config[repository], file)
	if t.data == nil {
		t.data = map[string]bool{}
	}
	t.data[repository+"/"+file] = true
	t.noteFile(schema.DeviationTestData, repository, file)
}

func (t *trial) addConfig(repository, file string, restored []byte) {
	t.config[repository] = append(t.config[repository], file)
	if t.partly == nil {
		t.partly = map[string][]byte{}
	}
	if restored != nil {
		t.partly[repository+"/"+file] = restored
	}
	t.noteFile(schema.DeviationConfig, repository, file)
}

// maxConfigNotes bounds how many files of a repository's runner configuration a verdict
// names: a patch may hold thousands.
const maxConfigNotes = 50

func (t *trial) noteFile(kind, repository, file string) {
	switch n := len(t.config[repository]); {
	case n <= maxConfigNotes:
		t.note(kind, repository, "", file)
	case n == maxConfigNotes+1:
		t.note(kind, repository, "more files, which are not named")
	}
}

// guard judges one changed file. What gold changes, too, is the patch's own affair,
// but for the runners' part of a file that gold leaves as it is, or has otherwise.
func (t *trial) guard(repository, file string, spared, onPath bool) kit.Guard {
	dir := workspace.TreePath(t.ws, repository)
	before, after := readFile(workspace.TreePath(t.st.pristine(), repository), file), readFile(dir, file)
	if spared {
		gold := registry.RunnerConfig(kit.Change{Path: file, Before: readFile(workspace.TreePath(t.st.gold(), repository), file), After: after})
		if gold.Restored != nil && runnerConfig(file, before, after) {
			return gold
		}
		return kit.Guard{}
	}
	info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(file)))
	there := err == nil && !info.IsDir()
	switch {
	case there && after == nil && registry.ByContent(file):
		return kit.Guard{Touched: true} // a link, or too large to look into
	case there && onPath && (info.Mode()&0o111 != 0 || !info.Mode().IsRegular()):
		return kit.Guard{Touched: true} // a command that the runner would call instead of its own
	}
	return registry.RunnerConfig(kit.Change{Path: file, Before: before, After: after})
}

// restore puts the runner configuration that the patch changed back as it was: parts
// of files where they can be told apart, else whole files.
func (t *trial) restore(repository, dir string) error {
	var all []string
	for _, f := range t.config[repository] {
		if t.partly[repository+"/"+f] == nil {
			all = append(all, f)
		}
	}
	if err := workspace.Restore(workspace.TreePath(t.st.pristine(), repository), dir, all); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range t.config[repository] {
		if text := t.partly[repository+"/"+f]; text != nil {
			if err := root.WriteFile(f, text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// readFile reads a file of a tree, nil where there is none, never through a link
// that leads out.
func readFile(dir, name string) []byte {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4<<20 {
		return nil
	}
	b, _ := root.ReadFile(name)
	if b == nil {
		b = []byte{}
	}
	return b
}
