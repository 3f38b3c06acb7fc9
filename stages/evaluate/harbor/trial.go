// Package harbor has the files of Harbor's trials as Go structs: what a trial folder's
// result.json says, and where its artifacts lie. Predictions are read from them and
// reports written as them; nothing here decides anything.
package harbor

import (
	"cmp"
	"path"
)

// ResultFile is the name of a trial's record in its folder.
const ResultFile = "result.json"

// Patches is the folder of a trial that its patches are collected into: Harbor mirrors the
// container's /logs/artifacts below the trial's artifacts.
const Patches = "artifacts/logs/artifacts/patches"

// OlderPatches is where Harbor put them before it mirrored whole paths.
const OlderPatches = "artifacts/patches"

// Trial is a trial's result.json, of schema version 1.
type Trial struct {
	SchemaVersion int       `json:"schema_version"`
	ID            string    `json:"id,omitempty"`
	Task          string    `json:"task_name"`
	Name          string    `json:"trial_name"`
	URI           string    `json:"trial_uri"`
	TaskID        LocalTask `json:"task_id"`
	Source        string    `json:"source,omitempty"`
	TaskChecksum  string    `json:"task_checksum"`
	Config        Config    `json:"config"`
	Agent         Agent     `json:"agent_info"`
	Verifier      *Verdict  `json:"verifier_result"`
	Exception     *Failure  `json:"exception_info"`
}

// LocalTask names a task by its folder.
type LocalTask struct {
	Path string `json:"path"`
}

// Config is the part of a trial's config that Harbor can't do without.
type Config struct {
	Task  LocalTask `json:"task"`
	Trial string    `json:"trial_name"`
}

// Agent is who worked on the task.
type Agent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Model   *Model `json:"model_info,omitempty"`
}

// Model is the model that the agent used.
type Model struct {
	Name     string `json:"name"`
	Provider string `json:"provider,omitempty"`
}

// Verdict is what the verifier found: reward is the verdict, the others are metrics.
type Verdict struct {
	Rewards map[string]float64 `json:"rewards"`
}

// Failure is an error of the trial, and not of the agent's patches.
type Failure struct {
	Type       string `json:"exception_type"`
	Message    string `json:"exception_message"`
	Traceback  string `json:"exception_traceback"`
	OccurredAt string `json:"occurred_at"`
}

// String names the agent, with its model where it has one.
func (a Agent) String() string {
	if a.Model == nil || a.Model.Name == "" {
		return a.Name
	}
	return cmp.Or(a.Name, "agent") + "/" + a.Model.Name
}

// TaskName gives the name of a trial's task without its organization.
func (t Trial) TaskName() string { return path.Base(t.Task) }

// NewTrial returns the record of a trial without a verdict.
func NewTrial(task, name, agent string) Trial {
	local := LocalTask{Path: task}
	return Trial{SchemaVersion: 1, Task: "wideswe/" + task, Name: name, URI: "file:" + name, TaskID: local,
		Config: Config{Task: local, Trial: name}, Agent: Agent{Name: agent, Version: "unknown"}}
}
