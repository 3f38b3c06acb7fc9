package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// settled is how old a scratch folder is before it is taken for a dead process's: the
// one that makes it may not have locked it yet.
const settled = time.Minute

// Scratch makes a folder for trees that one process needs for a while, and removes
// those of the same kind that killed processes left behind: trees are large, and
// nobody else would. The folder is locked as long as its process lives, also where
// that is in another container with the same folder of temporary files.
func Scratch(kind string) (dir string, remove func(), err error) {
	prefix := "wideswe-scratch-" + kind + "-"
	sweepScratch(filepath.Join(os.TempDir(), prefix+"*"))
	if dir, err = os.MkdirTemp("", prefix); err != nil {
		return "", nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", nil, fmt.Errorf("locking a scratch folder: %w", err)
	}
	// A file system without locks has none for the sweep, either.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return dir, func() { _ = os.RemoveAll(dir); _ = f.Close() }, nil
}

// sweepScratch removes what can be: folders of other people stay.
func sweepScratch(pattern string) {
	list, _ := filepath.Glob(pattern) // fails for a bad pattern alone
	for _, dir := range list {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && time.Since(info.ModTime()) > settled {
			removeAbandoned(dir)
		}
	}
}

func removeAbandoned(dir string) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		_ = os.RemoveAll(dir)
	}
}
