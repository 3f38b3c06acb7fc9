package runs

import (
	"fmt"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline/agent/collect"
	"github.com/wideswe/wideswe/pipeline/agent/proxy"
	"github.com/wideswe/wideswe/schema"
)

// The ways in which a run ends. Each is a prediction with the changes that the agent had made by then.
const (
	Ended      = "ended"
	Exit       = "exit" // with another code than 0
	Timeout    = "timeout"
	OOM        = "oom"
	DiskFull   = "disk_full"
	OverBounds = "over_bounds" // what it left was more than is collected
)

// Record is run.json: the course of one run.
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
	Traffic    *proxy.Traffic `json:"traffic,omitempty"`

	Repositories []RecordRepository `json:"repositories"`
	// Over is the bound that the whole workspace exceeded: nothing was collected.
	Over string `json:"over,omitempty"`
	// Beside lists files of the workspace outside the repositories.
	Beside            []collect.LeftOut `json:"beside,omitempty"`
	Trajectory        []string          `json:"trajectory,omitempty"`
	TrajectoryLeftOut []collect.LeftOut `json:"trajectory_left_out,omitempty"`
}

// RecordRepository sums up what was collected of one repository.
type RecordRepository struct {
	Repository string            `json:"repository"`
	Files      int               `json:"files"`
	Bytes      int               `json:"bytes"`
	Over       string            `json:"over,omitempty"`
	Lost       bool              `json:"lost,omitempty"`
	LeftOut    []collect.LeftOut `json:"left_out,omitempty"`
}

// Line sums the run up for people.
func (r *Record) Line() string {
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

// prediction returns the run as a prediction.
func (r *Record) prediction(patches map[string][]byte) schema.Prediction {
	p := schema.Prediction{Task: r.Job.Task, Model: r.Agent, Mode: r.Job.Mode, Target: r.Job.Target,
		Attempt: r.Job.Attempt, Patches: map[string]string{},
		Run: &schema.PredictionRun{Scaffold: r.Agent, Version: r.Version, Model: r.Model, Effort: r.Effort,
			Limits: r.Limits, Seconds: r.Seconds, Status: r.Status}}
	for repository, b := range patches {
		p.Patches[repository] = string(b)
	}
	if t := r.Traffic; t != nil {
		p.Run.APIRequests, p.Run.InputTokens = t.Calls, t.Tokens.In
		p.Run.CachedTokens, p.Run.OutputTokens = t.Tokens.Cached, t.Tokens.Out
	}
	return p.Encoded()
}
