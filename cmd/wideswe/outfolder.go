package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/wideswe/wideswe/pipeline"
)

// What evaluate and agent run write into their folder; report and regrade write into
// an evaluation's, too.
var (
	evaluationFiles = []string{"evaluation.duckdb", "evaluation.duckdb.wal", "report.json", "cache", "logs", "patches", "images.lock", "settled.yaml"}
	agentRunFiles   = []string{"predictions.jsonl", "agent.json", "runs", "failed", "logs", "images.lock"}
)

// outFolder makes the folder that --out names, outside the release. One that holds
// somebody's files and nothing of an earlier call (ours; the first of them is in all
// that are more than begun) is refused: a word too few on the command line is no
// reason to strew files among them.
func outFolder(release, out string, ours []string) error {
	if err := outside(release, out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return cannotWrite(out, err)
	}
	list, err := os.ReadDir(out)
	if err != nil {
		return cannotWrite(out, err)
	}
	var others []string
	for _, f := range list {
		if f.Name() == ours[0] {
			others = nil
			break
		}
		if !strings.HasPrefix(f.Name(), ".") && !slices.Contains(ours, f.Name()) {
			others = append(others, f.Name())
		}
	}
	if len(others) > 0 {
		return pipeline.Usage("--out %s holds other things (%s); give a new folder, an empty one, or that of an earlier call", out, someOf(others))
	}
	probe, err := os.CreateTemp(out, ".probe-")
	if err != nil {
		return cannotWrite(out, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// cannotWrite says why a folder can't be written, in words of the command line.
func cannotWrite(out string, err error) error {
	for _, x := range []struct {
		is  error
		say string
	}{
		{fs.ErrPermission, "you may not write there"},
		{syscall.EROFS, "it is on a file system for reading only"},
		{syscall.ENOTDIR, "a file is in its place"},
	} {
		if errors.Is(err, x.is) {
			return pipeline.Usage("--out %s can't be used: %s; give another folder", out, x.say)
		}
	}
	return err
}

// someOf names the first of many.
func someOf(names []string) string {
	if len(names) > 3 {
		names = append(slices.Clone(names[:3]), "…")
	}
	return strings.Join(names, ", ")
}
