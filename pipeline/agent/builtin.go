package agent

import (
	"context"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/collect"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// builtIn makes the changes of a built-in agent on this machine and collects them like any agent's.
func (a *attempt) builtIn(ctx context.Context) error {
	a.record.Status, a.record.NetworkOff = runs.Ended, true
	dir := filepath.Join(a.scratch, "left", "workspace")
	for _, r := range a.repositories {
		if err := workspace.CopyTree(ctx, workspace.TreePath(a.workspace, r), workspace.TreePath(dir, r)); err != nil {
			return err
		}
	}
	for _, h := range a.task.Hidden {
		if a.runner.Agent.Name != agentfile.Gold || a.job.Target != "" && h.Repository != a.job.Target {
			continue
		}
		if _, err := workspace.Apply(ctx, workspace.TreePath(dir, h.Repository), h.Gold); err != nil {
			return err
		}
	}
	return a.makePatches(ctx, collect.OpenFolder(dir))
}
