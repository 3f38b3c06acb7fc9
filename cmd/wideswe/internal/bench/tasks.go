package bench

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/shell"
)

// The repository of the bench's tasks: a test script that speaks TAP, and a file
// that says what is to be installed.
const (
	repositoryName = "bench/app"
	testFile       = "tests/change.sh"
	manifestFile   = "packages.lock"
)

// lockedShell is the toolchain of test scripts for repositories whose dependencies
// one file decides, as a lock file does in other languages: tasks that agree in it
// share an image.
func lockedShell(name string) (kit.Toolchain, bool) {
	return shellWithLock{}, name == "shell"
}

type shellWithLock struct{ shell.Toolchain }

// Plan implements [kit.Toolchain].
func (s shellWithLock) Plan(j kit.Job) (kit.Plan, error) {
	p, err := s.Toolchain.Plan(j)
	p.Manifests = []string{manifestFile}
	return p, err
}

// sleeping and computing are what tests do.
func sleeping(seconds float64) string { return fmt.Sprintf("sleep %g", seconds) }

func computing(loops int) string {
	return fmt.Sprintf(`i=0; while [ "$i" -lt %d ]; do i=$((i+1)); done`, loops)
}

// testScript is a test that works, then passes on gold alone, and one that passes anyway.
func testScript(work string) string {
	return "#!/bin/sh\necho 1..2\n" + work + "\nif grep -q new word; then echo 'ok 1 - change'; else echo 'not ok 1 - " +
		"change'; fi\necho 'ok 2 - rest'\n"
}

// baseTree is the repository at base.
func baseTree(salt string) map[string]string {
	return map[string]string{"word": "old\n", manifestFile: salt + "\n",
		"tests/other.sh": "#!/bin/sh\necho 1..1\necho ok 1 - other\n"}
}

// goldWorkspace lays the tree at gold, with the hidden test.
func goldWorkspace(dir, work, salt string) (string, error) {
	ws, err := os.MkdirTemp(dir, "workspace-")
	if err != nil {
		return "", err
	}
	files := baseTree(salt)
	files["word"], files[testFile] = "new\n", testScript(work)
	for name, text := range files {
		p := filepath.Join(ws, filepath.FromSlash(repositoryName), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return ws, nil
}

// snapshots gives the repository at base to the stage validate.
type snapshots map[string]string

// Snapshot implements [validate.Trees].
func (t snapshots) Snapshot(_ context.Context, _, _ string, w io.Writer) error {
	tw := tar.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(t[name]))}); err != nil {
			return err
		}
		if _, err := io.WriteString(tw, t[name]); err != nil {
			return err
		}
	}
	return tw.Close()
}

// newTasks is a database with tasks of the repository, as assemble leaves them: one
// a piece of work.
func newTasks(ctx context.Context, works []string) (*store.DB, error) {
	db, err := store.Open(ctx, "", store.Options{})
	if err != nil {
		return nil, err
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return db, db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		for i, work := range works {
			id := fmt.Sprintf("bench__%02d", i+1)
			if err := storeTask(ctx, tx, id, i, work, at); err != nil {
				return err
			}
		}
		return nil
	})
}

func storeTask(ctx context.Context, tx pipeline.Tx, id string, n int, work string, at time.Time) error {
	gold, tests := goldPatch(fmt.Sprintf("task %d", n)), testPatch(work)
	if err := tx.Append(ctx, "task_list", [][]any{{id, id, "bench", "bugfix", "", "", "", "draft", []string{"Shell"},
		"other", at}}); err != nil {
		return err
	}
	if err := tx.Append(ctx, "task_targets", [][]any{{id, int64(1), repositoryName, []int32{int32(n)}, "base",
		fmt.Sprintf("gold%d", n), "", "", "", "", false, at, "",
		[]string{testFile}, []string{"word"}}}); err != nil {
		return err
	}
	return tx.Append(ctx, "task_patches", [][]any{patchRow(id, "gold", gold), patchRow(id, "tests", tests)})
}

func patchRow(task, kind, text string) []any {
	sum := sha256.Sum256([]byte(text))
	return []any{task, repositoryName, kind, 1, "01", []byte(text), hex.EncodeToString(sum[:])}
}
