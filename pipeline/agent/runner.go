package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/collect"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Image is the image of an agent's sandbox, with the variables of its recipes.
type Image struct {
	ID  string
	Env map[string]string
}

// Runner runs an agent on tasks of a release.
type Runner struct {
	Backend sandbox.Backend
	Release *release.Release
	Agent   *agentfile.File
	Out     string
	Workers int
	// TargetImage returns the image in which the tests of these targets run.
	TargetImage func(ctx context.Context, t *release.Task, targets []string) (Image, error)
	// BaseImage returns the id of an image that the agent's file names.
	BaseImage func(ctx context.Context, name string) (string, error)
	// BuildEnv and BuildFiles are visible while images are built, and not to the agent.
	BuildEnv   map[string]string
	BuildFiles map[string][]byte
	// Explain tells why building an image failed, see [sandbox.ImageSpec].
	Explain func(output string, exitCode int) string
	// Getenv returns the values of the variables that the agent's file names.
	Getenv func(name string) (string, bool)
	Bounds collect.Bounds
	// Take waits until a run, or the build of an image, has its share of the machine; nil never waits.
	Take func(ctx context.Context, l sandbox.Limits) (release func(), err error)
	// Trust allows a sandbox that does not isolate the agent.
	Trust bool
	// Say receives one line for each run as it ends.
	Say func(line string)

	secrets collect.Secrets
	env     map[string]string
	images  pipeline.Keyed
	broken  sync.Map // key of an image that can't be made → why

	retryWait time.Duration // tests wait less
}

// minSecret is the shortest value that outputs are searched for: shorter ones occur by chance.
const minSecret = 8

// prepare reads the values of the variables that the agent gets.
func (r *Runner) prepare() error {
	if r.Backend.Name() == "process" && r.Agent.Runs() && !r.Trust {
		return pipeline.Usage("the process sandbox keeps nothing of this machine from the agent %s; use --sandbox "+
			"docker, or --trust if you would run it here yourself", r.Agent.Name)
	}
	if r.Bounds == (collect.Bounds{}) {
		r.Bounds = collect.DefaultBounds
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
				r.secrets = append(r.secrets, collect.Secret{Name: name, Value: []byte(v)})
			}
		}
	}
	return nil
}

// take waits for a share of the machine.
func (r *Runner) take(ctx context.Context, l sandbox.Limits) (release func(), err error) {
	if r.Take == nil {
		return func() {}, ctx.Err()
	}
	return r.Take(ctx, l)
}

func (r *Runner) report(format string, args ...any) {
	if r.Say != nil {
		r.Say(fmt.Sprintf(format, args...))
	}
}
