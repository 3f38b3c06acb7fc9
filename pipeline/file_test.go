package pipeline_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

func TestWriteFileIsWholeOrNotThere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a", "b", "f")
	for _, text := range []string{"one", "another"} {
		if err := pipeline.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%q %v", got, err)
		}
	}
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(name, long, long); err != nil {
		t.Fatal(err)
	}
	if err := pipeline.WriteFile(name, []byte("another")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || !info.ModTime().Equal(long) || info.Mode() != 0o644 {
		t.Errorf("a file that is as it should be was written again, or its mode is %v: %v", info.Mode(), err)
	}
	f, err := pipeline.NewFile(name + "2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	if err := f.Cleanup(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file is there: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) != 1 {
		t.Errorf("beside it lies %v, %v", left, err)
	}
}
