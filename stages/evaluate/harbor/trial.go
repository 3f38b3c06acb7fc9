// Package harbor has the files of Harbor's trials as Go structs: what a trial folder's
// result.json says, and where its artifacts lie. Predictions are read from them and
// reports written as them; nothing here decides anything.
package harbor

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"
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
	VerifierMode  string    `json:"verifier_environment_mode,omitempty"`
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

// MachineFailure is the exception of Harbor's that we write for trouble of a machine: of
// one that it doesn't know by name Harbor takes the reward for valid.
const MachineFailure = "RuntimeRequestError"

// OfAgent tells whether the agent failed, and not Harbor or a machine: those failures
// after which Harbor's rewards count.
func (f Failure) OfAgent() bool {
	switch f.Type {
	case "NonZeroAgentExitCodeError", "AgentTimeoutError", "ContextWindowExceededError", "OutputTokenExceededError",
		"ContextLengthExceededError", "OutputLengthExceededError", "AgentSafetyRefusalError", "ContentPolicyViolationError":
		return true
	}
	return false
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

// NewTrial returns the record of a trial without a verdict. dir is the folder that the
// trial's folder lies in.
func NewTrial(dir, name, task, agent string) Trial {
	local := LocalTask{Path: task}
	return Trial{SchemaVersion: 1, ID: ID(name, agent), Task: "wideswe/" + task, Name: name,
		URI: fileURI(filepath.Join(dir, name)), TaskID: local, Config: Config{Task: local, Trial: name},
		Agent: Agent{Name: agent, Version: "unknown"}}
}

// fileURI names a folder of this machine, as Harbor's viewer wants it.
func fileURI(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()
}

// Job is a job's result.json: what lies in the folder above those of its trials.
type Job struct {
	SchemaVersion int       `json:"schema_version"`
	ID            string    `json:"id"`
	StartedAt     time.Time `json:"started_at"`
	FinishedAt    time.Time `json:"finished_at"`
	Trials        int       `json:"n_total_trials"`
	Stats         JobStats  `json:"stats"`
}

// JobStats counts a job's trials.
type JobStats struct {
	Completed int `json:"n_completed_trials"`
	Errored   int `json:"n_errored_trials"`
}

// ID makes an identifier of the form that Harbor asks for: the same of the same words.
func ID(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
