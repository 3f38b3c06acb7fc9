package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/wideswe/wideswe/schema"
)

// How a run ended. Each of them is a prediction with what the agent had by then.
const (
	Ended      = "ended"
	Exit       = "exit" // with another code than 0
	Timeout    = "timeout"
	OOM        = "oom"
	DiskFull   = "disk_full"
	OverBounds = "over_bounds" // what it left was more than is collected
)

// Record is run.json: how one run went.
type Record struct {
	Format  int       `json:"format"`
	Job     Job       `json:"job"`
	Agent   string    `json:"agent"`
	Version string    `json:"version,omitempty"`
	Model   string    `json:"model,omitempty"`
	Effort  string    `json:"effort,omitempty"`
	Digest  string    `json:"digest"` // of the agent's file
	Sandbox string    `json:"sandbox"`
	Image   string    `json:"image,omitempty"`
	Started time.Time `json:"started"`

	Status     string         `json:"status"`
	Exit       int            `json:"exit"`
	Seconds    float64        `json:"seconds"`
	Limits     map[string]any `json:"limits,omitempty"`
	LimitsMet  []string       `json:"limits_met,omitempty"`
	NetworkOff bool           `json:"network_off"`
	Traffic    *Traffic       `json:"traffic,omitempty"`

	Repositories []RecordRepository `json:"repositories"`
	// Over is the bound that the workspace as a whole met: nothing was collected.
	Over string `json:"over,omitempty"`
	// Beside is what lay in the workspace outside the repositories.
	Beside            []LeftOut `json:"beside,omitempty"`
	Trajectory        []string  `json:"trajectory,omitempty"`
	TrajectoryLeftOut []LeftOut `json:"trajectory_left_out,omitempty"`
}

// RecordRepository is what came of one repository.
type RecordRepository struct {
	Repository string    `json:"repository"`
	Files      int       `json:"files"`
	Bytes      int       `json:"bytes"`
	Over       string    `json:"over,omitempty"`
	Lost       bool      `json:"lost,omitempty"`
	LeftOut    []LeftOut `json:"left_out,omitempty"`
}

// line says for people how it went.
func (r *Record) line() string {
	var parts []string
	for _, x := range r.Repositories {
		if x.Bytes > 0 {
			parts = append(parts, fmt.Sprintf("%s %d files", x.Repository, x.Files))
		}
	}
	text := "no change"
	if len(parts) > 0 {
		text = strings.Join(parts, ", ")
	}
	if t := r.Traffic; t != nil && t.Untold > 0 {
		text += fmt.Sprintf("; %d of %d answers told no usage, its tokens are more", t.Untold, t.Calls)
	}
	return fmt.Sprintf("%s in %.0f s; %s", r.Status, r.Seconds, text)
}

// prediction is the run's line.
func (r *Record) prediction(patches map[string][]byte) schema.Prediction {
	p := schema.Prediction{Task: r.Job.Task, Model: r.Agent, Mode: r.Job.Mode, Target: r.Job.Target, Attempt: r.Job.Attempt, Patches: map[string]string{},
		Run: &schema.PredictionRun{Scaffold: r.Agent, Version: r.Version, Model: r.Model, Effort: r.Effort, Limits: r.Limits, Seconds: r.Seconds, Status: r.Status}}
	for repository, b := range patches {
		p.Patches[repository] = string(b)
	}
	if t := r.Traffic; t != nil {
		p.Run.APIRequests, p.Run.InputTokens, p.Run.CachedTokens, p.Run.OutputTokens = t.Calls, t.Tokens.In, t.Tokens.Cached, t.Tokens.Out
	}
	return p.Encoded()
}
