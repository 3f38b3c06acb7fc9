package pipeline

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Names of scratch folders: one that is being made is not locked yet.
const (
	scratchPrefix = "wideswe-scratch-"
	scratchNew    = "wideswe-newscratch-"
)

// settled is how old a folder without its name is before it is taken for a dead
// process's.
const settled = time.Minute

// Scratch makes a folder in dir, or where the system has its temporary files, that
// this process needs for a while, and removes those that killed processes left
// there: they hold trees, which are large, and nobody else would. The folder is locked
// as long as its process lives, also where that is in another container with the same
// folder of temporary files. Kind is for who looks there.
func Scratch(dir, kind string) (made string, remove func(), err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	sweepScratch(dir)
	fresh, err := os.MkdirTemp(dir, scratchNew)
	if err != nil {
		return "", nil, err
	}
	f, err := os.Open(fresh)
	if err != nil {
		return "", nil, fmt.Errorf("locking a scratch folder: %w", err)
	}
	// A file system without locks has none for the sweep, either.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	// It gets its name when it is locked, so that no sweep takes it.
	made = filepath.Join(dir, scratchPrefix+kind+"-"+strings.TrimPrefix(filepath.Base(fresh), scratchNew))
	if err := os.Rename(fresh, made); err != nil {
		removeTree(fresh)
		return "", nil, fmt.Errorf("naming a scratch folder: %w", err)
	}
	return made, func() { removeTree(made); _ = f.Close() }, nil
}

// sweepScratch removes what can be: folders of other people stay.
func sweepScratch(dir string) {
	list, _ := os.ReadDir(dir) // a folder that can't be read has nothing to sweep
	for _, e := range list {
		name := filepath.Join(dir, e.Name())
		switch {
		case !e.IsDir(): // a link is not followed
		case strings.HasPrefix(e.Name(), scratchPrefix):
			removeAbandoned(name)
		case strings.HasPrefix(e.Name(), scratchNew):
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > settled {
				removeAbandoned(name)
			}
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
		removeTree(dir)
	}
}

// removeTree removes a folder whose files may have lost the right to it.
func removeTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
