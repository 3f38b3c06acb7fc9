package agent

import (
	"context"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline/workspace"
)

// builtIn does what a built-in agent does, on this machine; what came of it is
// collected as anyone's.
func (o *running) builtIn(ctx context.Context) error {
	o.record.Status, o.record.NetworkOff = Ended, true
	dir := filepath.Join(o.scratch, "left", "workspace")
	for _, r := range o.repositories {
		if err := workspace.CopyTree(ctx, workspace.TreePath(o.ws, r), workspace.TreePath(dir, r)); err != nil {
			return err
		}
	}
	for _, h := range o.task.Hidden {
		if o.r.Agent.Name != Gold || o.job.Target != "" && h.Repository != o.job.Target {
			continue
		}
		if _, err := workspace.Apply(ctx, workspace.TreePath(dir, h.Repository), h.Gold); err != nil {
			return err
		}
	}
	return o.patch(ctx, dirOpen(dir))
}
