package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Lists of checksums, in the form of the sha256sum command, of what release.json
// does not list: of itself, and of what may come to a release after its export.
const (
	indexSums  = "release.json.sha256"
	sourceSums = "sources/SHA256SUMS"
	imageSums  = "images/SHA256SUMS"
)

var sumLine = regexp.MustCompile(`^([0-9a-f]{64})  ([^\s/]+)$`)

// sums reads a list: a file's name → its sha256. Its lines are whole, in order, and
// nothing else stands there.
func (r *Release) sums(name string) (map[string]string, error) {
	text, err := r.read(name)
	if err != nil {
		return nil, err
	}
	list, last := map[string]string{}, ""
	for line := range bytes.Lines(text) {
		m := sumLine.FindStringSubmatch(strings.TrimSuffix(string(line), "\n"))
		if m == nil || !bytes.HasSuffix(line, []byte("\n")) || m[2] <= last {
			return nil, r.damaged(name + " is no list of checksums as wideswe writes it")
		}
		list[m[2]], last = m[1], m[2]
	}
	return list, nil
}

// fileSum digests a file outside an opened release.
func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// damaged is the refusal of a release, with what is wrong in it.
func (r *Release) damaged(what string) error {
	return pipeline.Usage("the release %s is damaged: %s; copy it again from where it came, or export it anew", r.Dir,
		what)
}

// writeSums writes a list whole, or leaves it as it was.
func writeSums(dir, name string, list map[string]string) error {
	var b bytes.Buffer
	for _, file := range sortedKeys(list) {
		fmt.Fprintf(&b, "%s  %s\n", list[file], file)
	}
	return pipeline.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), b.Bytes())
}

// checkIndex holds release.json against its own checksum.
func (r *Release) checkIndex() error {
	list, err := r.sums(indexSums)
	if err != nil {
		return err
	}
	if len(list) != 1 || list[indexName] != r.SHA256 {
		return r.damaged(indexName + " is not the file that " + indexSums + " tells of")
	}
	return nil
}

// sourceSum is the checksum a packed tree had when it came, "" where none was kept.
func (r *Release) sourceSum(s schema.Source) (string, error) {
	list, err := r.sums(sourceSums)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return list[path.Base(s.File())], err
}

// addSourceSums keeps the checksums of trees that just came, beside those kept.
func (r *Release) addSourceSums(added map[string]string) error {
	list, err := r.sums(sourceSums)
	if errors.Is(err, fs.ErrNotExist) {
		list, err = map[string]string{}, nil
	}
	if err != nil {
		return err
	}
	for file, sum := range added {
		list[file] = sum
	}
	return writeSums(r.Dir, sourceSums, list)
}

// VerifyAll reads what [Open] leaves out: the packed trees, and what was saved of images.
func (r *Release) VerifyAll(ctx context.Context) error {
	if err := r.VerifySources(ctx); err != nil {
		return err
	}
	return r.VerifyImages(ctx)
}

// VerifySources reads every packed tree that is there and holds it against its
// checksum; a tree without one is proved by its tree id. [Open] leaves that out, since
// a release may hold many gigabytes of them, and [Release.Extract] does it for the
// one it unpacks.
func (r *Release) VerifySources(ctx context.Context) error {
	list, err := r.sums(sourceSums)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	pinned := map[string]bool{}
	for _, s := range r.Sources {
		file := path.Base(s.File())
		pinned[file] = true
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.verifySource(ctx, s, list[file]); err != nil {
			return err
		}
	}
	for _, file := range sortedKeys(list) {
		if !pinned[file] {
			return r.damaged(sourceSums + " tells of " + file + ", which the release does not pin")
		}
	}
	return nil
}

func (r *Release) verifySource(ctx context.Context, s schema.Source, want string) error {
	sum, err := r.sum(s.File())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // not fetched yet
	case err != nil:
		return fmt.Errorf("release %s: %w", r.Dir, err)
	case want == "":
		if err := proveSource(ctx, filepath.Join(r.Dir, filepath.FromSlash(s.File())), s); err != nil {
			return r.damaged(fmt.Sprintf("%s: %v", s.File(), err))
		}
		return nil
	case sum != want:
		return r.damaged(s.File() + " is not the file that " + sourceSums + " tells of")
	}
	return nil
}
