package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// Summary counts what a call of Run did.
type Summary struct {
	Done, Passed, Failed int // Passed were done before
}

// Run runs the jobs that have no prediction yet. Each ends as a line of OUT/predictions.jsonl, or, where our own
// machinery failed, as no prediction; the next call runs those again.
func (r *Runner) Run(ctx context.Context, jobs []runs.Job) (Summary, error) {
	if err := r.prepare(); err != nil {
		return Summary{}, err
	}
	folder, err := runs.Open(r.Out, runs.About{Format: 1, Agent: r.Agent.Name, Digest: r.Agent.Digest(),
		Release: r.Release.SHA256, Sandbox: r.Backend.Name()})
	if err != nil {
		return Summary{}, err
	}
	defer folder.Close()
	c := &call{runner: r}
	g, run := errgroup.WithContext(ctx)
	g.SetLimit(max(1, r.Workers))
	for _, j := range jobs {
		if folder.Done(j) {
			c.countPassed()
			continue
		}
		if run.Err() != nil {
			break
		}
		g.Go(func() error {
			if run.Err() != nil {
				return nil
			}
			line, err := r.runJob(run, folder, j)
			return c.count(run, j, line, err)
		})
	}
	err = g.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return c.sum, err
}

// call counts the jobs of one call of [Runner.Run].
type call struct {
	runner *Runner

	mu  sync.Mutex
	sum Summary
}

func (c *call) countPassed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.Passed++
}

// count counts a job and reports how it ended. It returns the errors that end the whole call.
func (c *call) count(ctx context.Context, j runs.Job, line string, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var need *pipeline.NeedError
	var usage *pipeline.UsageError
	switch {
	case err == nil:
		c.sum.Done++
		c.runner.report("%s: %s", j, line)
	case ctx.Err() != nil, errors.As(err, &need), errors.As(err, &usage):
		return err
	default:
		c.sum.Failed++
		c.runner.report("%s: failed, and is no prediction: %v", j, err)
	}
	return nil
}

// runJob runs one job and keeps its result in one step.
func (r *Runner) runJob(ctx context.Context, folder *runs.Folder, j runs.Job) (string, error) {
	t, err := r.Release.Task(j.Task)
	if err != nil {
		return "", err
	}
	scratch, remove, err := pipeline.Scratch("", "agent")
	if err != nil {
		return "", err
	}
	defer remove()
	keep, err := folder.Begin()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(keep)
	ws := filepath.Join(scratch, "workspace")
	scope := release.ScopeJoint
	if j.Mode == schema.Independent {
		scope = release.ScopeIndependent
	}
	if err := r.Release.Workspace(ctx, j.Task, scope, j.Target, ws); err != nil {
		return "", err
	}
	one := &attempt{runner: r, job: j, task: t, workspace: ws, scratch: scratch, keptDir: keep,
		patches: map[string][]byte{}}
	one.repositories = one.inWorkspace()
	one.record = one.newRecord()
	rec, err := one.run(ctx)
	if err != nil && rec != nil {
		return "", folder.KeepFailed(keep, rec, err)
	}
	if err != nil {
		return "", err
	}
	return rec.Line(), folder.Keep(keep, rec, one.patches)
}

// run runs the agent and collects its changes. An error together with a record comes from
// [attempt.infrastructureError].
func (a *attempt) run(ctx context.Context) (*runs.Record, error) {
	if !a.runner.Agent.Runs() {
		return a.record, a.builtIn(ctx)
	}
	spec, err := a.spec(ctx)
	if err != nil {
		return nil, err
	}
	release, err := a.runner.take(ctx, spec.Limits)
	if err != nil {
		return nil, err
	}
	defer release()
	p := a.openProxy(ctx, &spec)
	res, err := a.runner.Backend.Run(ctx, spec)
	if err != nil {
		return nil, err
	}
	if !a.finished {
		return nil, errors.New("the run ended without its files being read")
	}
	a.fillRecord(res, spec, p)
	if err := a.saveLogs(res); err != nil {
		return nil, err
	}
	return a.record, a.infrastructureError(res)
}
