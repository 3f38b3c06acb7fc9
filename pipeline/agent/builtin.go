package agent

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// The built-in agents, for checks: one that does what the pulls did, one that does
// nothing. A third, shell:SCRIPT, runs a script.
const (
	Gold     = "gold"
	Empty    = "empty"
	scripted = "shell:"
)

// Named gives the agent that a word or a file names.
func Named(word string) (*File, error) {
	switch {
	case word == Gold, word == Empty:
		return &File{Name: word, builtin: word}, nil
	case strings.HasPrefix(word, scripted):
		text, err := os.ReadFile(strings.TrimPrefix(word, scripted))
		if err != nil {
			return nil, pipeline.Usage("the script of --agent %s can't be read: %v", word, err)
		}
		f := &File{Name: "shell", script: text, Command: Command{Line: "exec sh \"$WIDESWE_AGENT\""}, Set: map[string]string{"WIDESWE_AGENT": "{root}" + agentDir + "/agent"}}
		if bytes.HasPrefix(text, []byte("#!")) {
			f.Command.Line = "exec \"$WIDESWE_AGENT\""
		}
		return f, nil
	}
	return ReadFile(word)
}

// Runs says whether the agent runs anything of its own.
func (f *File) Runs() bool { return f.builtin == "" }

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
		if o.r.Agent.builtin != Gold || o.job.Target != "" && h.Repository != o.job.Target {
			continue
		}
		if _, err := workspace.Apply(ctx, workspace.TreePath(dir, h.Repository), h.Gold); err != nil {
			return err
		}
	}
	return o.patch(ctx, dirOpen(dir))
}
