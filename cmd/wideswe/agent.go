package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent"
	"github.com/wideswe/wideswe/pipeline/buildfailure"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// agentRun is the words of agent run.
type agentRun struct {
	release, agent, out  string
	tasks                []string
	set, mode, sandbox   string
	workers, attempts    int
	trust                bool
	images               map[string]string
	buildEnv, buildFiles []string
}

func (a *app) agentCommand() *cobra.Command {
	c := &cobra.Command{Use: "agent", Short: "Run a command-line agent on a release's tasks, and collect its patches"}
	c.AddCommand(a.agentRunCommand())
	return c
}

func (a *app) agentRunCommand() *cobra.Command {
	var r agentRun
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
			switch {
			case r.agent == "" || r.out == "":
				return pipeline.Usage("--agent and --out are needed; wideswe agent run --help shows an example")
			case r.workers < 1 || r.attempts < 1:
				return pipeline.Usage("--workers and --attempts count from 1")
			case r.mode != schema.Joint && r.mode != schema.Independent:
				return pipeline.Usage("--mode %q; write joint or independent", r.mode)
			}
			return a.agentRun(cmd.Context(), r)
		},
	}
	f := c.Flags()
	f.StringVar(&r.release, "release", "", "the release's folder")
	f.StringVar(&r.agent, "agent", "", "an agent's file, or gold, empty, shell:SCRIPT")
	f.StringVar(&r.out, "out", "", "the folder of one agent's runs: predictions.jsonl and runs/")
	f.StringSliceVar(&r.tasks, "tasks", nil, "ids of tasks (default: all)")
	f.StringVar(&r.set, "set", "", setHelp)
	f.StringVar(&r.mode, "mode", schema.Joint, "joint: one run over the whole workspace; independent: one run a target, with that repository alone")
	f.IntVar(&r.workers, "workers", 1, "runs under way at once; they share the machine's CPUs and memory, each with what the agent's file says, and wait for room")
	f.IntVar(&r.attempts, "attempts", 1, "runs of each task")
	f.StringVar(&r.sandbox, "sandbox", "docker", "docker, or process for an agent you trust")
	f.BoolVar(&r.trust, "trust", false, "let the process sandbox, which is no wall, run the agent")
	imageFlags(f, &r.images, &r.buildEnv, &r.buildFiles)
	return c
}

func (a *app) agentRun(ctx context.Context, w agentRun) error {
	f, err := agent.Named(w.agent)
	if err != nil {
		return err
	}
	rel, err := a.openRelease(w.release)
	if err != nil {
		return err
	}
	if err := outFolder(w.release, w.out, agentRunFiles); err != nil {
		return err
	}
	tasks, err := taskSet(rel, w.tasks, w.set)
	if err != nil {
		return err
	}
	if n := len(rel.MissingSources()); n > 0 {
		return pipeline.Need("%d of %d source trees of the release are not there; wideswe release fetch --release %s brings them once", n, len(rel.Sources), rel.Dir)
	}
	jobs, err := agent.Jobs(rel, tasks, w.mode, w.attempts)
	if err != nil {
		return err
	}
	backend, err := a.backend(w.sandbox)
	if err != nil {
		return err
	}
	env, files, err := buildInputs(w.buildEnv, w.buildFiles)
	if err != nil {
		return err
	}
	budget := testrun.MachineBudget(backend)
	images := &targetImages{rel: rel, images: backend, runner: &testrun.Runner{Backend: backend, Limits: sandbox.Limits{}.Defaults(), Images: w.images, BuildEnv: env, BuildFiles: files, Log: a.log(),
		Budget: budget, Lock: testrun.OpenImageLock(filepath.Join(w.out, "images.lock")), BuildLogs: filepath.Join(w.out, "logs", "images")}}
	r := &agent.Runner{Backend: backend, Release: rel, Agent: f, Out: w.out, Workers: w.workers, Trust: w.trust, Getenv: os.LookupEnv,
		Explain: buildfailure.Explainer(registry.BuildFailures()...), BuildEnv: env, BuildFiles: files, TargetImage: images.target, BaseImage: images.base, Take: budget.Take, Say: func(line string) { fmt.Fprintln(a.err, line) }}
	sum, err := r.Run(ctx, jobs)
	if err != nil {
		if sum.Done > 0 {
			fmt.Fprintf(a.err, "%d runs ended before that, and are kept\n", sum.Done)
		}
		return err
	}
	file := filepath.Join(w.out, "predictions.jsonl")
	if sum.Failed > 0 {
		return &exitError{exitFailed, fmt.Sprintf("%d of %d runs failed by no doing of the agent and are no predictions; the same command again does them", sum.Failed, len(jobs))}
	}
	fmt.Fprintln(a.out, file)
	return nil
}
