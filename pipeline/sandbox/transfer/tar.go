// Package transfer packs what goes into a sandbox and reads what comes out, as tar streams
// in bounds: every backend carries files this way. What a backend does with a stream is
// its own matter.
package transfer

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// uid and gid are the numbers of [sandbox.User]; files put into a sandbox belong to them,
// foreign ones to root.
const uid, gid = 1000, 1000

// ownedByRoot and ownedByUser are owners of all the files of a folder.
func ownedByRoot(string) int { return 0 }
func ownedByUser(string) int { return uid }

// epoch is the time of every file copied into a sandbox; build caches that look at
// times must not see the clock.
var epoch = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// systemDirs exist in every image with owners and modes that sources must not change.
var systemDirs = map[string]bool{"tmp": true, "home": true, "var": true, "etc": true, "usr": true, "opt": true,
	"root": true, "run": true, "srv": true, "var/tmp": true, "usr/local": true, "usr/share": true, "etc/ssl": true}

// WriteSources streams sources as one tar whose names start at the sandbox's root.
func WriteSources(w io.Writer, sources []sandbox.Source) error {
	tw := tar.NewWriter(w)
	made := map[string]bool{}
	for _, s := range sources {
		if err := writeParents(tw, made, sandbox.RelativePath(s.Path)); err != nil {
			return err
		}
		if err := writeSource(tw, s); err != nil {
			return fmt.Errorf("packing %s: %w", s.Path, err)
		}
	}
	return tw.Close()
}

func writeParents(tw *tar.Writer, made map[string]bool, name string) error {
	var at string
	for _, part := range strings.Split(name, "/") {
		at = path.Join(at, part)
		if at == "" || systemDirs[at] || made[at] {
			continue
		}
		made[at] = true
		h := &tar.Header{Typeflag: tar.TypeDir, Name: at + "/", Mode: 0o755, Uid: uid, Gid: gid, ModTime: epoch}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
	}
	return nil
}

func writeSource(tw *tar.Writer, s sandbox.Source) error {
	if s.Dir != "" {
		name, owner := sandbox.RelativePath(s.Path), ownedByUser
		if len(s.Foreign) > 0 {
			owner = func(rel string) int {
				if slices.Contains(s.Foreign, rel) {
					return 0
				}
				return uid
			}
		}
		if err := filepath.WalkDir(s.Dir, entryOf(tw, name, s.Dir, owner)); err != nil {
			return err
		}
	}
	names := make([]string, 0, len(s.Files))
	for name := range s.Files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%q leaves its folder", name)
		}
		h := &tar.Header{Name: path.Join(sandbox.RelativePath(s.Path), name), Mode: 0o755,
			Size: int64(len(s.Files[name])), Uid: uid, Gid: gid, ModTime: epoch}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tw.Write(s.Files[name]); err != nil {
			return err
		}
	}
	return nil
}

// WriteDir packs regular files, folders and symlinks; a link is packed as a link.
func WriteDir(tw *tar.Writer, name, dir string) error {
	return filepath.WalkDir(dir, entryOf(tw, name, dir, ownedByUser))
}

// entryOf writes what a walk through a folder comes by. Regular files belong to whom
// owner says.
func entryOf(tw *tar.Writer, name, dir string, owner func(rel string) int) fs.WalkDirFunc {
	return func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil || rel == "." {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: path.Join(name, filepath.ToSlash(rel)), Mode: int64(info.Mode().Perm()), Uid: uid,
			Gid: gid, ModTime: epoch}
		switch {
		case d.IsDir():
			h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		case info.Mode()&fs.ModeSymlink != 0:
			h.Typeflag = tar.TypeSymlink
			if h.Linkname, err = os.Readlink(p); err != nil {
				return err
			}
		case info.Mode().IsRegular():
			h.Size, h.Uid = info.Size(), owner(filepath.ToSlash(rel))
			h.Gid = h.Uid
			return writeFile(tw, h, p)
		default:
			return nil // sockets and devices have no content to carry
		}
		return tw.WriteHeader(h)
	}
}

func writeFile(tw *tar.Writer, h *tar.Header, p string) error {
	f, err := os.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := tw.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.CopyN(tw, f, h.Size)
	return err
}

// ReadFiles reads the regular files of a tar made of one folder, within bounds.
// Names are relative to that folder.
func ReadFiles(r io.Reader, l sandbox.Limits) (files map[string][]byte, dropped []string, err error) {
	files = map[string][]byte{}
	left, seen := l.OutBytes, 0
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files, dropped, nil
		}
		if err != nil {
			return nil, nil, err
		}
		_, name, found := strings.Cut(path.Clean(h.Name), "/")
		if !found || name == "" || h.Typeflag == tar.TypeDir {
			continue
		}
		seen++
		if seen > l.OutFiles {
			// What is beyond the count is not even listed: the list is a bound, too.
			return files, append(dropped, fmt.Sprintf("every file after the first %d", l.OutFiles)), nil
		}
		if h.Typeflag != tar.TypeReg || h.Size > left || !filepath.IsLocal(h.Name) {
			dropped = append(dropped, strings.ToValidUTF8(name, "\uFFFD"))
			continue
		}
		b, err := io.ReadAll(io.LimitReader(tr, h.Size))
		if err != nil {
			return nil, nil, err
		}
		left -= int64(len(b))
		files[name] = b
	}
}
