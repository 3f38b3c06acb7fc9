package git

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// SnapshotInfo says what a snapshot holds.
type SnapshotInfo struct {
	Tree       string
	Files      int
	Bytes      int64
	Submodules []string // their paths; each is an empty folder
	LFS        int      // pointers to large files, left as they are
}

// maxSnapshot bounds the bytes of one snapshot.
const maxSnapshot = 16 << 30

// snapshotTime is the time of every file: no clock decides bytes, and it is not
// before 1980, which zip files can't hold.
var snapshotTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Snapshot writes the files of a commit or tree as tar, without history. It is not
// git archive, which would follow the export-ignore and export-subst attributes.
// Same tree, same bytes.
func (r *Repo) Snapshot(ctx context.Context, treeish string, w io.Writer) (SnapshotInfo, error) {
	var info SnapshotInfo
	tree, err := r.Tree(ctx, treeish)
	if err != nil {
		return info, err
	}
	info.Tree = tree
	files, err := r.Files(ctx, tree)
	if err != nil {
		return info, err
	}
	var oids []string
	for _, f := range files {
		if err := plainPath(f.Path); err != nil {
			return info, fmt.Errorf("tree %s of %s: %w", tree, r.Repository, err)
		}
		if f.Mode != ModeSubmodule {
			oids = append(oids, f.OID)
		}
	}
	if err := r.Blobs(ctx, oids); err != nil {
		return info, err
	}
	return info, r.writeTar(ctx, files, oids, w, &info)
}

// writeTar streams the blobs through one cat-file.
func (r *Repo) writeTar(ctx context.Context, files []Entry, oids []string, w io.Writer, info *SnapshotInfo) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pr, pw := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := call{dir: r.dir, args: []string{"cat-file", "--batch"}, stdout: pw,
			stdin: strings.NewReader(strings.Join(oids, "\n") + "\n")}.run(ctx)
		pw.CloseWithError(err)
		done <- err
	}()
	tw := tar.NewWriter(w)
	err := writeFiles(tw, bufio.NewReaderSize(pr, 1<<20), files, info)
	if err == nil {
		err = tw.Close()
	}
	if err != nil {
		cancel(err)
	}
	pr.CloseWithError(io.ErrClosedPipe)
	if gitErr := <-done; err == nil && gitErr != nil && len(oids) > 0 {
		err = gitErr
	}
	return err
}

func writeFiles(tw *tar.Writer, blobs *bufio.Reader, files []Entry, info *SnapshotInfo) error {
	for _, f := range files {
		h := &tar.Header{Name: f.Path, ModTime: snapshotTime, Format: tar.FormatPAX, Typeflag: tar.TypeReg, Mode: 0o644}
		if f.Mode == ModeSubmodule {
			h.Typeflag, h.Name, h.Mode = tar.TypeDir, f.Path+"/", 0o755
			info.Submodules = append(info.Submodules, f.Path)
			if err := tw.WriteHeader(h); err != nil {
				return fmt.Errorf("snapshot of %s: %w", f.Path, err)
			}
			continue
		}
		size, err := blobHeader(blobs, f.OID)
		if err != nil {
			return err
		}
		info.Files++
		if info.Bytes += size; info.Bytes > maxSnapshot {
			return fmt.Errorf("the tree holds more than %d bytes", int64(maxSnapshot))
		}
		if err := writeBlob(tw, h, f, io.LimitReader(blobs, size), size, info); err != nil {
			return fmt.Errorf("snapshot of %s: %w", f.Path, err)
		}
		if _, err := blobs.Discard(1); err != nil { // the newline after each blob
			return err
		}
	}
	return nil
}

func writeBlob(tw *tar.Writer, h *tar.Header, f Entry, blob io.Reader, size int64, info *SnapshotInfo) error {
	switch f.Mode {
	case ModeSymlink:
		target, err := io.ReadAll(blob)
		if err != nil {
			return err
		}
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, string(target), 0o777
		return tw.WriteHeader(h)
	case ModeExec:
		h.Mode = 0o755
	}
	h.Size = size
	if err := tw.WriteHeader(h); err != nil {
		return err
	}
	start := &prefix{max: len(lfsHead)}
	if _, err := io.Copy(tw, io.TeeReader(blob, start)); err != nil {
		return err
	}
	if size < 1024 && bytes.Equal(start.b, []byte(lfsHead)) {
		info.LFS++
	}
	return nil
}

const lfsHead = "version https://git-lfs.github.com/spec/v1\n"

// prefix keeps the first bytes written.
type prefix struct {
	b   []byte
	max int
}

func (p *prefix) Write(b []byte) (int, error) {
	if room := p.max - len(p.b); room > 0 {
		p.b = append(p.b, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

// blobHeader reads "oid blob size".
func blobHeader(r *bufio.Reader, oid string) (int64, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("reading blob %s: %w", oid, err)
	}
	f := strings.Fields(line)
	if len(f) != 3 || f[0] != oid || f[1] != "blob" {
		return 0, fmt.Errorf("git cat-file answered %q for blob %s", strings.TrimSpace(line), oid)
	}
	return strconv.ParseInt(f[2], 10, 64)
}

// plainPath refuses what no honest git writes into a tree, so that a made-up tree
// can't reach outside the folder it is unpacked in.
func plainPath(path string) error {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return fmt.Errorf("the path %q is unsafe", path)
		}
	}
	return nil
}
