package guard

import (
	"io/fs"
	"os"
	"sync"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// maxRead bounds what is read of one file.
const maxRead = 4 << 20

// trees are the repository's trees, each listed when it is first asked for.
type trees struct {
	base, gold, changed func() kit.Tree
}

func newTrees(r Repository) trees {
	t := trees{base: openOnce(r.Base), gold: openOnce(r.Gold), changed: openOnce(r.Changed)}
	if r.Gold == r.Base {
		t.gold = t.base
	}
	return t
}

// openOnce opens a folder's tree once; one that can't be listed is empty.
func openOnce(dir string) func() kit.Tree {
	return sync.OnceValue(func() kit.Tree {
		d, err := kit.OpenDir(dir)
		if err != nil {
			return kit.Map{}
		}
		return d
	})
}

// lstat looks at a file of a tree, never through a link that leads out.
func lstat(dir, name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Lstat(name)
}

// readFile reads a file of a tree, nil where there is none or where it is a link or too
// large.
func readFile(dir, name string) []byte {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRead {
		return nil
	}
	b, err := root.ReadFile(name)
	if err != nil {
		return nil
	}
	if b == nil {
		b = []byte{}
	}
	return b
}

// readLink gives what a link of a tree holds.
func readLink(dir, name string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	to, _ := root.Readlink(name)
	return to
}
