package transfer

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// DirTar gives a folder of this machine as a [sandbox.Left] gives one of a run. Links are
// packed as links; what lies deeper than a path can name is passed over. Who owns a file
// here says nothing: in the stream they are root's.
func DirTar(dir string) (io.ReadCloser, error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, sandbox.MachineError("copying files out", err)
	}
	r, w := io.Pipe()
	go func() {
		tw := tar.NewWriter(w)
		name, err := path.Base(filepath.ToSlash(dir)), error(nil)
		switch {
		case info.IsDir():
			if err = readable(dir); err == nil {
				err = errors.Join(tw.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755}),
					walkNamed(dir, entryOf(tw, name, dir, ownedByRoot)))
			}
		case info.Mode().IsRegular():
			h := &tar.Header{Name: name, Size: info.Size(), Mode: int64(info.Mode().Perm())}
			err = writeFile(tw, h, dir)
		case info.Mode()&fs.ModeSymlink != 0:
			h := &tar.Header{Typeflag: tar.TypeSymlink, Name: name}
			if h.Linkname, err = os.Readlink(dir); err == nil {
				err = tw.WriteHeader(h)
			}
		}
		if err == nil { // else the end of the archive would hide the error
			err = tw.Close()
		}
		_ = w.CloseWithError(err)
	}()
	return r, nil
}

// readable gives back the right to read that a run took from what it left.
func readable(dir string) error {
	return walkNamed(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		need := fs.FileMode(0)
		switch {
		case d.IsDir(): // it is called before the folder is read
			need = 0o500
		case info.Mode().IsRegular():
			need = 0o400
		}
		if info.Mode()&need == need {
			return nil
		}
		return os.Chmod(p, info.Mode().Perm()|need)
	})
}

// walkNamed walks what has a path that the system takes.
func walkNamed(dir string, visit fs.WalkDirFunc) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		err = visit(p, d, err)
		if !errors.Is(err, syscall.ENAMETOOLONG) {
			return err
		}
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}
