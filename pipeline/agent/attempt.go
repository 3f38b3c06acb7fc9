package agent

import (
	"path"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/release"
)

// attempt is one job that is being run.
type attempt struct {
	runner       *Runner
	job          runs.Job
	task         *release.Task
	workspace    string // as the agent gets it; it stays so
	scratch      string
	keptDir      string // what is kept of the run
	repositories []string

	patches  map[string][]byte
	record   *runs.Record
	finished bool
}

// workspaceDir is the workspace's folder inside a sandbox.
const workspaceDir = "/workspace"

// targets returns the repositories whose tests the agent may want to run.
func (a *attempt) targets() []string {
	if a.job.Target != "" {
		return []string{a.job.Target}
	}
	var list []string
	for _, t := range a.task.Targets {
		list = append(list, t.Repository)
	}
	return list
}

// inWorkspace returns the repositories that the agent may change.
func (a *attempt) inWorkspace() []string {
	if a.job.Target != "" {
		return []string{a.job.Target}
	}
	var list []string
	for _, w := range a.task.Workspace.Repositories {
		list = append(list, w.Repository)
	}
	return list
}

// newRecord begins the record of the run.
func (a *attempt) newRecord() *runs.Record {
	f := a.runner.Agent
	return &runs.Record{Format: 1, Job: a.job, Agent: f.Name, Version: f.Version, Model: f.Model, Effort: f.Effort,
		Digest: f.Digest(), Sandbox: a.runner.Backend.Name(), Started: time.Now().UTC().Truncate(time.Second)}
}

// home returns the agent's home folder in the sandbox.
func (a *attempt) home() string {
	if a.runner.Backend.Name() == "process" {
		return "/home" // it has one of its own
	}
	return "/home/wideswe"
}

// sandboxPath returns where a path of the agent's file is in the sandbox.
func (a *attempt) sandboxPath(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return path.Join(a.home(), rest)
	}
	return path.Clean(p)
}
