package runs

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// Job is one run: a task, or in independent mode one target of a task.
type Job struct {
	Task    string `json:"task"`
	Mode    string `json:"mode"`
	Target  string `json:"target,omitempty"`
	Attempt int    `json:"attempt"`
}

// String names the job for people.
func (j Job) String() string {
	s := j.Task + " " + j.Mode
	if j.Target != "" {
		s += " " + j.Target
	}
	if j.Attempt > 1 {
		s += fmt.Sprintf(", attempt %d", j.Attempt)
	}
	return s
}

// Dir returns the job's folder under OUT/runs.
func (j Job) Dir() string {
	name := j.Mode
	if j.Target != "" {
		name += "-" + schema.FileName(j.Target)
	}
	return filepath.Join(j.Task, fmt.Sprintf("%s-%d", name, j.Attempt))
}

// Jobs lists the runs of these tasks, attempt by attempt, so that an interrupted call leaves whole attempts.
func Jobs(rel *release.Release, tasks []string, mode string, attempts int) ([]Job, error) {
	var jobs []Job
	for a := 1; a <= attempts; a++ {
		for _, id := range tasks {
			if !filepath.IsLocal(id) || filepath.Base(id) != id {
				return nil, pipeline.Usage("%q is no task's id", id)
			}
			i := slices.IndexFunc(rel.Tasks, func(t schema.ReleaseTask) bool { return t.ID == id })
			switch {
			case i < 0:
				return nil, pipeline.Usage("the release %s %s has no task %q", rel.Name, rel.Version, id)
			case mode == schema.Joint:
				jobs = append(jobs, Job{id, mode, "", a})
			case mode == schema.Independent:
				for _, target := range rel.Tasks[i].Targets {
					jobs = append(jobs, Job{id, mode, target, a})
				}
			default:
				return nil, pipeline.Usage("--mode %q; write joint or independent", mode)
			}
		}
	}
	return jobs, nil
}
