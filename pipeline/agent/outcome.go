package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent/collect"
	"github.com/wideswe/wideswe/pipeline/agent/proxy"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// collectFiles reads the workspace and the trajectory while the sandbox still exists.
func (a *attempt) collectFiles(ctx context.Context, res sandbox.Result, left sandbox.Left) error {
	err := a.makePatches(ctx, func() (io.ReadCloser, error) { return left(ctx, workspaceDir) })
	if err != nil {
		return err
	}
	a.finished = true
	return a.saveTrajectory(ctx, left)
}

// makePatches compares a workspace with the one that the agent got.
func (a *attempt) makePatches(ctx context.Context, open func() (io.ReadCloser, error)) error {
	c, err := collect.New(ctx, a.workspace, a.repositories, a.runner.Bounds, a.runner.secrets)
	if err != nil {
		return err
	}
	list, err := c.Patches(ctx, open)
	var over *collect.OverError
	if errors.As(err, &over) {
		a.record.Over = over.What
		return nil
	}
	if err != nil {
		return err
	}
	a.record.Beside = c.Beside
	for _, one := range list {
		row := runs.RecordRepository{Repository: one.Repository, Bytes: len(one.Patch), Over: one.Over,
			Lost: one.Lost, LeftOut: one.LeftOut}
		if len(one.Patch) > 0 {
			a.patches[one.Repository] = one.Patch
			files, err := workspace.Touched(one.Patch)
			if err != nil {
				return fmt.Errorf("the patch of %s that was made can't be used: %w", one.Repository, err)
			}
			row.Files = len(files)
		}
		a.record.Repositories = append(a.record.Repositories, row)
	}
	return nil
}

// fillRecord fills the record from the sandbox's result.
func (a *attempt) fillRecord(res sandbox.Result, spec sandbox.Spec, p *proxy.Proxy) {
	rec := a.record
	rec.Exit, rec.Seconds = res.ExitCode, res.Duration.Seconds()
	rec.LimitsMet, rec.NetworkOff = res.LimitsMet(), res.NetworkOff
	l := spec.Limits
	rec.Limits = map[string]any{"seconds": int(l.Timeout.Seconds()), "memory": l.Memory, "cpus": l.CPUs,
		"pids": l.Pids, "disk": l.Disk}
	if p != nil {
		t := p.Traffic()
		rec.Traffic = &t
	}
	over := rec.Over != ""
	for _, r := range rec.Repositories {
		over = over || r.Over != ""
	}
	switch {
	case res.DiskFull:
		rec.Status = runs.DiskFull
	case res.OOM && res.ExitCode != 0:
		rec.Status = runs.OOM
	case res.TimedOut:
		rec.Status = runs.Timeout
	case over:
		rec.Status = runs.OverBounds
	case res.ExitCode != 0:
		rec.Status = runs.Exit
	default:
		rec.Status = runs.Ended
	}
}

// infrastructureError returns an error where the run says nothing about the agent: its command was missing, or its
// API answered no request. A run that changed a file always counts.
func (a *attempt) infrastructureError(res sandbox.Result) error {
	t, status := a.record.Traffic, a.record.Status
	switch {
	case len(a.patches) > 0:
		return nil
	case status == runs.Exit && (res.ExitCode == 126 || res.ExitCode == 127):
		return pipeline.Need("the agent's command can't be run in its image (exit %d): %s; correct command, "+
			"packages, setup or image", res.ExitCode, a.outputTail(res))
	case t != nil && t.Failed > 0 && t.Calls == 0 && (status == runs.Exit || status == runs.Ended ||
		status == runs.Timeout):
		return fmt.Errorf("the API answered none of its requests (%d failed): %s", t.Failed, a.outputTail(res))
	}
	return nil
}

// outputTail returns the end of the agent's output, fit for an error message.
func (a *attempt) outputTail(res sandbox.Result) string {
	text := strings.TrimSpace(string(res.Errors))
	if text == "" {
		text = strings.TrimSpace(string(res.Output))
	}
	text = pipeline.Printable(string(a.runner.secrets.Redact([]byte(strings.ReplaceAll(text, "\n", " | ")))))
	if r := []rune(text); len(r) > 300 {
		text = "…" + string(r[len(r)-300:])
	}
	return text
}

// saveLogs writes the agent's output without secrets.
func (a *attempt) saveLogs(res sandbox.Result) error {
	return errors.Join(
		os.WriteFile(filepath.Join(a.keptDir, "stdout.log"), a.runner.secrets.Redact(res.Output), 0o644),
		os.WriteFile(filepath.Join(a.keptDir, "stderr.log"), a.runner.secrets.Redact(res.Errors), 0o644))
}
