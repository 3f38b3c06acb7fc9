// Package agent is the command wideswe agent run. How agents are run is pipeline/agent's.
package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent"
	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/agentimage"
	"github.com/wideswe/wideswe/pipeline/buildfailure"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// runOptions holds the flags of agent run.
type runOptions struct {
	env                 *env.Env
	release, agent, out string
	tasks               flags.Tasks
	mode, sandbox       string
	workers, attempts   int
	trust               bool
	images              flags.Images
}

// NewCommand returns wideswe agent.
func NewCommand(e *env.Env) *cobra.Command {
	c := &cobra.Command{Use: "agent", Short: "Run a command-line agent on a release's tasks, and collect its patches"}
	c.AddCommand(newRunCommand(e))
	return c
}

func newRunCommand(e *env.Env) *cobra.Command {
	o := &runOptions{env: e}
	c := &cobra.Command{
		Use: "run --release RELEASE --agent FILE --out OUT", Args: cobra.NoArgs,
		Short: "Let an agent loose on tasks, each in a fresh container; a second call does what the first left",
		Long: `Let an agent loose on tasks. Each task is a fresh container with the workspace that
wideswe workspace writes, at /workspace. The agent gets the prompt as its standard input and in
the file $WIDESWE_PROMPT_FILE; what it leaves in the repositories' trees is its answer, whatever
it commits. FILE is YAML:

  name: my-agent                 # of the configuration, in predictions; also version:, model:, effort:
  command: my-agent --print      # a line for the shell, or a list of words
  image: node:22                 # default: the image of the targets' tests, in which these run
  packages: [ripgrep]            # of the distribution; and
  setup: [npm install …]         # shell lines with the network on, as the agent's account; kept in an image
  files: [{from: ./tool, to: ~/tool}]        # copied into each container
  env: [API_KEY, OTHER?]         # names: the values are yours, and in no output (?: where it is set)
  set: {LEVEL: high}             # values
  timeout: 1h                    # also memory: 8g, cpus: 2, pids: 4096, disk: 20g
  network: off                   # or what is reached, all of it through a proxy that counts:
    base_urls: {OPENAI_BASE_URL: https://api.openai.com/v1}   # requests and tokens are counted
    allow: [github.com, '*.example.org:8443']                 # TLS tunnels and plain requests
    private: ['llm.lan:8000', '127.0.0.1:8000']               # may lie in your network or be this machine
  trajectory: ['~/.my-agent/**/*.jsonl']     # files that are kept

Built in are gold (what the pulls did), empty, and shell:SCRIPT. OUT/predictions.jsonl gets a line
for each run that ended: by itself, or by its time, memory or disk. What failed by trouble of this
machine, of the image or of the model's API is no prediction and is done again by the next call.
OUT/runs/TASK/RUN keeps what was printed, the trajectory, and run.json with what was left out of
the patches: what the repository ignores, unless it keeps such files itself (vendor/). OUT/failed
keeps the same of runs that are no prediction, OUT/logs/images how the images were made.`,
		Example: `  wideswe agent run --release release --agent gold --out gold
  wideswe agent run --release release --agent agent.yaml --out runs --mode independent --set bugfix --workers 4
  wideswe evaluate --release release --predictions runs/predictions.jsonl --out out`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	o.addTo(c)
	return c
}

func (o *runOptions) addTo(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.release, "release", "", "the release's folder")
	f.StringVar(&o.agent, "agent", "", "an agent's file, or gold, empty, shell:SCRIPT")
	f.StringVar(&o.out, "out", "", "the folder of one agent's runs: predictions.jsonl and runs/")
	o.tasks.AddTo(f, "ids of tasks (default: all)")
	f.StringVar(&o.mode, "mode", schema.Joint,
		"joint: one run over the whole workspace; independent: one run a target, with that repository alone")
	f.IntVar(&o.workers, "workers", 1, "runs under way at once; they share the machine's CPUs and memory, "+
		"each with what the agent's file says, and wait for room")
	f.IntVar(&o.attempts, "attempts", 1, "runs of each task")
	f.StringVar(&o.sandbox, "sandbox", "docker", "docker, or process for an agent you trust")
	f.BoolVar(&o.trust, "trust", false, "let the process sandbox, which is no wall, run the agent")
	o.images.AddTo(f)
}

// check refuses flags that are missing or mean nothing.
func (o *runOptions) check() error {
	switch {
	case o.agent == "" || o.out == "":
		return pipeline.Usage("--agent and --out are needed; wideswe agent run --help shows an example")
	case o.workers < 1 || o.attempts < 1:
		return pipeline.Usage("--workers and --attempts count from 1")
	case o.mode != schema.Joint && o.mode != schema.Independent:
		return pipeline.Usage("--mode %q; write joint or independent", o.mode)
	}
	return nil
}

func (o *runOptions) run(ctx context.Context) error {
	named, err := agentfile.Named(o.agent)
	if err != nil {
		return err
	}
	rel, err := o.env.OpenRelease(o.release)
	if err != nil {
		return err
	}
	if err := flags.MakeOutFolder(o.release, o.out, flags.AgentRunFiles()); err != nil {
		return err
	}
	tasks, err := o.tasks.Of(rel)
	if err != nil {
		return err
	}
	if n := len(rel.MissingSources()); n > 0 {
		return pipeline.Need("%d of %d source trees of the release are not there; wideswe release fetch --release %s "+
			"brings them once",
			n, len(rel.Sources), rel.Dir)
	}
	jobs, err := runs.Jobs(rel, tasks, o.mode, o.attempts)
	if err != nil {
		return err
	}
	r, err := o.runner(rel)
	if err != nil {
		return err
	}
	r.Agent = named
	return o.execute(ctx, r, jobs)
}

// runner returns what runs agents, as the flags configure it.
func (o *runOptions) runner(rel *release.Release) (*agent.Runner, error) {
	backend, err := o.env.Backend(o.sandbox)
	if err != nil {
		return nil, err
	}
	tests, err := o.images.Runner(backend, o.env.Log(), o.out)
	if err != nil {
		return nil, err
	}
	tests.Limits = sandbox.Limits{}.Defaults()
	maker := &agentimage.Maker{Release: rel, Images: backend, Runner: tests}
	return &agent.Runner{Backend: backend, Release: rel, Out: o.out, Workers: o.workers, Trust: o.trust,
		Getenv:   os.LookupEnv,
		Explain:  buildfailure.Explainer(registry.BuildFailures()...),
		BuildEnv: tests.BuildEnv, BuildFiles: tests.BuildFiles, TargetImage: maker.Target, BaseImage: maker.Base,
		Take: tests.Budget.Take, Say: func(line string) { fmt.Fprintln(o.env.Err, line) }}, nil
}

// execute runs the jobs and prints where the predictions are.
func (o *runOptions) execute(ctx context.Context, r *agent.Runner, jobs []runs.Job) error {
	sum, err := r.Run(ctx, jobs)
	if err != nil {
		if sum.Done > 0 {
			fmt.Fprintf(o.env.Err, "%d runs ended before that, and are kept\n", sum.Done)
		}
		return err
	}
	if sum.Failed > 0 {
		return exit.Failure("%d of %d runs failed by no doing of the agent and are no predictions; the same command again "+
			"does them",
			sum.Failed, len(jobs))
	}
	fmt.Fprintln(o.env.Out, filepath.Join(o.out, "predictions.jsonl"))
	return nil
}
