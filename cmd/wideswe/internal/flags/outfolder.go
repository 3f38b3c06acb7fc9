package flags

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/wideswe/wideswe/pipeline"
)

// EvaluationFiles are the files that evaluate writes into its folder; report and regrade write into it, too.
func EvaluationFiles() []string {
	return []string{"evaluation.duckdb", "evaluation.duckdb.wal", "report.json", "cache", "logs", "patches", "images.lock",
		"settled.yaml"}
}

// AgentRunFiles are the files that agent run writes into its folder.
func AgentRunFiles() []string {
	return []string{"predictions.jsonl", "agent.json", "runs", "failed", "logs", "images.lock"}
}

// MakeOutFolder makes the folder that --out names, outside the release. A folder that holds somebody's files and
// nothing of an earlier call is refused: a word too few on the command line is no reason to scatter files among them.
// What an earlier call wrote is ours; its first file is in every folder that is more than begun.
func MakeOutFolder(release, out string, ours []string) error {
	if err := Outside(release, out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return cannotWrite(out, err)
	}
	list, err := os.ReadDir(out)
	if err != nil {
		return cannotWrite(out, err)
	}
	if others := otherFiles(list, ours); len(others) > 0 {
		return pipeline.Usage("--out %s holds other things (%s); give a new folder, an empty one, or that of an earlier call",
			out, firstNames(others))
	}
	probe, err := os.CreateTemp(out, ".probe-")
	if err != nil {
		return cannotWrite(out, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// otherFiles names the files that no earlier call wrote.
func otherFiles(list []fs.DirEntry, ours []string) (others []string) {
	for _, f := range list {
		if f.Name() == ours[0] {
			return nil
		}
		if !strings.HasPrefix(f.Name(), ".") && !slices.Contains(ours, f.Name()) {
			others = append(others, f.Name())
		}
	}
	return others
}

// cannotWrite explains why a folder can't be written.
func cannotWrite(out string, err error) error {
	for _, x := range []struct {
		is   error
		text string
	}{
		{fs.ErrPermission, "you may not write there"},
		{syscall.EROFS, "it is on a file system for reading only"},
		{syscall.ENOTDIR, "a file is in its place"},
	} {
		if errors.Is(err, x.is) {
			return pipeline.Usage("--out %s can't be used: %s; give another folder", out, x.text)
		}
	}
	return err
}

// firstNames names the first of many.
func firstNames(names []string) string {
	if len(names) > 3 {
		names = append(slices.Clone(names[:3]), "…")
	}
	return strings.Join(names, ", ")
}

// Outside refuses an --out inside the release, which would be damaged: a release holds the exported files and no
// others.
func Outside(dir, out string) error {
	rel, err := realPath(dir)
	if err != nil {
		return err
	}
	abs, err := realPath(out)
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(rel, abs); err != nil || !filepath.IsLocal(inside) {
		return nil
	}
	return pipeline.Usage("--out %s is inside the release, whose checksums know no such files; choose a folder outside %s",
		out, dir)
}

// realPath follows symbolic links as far as the path exists.
func realPath(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	for rest := ""; ; {
		real, err := filepath.EvalSymlinks(abs)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if abs == filepath.Dir(abs) {
			return filepath.Join(abs, rest), nil
		}
		abs, rest = filepath.Dir(abs), filepath.Join(filepath.Base(abs), rest)
	}
}
