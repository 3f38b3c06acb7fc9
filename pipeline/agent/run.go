package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/schema"
)

// Image is what an agent runs in beside its own tools.
type Image struct {
	ID  string
	Env map[string]string
}

// Runner lets an agent loose on tasks of a release.
type Runner struct {
	Backend sandbox.Backend
	Release *release.Release
	Agent   *File
	Out     string
	Workers int
	// TargetImage gives the image in which the tests of these targets run.
	TargetImage func(ctx context.Context, t *release.Task, targets []string) (Image, error)
	// BaseImage gives the id of an image that the agent's file names.
	BaseImage func(ctx context.Context, name string) (string, error)
	// BuildEnv and BuildFiles are visible to the making of images alone.
	BuildEnv   map[string]string
	BuildFiles map[string][]byte
	// Explain says why the making of an image failed, see [sandbox.ImageSpec].
	Explain func(output string, exitCode int) string
	// Getenv gives the values of the variables that the agent's file names.
	Getenv func(name string) (string, bool)
	Bounds Bounds
	// Take waits until a run, or the making of an image, has its part of the machine;
	// nil never waits.
	Take func(ctx context.Context, l sandbox.Limits) (release func(), err error)
	// Trust lets a sandbox that is no wall run the agent.
	Trust bool
	// Say takes one line a run as it ends.
	Say func(line string)

	secrets Secrets
	env     map[string]string
	images  pipeline.Keyed
	broken  sync.Map // key of an image that can't be made → why

	retryWait time.Duration // tests wait less
}

// Summary counts what a call of Run did.
type Summary struct {
	Done, Passed, Failed int // Passed were done before
}

// Run does the jobs that are not done yet. Each ends as a line of
// OUT/predictions.jsonl, or not at all: what fails by trouble of ours is no prediction
// and is done again by the next call.
func (r *Runner) Run(ctx context.Context, jobs []Job) (Summary, error) {
	if err := r.prepare(); err != nil {
		return Summary{}, err
	}
	b, err := openBook(r.Out, about{1, r.Agent.Name, r.Agent.Digest(), r.Release.SHA256, r.Backend.Name()})
	if err != nil {
		return Summary{}, err
	}
	defer b.close()
	var sum Summary
	var mu sync.Mutex
	g, run := errgroup.WithContext(ctx)
	g.SetLimit(max(1, r.Workers))
	for _, j := range jobs {
		if b.done(j) {
			sum.Passed++
			continue
		}
		if run.Err() != nil {
			break
		}
		g.Go(func() error {
			if run.Err() != nil {
				return nil
			}
			line, err := r.job(run, b, j)
			mu.Lock()
			defer mu.Unlock()
			var need *pipeline.NeedError
			var usage *pipeline.UsageError
			switch {
			case err == nil:
				sum.Done++
				r.say("%s: %s", j, line)
			case run.Err() != nil, errors.As(err, &need), errors.As(err, &usage):
				return err
			default:
				sum.Failed++
				r.say("%s: failed, and is no prediction: %v", j, err)
			}
			return nil
		})
	}
	err = g.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return sum, err
}

func (r *Runner) say(format string, args ...any) {
	if r.Say != nil {
		r.Say(fmt.Sprintf(format, args...))
	}
}

// minSecret is the shortest value that is looked for in outputs: shorter ones stand
// everywhere by chance.
const minSecret = 8

// prepare reads the values of the variables that the agent gets.
func (r *Runner) prepare() error {
	if r.Backend.Name() == "process" && r.Agent.Runs() && !r.Trust {
		return pipeline.Usage("the process sandbox keeps nothing of this machine from the agent %s; use --sandbox docker, or --trust if you would run it here yourself", r.Agent.Name)
	}
	if r.Bounds == (Bounds{}) {
		r.Bounds = DefaultBounds
	}
	r.secrets, r.env = nil, map[string]string{}
	for _, n := range r.Agent.Env {
		name, optional := strings.CutSuffix(n, "?")
		v, ok := "", false
		if r.Getenv != nil {
			v, ok = r.Getenv(name)
		}
		switch {
		case !ok && optional:
		case !ok:
			return pipeline.Usage("the agent %s wants the variable %s, which is not set; export it", r.Agent.Name, name)
		default:
			r.env[name] = v
			if len(v) >= minSecret {
				r.secrets = append(r.secrets, Secret{name, []byte(v)})
			}
		}
	}
	return nil
}

// job does one run and keeps what came of it, all at once.
func (r *Runner) job(ctx context.Context, b *book, j Job) (string, error) {
	t, err := r.Release.Task(j.Task)
	if err != nil {
		return "", err
	}
	scratch, remove, err := pipeline.Scratch("", "agent")
	if err != nil {
		return "", err
	}
	defer remove()
	keep, err := b.begin()
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
	one := &running{r: r, job: j, task: t, ws: ws, scratch: scratch, keep: keep}
	if j.Target != "" {
		one.repositories = []string{j.Target}
	} else {
		for _, w := range t.Workspace.Repositories {
			one.repositories = append(one.repositories, w.Repository)
		}
	}
	rec, err := one.do(ctx)
	if err != nil && rec != nil {
		return "", b.fail(keep, rec, err)
	}
	if err != nil {
		return "", err
	}
	return rec.line(), b.end(keep, rec, one.patches)
}
