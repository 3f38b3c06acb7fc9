package release

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"

	"github.com/wideswe/wideswe/pipeline/testscope"
)

// whole reads all of a release, as evaluate does before it runs anything.
func whole(t *testing.T, dir string) error {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		return err
	}
	defer r.Close()
	return errors.Join(r.VerifySources(t.Context()), r.VerifyImages(t.Context()))
}

// One changed byte, in whatever file and at whatever place, and the release is
// refused with the file's name.
func TestOneFlippedByteIsFoundInEveryFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	sample(t, out, true)
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.SaveImages(func(w io.Writer) error {
		_, err := io.WriteString(w,
			"an archive")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := whole(t, out); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(out, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		name, _ := filepath.Rel(out, p)
		clean, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for at := 0; at < len(clean); at += max(1, len(clean)/testscope.Times(4, 40)) {
			for _, bit := range []byte{1, 0x80} {
				bad := append([]byte{}, clean...)
				bad[at] ^= bit
				if err := os.WriteFile(p, bad, 0o644); err != nil {
					return err
				}
				err := whole(t, out)
				var usage *pipeline.UsageError
				if !errors.As(err, &usage) || !strings.Contains(err.Error(), filepath.ToSlash(name)) {
					t.Errorf("%s, byte %d ^ %#x: %v", name, at, bit, err)
				}
			}
		}
		return os.WriteFile(p, clean, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Errorf("%d files were tried", files)
	}
	if err := whole(t, out); err != nil {
		t.Error(err)
	}
}

// A tree that was fetched has its checksum kept, and unpacking holds it against it.
func TestAFetchedSourceIsHeldAgainstItsChecksum(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	trees, rel := sample(t, out, false)
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Fetch(t.Context(), trees, nil); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(out, rel.Sources[0].File())
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[5] ^= 8 // of the frame's head: the tree unpacks all the same, or with some luck
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.Extract(t.Context(), rel.Sources[0], filepath.Join(t.TempDir(), "x")); err == nil ||
		!strings.Contains(err.Error(), rel.Sources[0].File()) {
		t.Errorf("got %v", err)
	}
	if err := r.Extract(t.Context(), rel.Sources[1], filepath.Join(t.TempDir(), "x")); err != nil {
		t.Errorf("another tree: %v", err)
	}
	// Releases fetched before checksums were kept are proved by their tree ids.
	if err := os.Remove(filepath.Join(out, sourceSums)); err != nil {
		t.Fatal(err)
	}
	if err := r.VerifySources(t.Context()); err != nil && !strings.Contains(err.Error(), rel.Sources[0].File()) {
		t.Errorf("without checksums: %v", err)
	}
}

func TestImagesOfARelease(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	sample(t, out, true)
	r, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var need *pipeline.NeedError
	if err := r.LoadImages(t.Context(), nil); !errors.As(err, &need) || !strings.Contains(err.Error(),
		"release images save") {
		t.Errorf("without images: %v", err)
	}
	for _, text := range []string{"one", "another"} {
		if _, err := r.SaveImages(func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Fatal(err)
		}
		var got []byte
		err := r.LoadImages(t.Context(), func(in io.Reader) (err error) { got, err = io.ReadAll(in); return err })
		if err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	// A save that ends badly leaves the archive that is there.
	if _, err := r.SaveImages(func(io.Writer) error { return errors.New("no") }); err == nil {
		t.Error("no error")
	}
	if err := whole(t, out); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(out + "/images/.*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
